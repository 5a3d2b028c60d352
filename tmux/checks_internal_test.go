package tmux

import (
	"errors"
	"testing"
	"unicode/utf8"
)

func TestVersions(t *testing.T) {
	for text, ok := range map[string]bool{
		"tmux 3.3a\n": true, "tmux 3.3": true, "tmux 3.2": false, "tmux 3.2a": false, "tmux 3.1c": false,
		"tmux 2.9":      false,
		"tmux 4.0":      true,
		"tmux next-3.4": true, "tmux master": true, "tmux openbsd-7.4": true, "tmux 3.10": true, "tmux 3": false,
	} {
		v := parseVersion(text)
		if err := v.check(); (err == nil) != ok || err != nil && !errors.Is(err, ErrTooOld) {
			t.Errorf("%q: %+v: %v", text, v, err)
		}
	}
}

func TestErrorTextIsClassified(t *testing.T) {
	for text, want := range map[string]error{
		"can't find pane: %3": ErrNoPane, "no such pane: %3": ErrNoPane, "can't find session: x": ErrNoSession,
		"duplicate session: x": ErrSessionExists,
		"no buffer b-1":        ErrNoBody, "unknown buffer: b-1": ErrNoBody, "no sessions": ErrNoServer,
		"error connecting to /tmp/x (No such file or directory)": ErrNoServer,
		"no server running on /tmp/x":                            ErrNoServer,
	} {
		if err := error(&CommandError{Text: text}); !errors.Is(err, want) {
			t.Errorf("%q is not %v", text, want)
		}
	}
}

func TestCheckTextKeepsNothingUnsafe(t *testing.T) {
	for r := rune(0); r < 0x3000; r++ {
		text := "a" + string(r)
		if !utf8.ValidRune(r) {
			continue
		}
		want := r == '\n' || r == '\t' || r >= 0x20 && r < 0x7f ||
			r > 0x9f && !(r >= 0x202a && r <= 0x202e) && !(r >= 0x2066 && r <= 0x2069)
		if got := checkText(text) == nil; got != want {
			t.Errorf("%U: allowed %v, want %v", r, got, want)
		}
	}
}
