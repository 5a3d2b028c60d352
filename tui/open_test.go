package tui

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/tui/room"
)

func TestTextIsOpened(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string
		want []string
	}{
		"a message": {[]string{"k", "k", "k", "e"},
			[]string{"reviewer → you · direct", "11:49:09", "Shall I approve"}},
		"a terminal":   {[]string{"2", "g", "j", "j", "e"}, []string{"● Reading parser.go (212 lines)\n"}},
		"a need's":     {[]string{"4", "G", "e"}, []string{"Shall I approve"}},
		"a tile's":     {[]string{"t", "e"}, []string{"● Reading parser.go"}},
		"nothing":      {[]string{"5", "e"}, nil},
		"what is gone": {[]string{"e"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := newBusyScreen(t, 120, 40)
			if name == "what is gone" {
				f.err = parley.Errorf(parley.MessageNotFound, "it was removed")
			}
			s.press(c.keys...)
			if len(c.want) == 0 && len(s.opened) > 0 {
				t.Fatalf("opened %q", s.opened)
			}
			for _, w := range c.want {
				if len(s.opened) != 1 || !strings.Contains(s.opened[0], w) || strings.Contains(s.opened[0], "\x1b") {
					t.Errorf("opened %q, want %q in it", s.opened, w)
				}
			}
		})
	}
}

// The file has the text, for its owner's eyes alone.
func TestTemporaryFileIsPrivate(t *testing.T) {
	file := must.Have(room.TemporaryFile("the text"))(t)
	defer os.Remove(file)
	if mode := must.Have(os.Stat(file))(t).Mode().Perm(); mode != 0o600 {
		t.Errorf("its mode is %o", mode)
	}
	if got := string(must.Have(os.ReadFile(file))(t)); got != "the text" {
		t.Errorf("it has %q", got)
	}
}

func TestEditorComesBeforePager(t *testing.T) {
	for _, c := range []struct {
		environ, want string
	}{
		{"", "less"}, {"PAGER=most -s", "most -s"}, {"PAGER=less EDITOR=nano", "nano"},
		{"EDITOR=nano VISUAL=code", "code"},
	} {
		environ := strings.Fields(c.environ)
		if c.environ == "PAGER=most -s" {
			environ = []string{c.environ}
		}
		if got := strings.Join(room.ProgramOf(environ, "less", "VISUAL=", "EDITOR=", "PAGER="), " "); got != c.want {
			t.Errorf("%q: %s, want %s", c.environ, got, c.want)
		}
	}
}

// Within tmux, a copy goes to its buffer too.
func TestCopyFillsTheBufferOfTmux(t *testing.T) {
	var got []string
	fault := error(nil)
	s := newScreen(t, busyTeam(), 140, 30, func(o *Options) {
		o.Buffer = func(_ context.Context, text string) error { got = append(got, text); return fault }
	})
	s.press("2", "g", "Y")
	s.shows("is in tmux's buffer")
	fault = errors.New("no server")
	s.press("Y")
	s.shows("tmux did not take the copy: no server")
	if want := []string{"scout", "scout"}; !slices.Equal(got, want) {
		t.Errorf("the buffer got %q, want %q", got, want)
	}
}
