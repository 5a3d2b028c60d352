package story

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/must"
)

// open opens the screen in a terminal of a size, or what a command shows there.
func (s *telling) open(words []string) {
	s.Helper()
	width, height := s.size(words)
	if len(words) > 2 {
		s.screen = s.Run(width, height, words[2])
		return
	}
	s.screen = s.Open(width, height)
}

func (s *telling) resize(words []string) { s.Helper(); s.screen.Resize(s.size(words)) }

// storm resizes the screen so many times, without a look in between, to sizes of which some are too small.
func (s *telling) storm(words []string) {
	s.Helper()
	for i := range must.Have(strconv.Atoi(words[0]))(s) {
		s.screen.Resize(20+i*37%181, 5+i*17%56)
	}
}

func (s *telling) size(words []string) (width, height int) {
	s.Helper()
	return must.Have(strconv.Atoi(words[0]))(s), must.Have(strconv.Atoi(words[1]))(s)
}

func (s *telling) press(words []string) {
	s.Helper()
	s.typed = append(s.typed, words[0])
	s.screen.Press(strings.Fields(words[0])...)
}

// keepPressing presses a key again and again, for keys that are refused until something was seen for a
// while.
func (s *telling) keepPressing(words []string) {
	s.Helper()
	s.typed = append(s.typed, words[0])
	s.until(func() bool {
		if strings.Contains(s.look(), words[1]) {
			return true
		}
		s.screen.Press(words[0])
		return strings.Contains(s.look(), words[1])
	}, func() string { return s.look() })
	s.see(words[1:])
}

func (s *telling) write(words []string) {
	s.Helper()
	s.typed = append(s.typed, words[0])
	s.screen.Type(words[0])
}

func (s *telling) paste(words []string) {
	s.Helper()
	s.screen.Paste(strings.Repeat("x", must.Have(strconv.Atoi(words[0]))(s)))
}

// click clicks the first place on the screen that has a text.
func (s *telling) click(words []string) {
	s.Helper()
	s.see(words)
	for y, line := range strings.Split(ansi.Strip(s.screen.Look()), "\n") {
		if before, _, ok := strings.Cut(line, words[0]); ok {
			s.screen.Click(ansi.StringWidth(before), y)
			return
		}
	}
	s.Fatalf("%s: it has gone", s.line)
}

// see waits until the screen shows a text, and makes a frame of it.
func (s *telling) see(words []string) {
	s.Helper()
	var screen string
	s.until(func() bool {
		screen = s.screen.Look()
		return strings.Contains(plain(screen), plain(words[0]))
	}, func() string { return ansi.Strip(screen) })
	s.frames = append(s.frames, Frame{Keys: strings.Join(s.typed, " "), Screen: screen, saw: words[0]})
	s.typed = nil
}

// seeNot waits until the screen does not show a text.
func (s *telling) seeNot(words []string) {
	s.Helper()
	var screen string
	s.until(func() bool {
		screen = s.screen.Look()
		return !strings.Contains(plain(screen), plain(words[0]))
	}, func() string { return ansi.Strip(screen) })
}

// left waits until the screen handed a text to something else.
func (s *telling) left(words []string) {
	s.Helper()
	s.until(func() bool { s.screen.Look(); return strings.Contains(s.screen.Left(words[0]), words[1]) },
		func() string { return s.screen.Left(words[0]) + "\n" + ansi.Strip(s.screen.Look()) })
}

// quit waits until the person has left the screen.
func (s *telling) quit([]string) {
	s.Helper()
	s.until(func() bool { s.screen.Look(); return s.screen.Left("shell") != "" },
		func() string { return ansi.Strip(s.screen.Look()) })
}

// goes waits until the person has left the screen for another workspace.
func (s *telling) goes(words []string) {
	s.Helper()
	s.until(func() bool { s.screen.Look(); return s.screen.Left("shell") == words[0] },
		func() string { return s.screen.Left("shell") + "\n" + ansi.Strip(s.screen.Look()) })
}

// file waits until a file in the workspace has a text.
func (s *telling) file(words []string) {
	s.Helper()
	name, text := filepath.Join(s.Dir, words[0]), ""
	s.until(func() bool {
		s.screen.Look()
		content, err := os.ReadFile(name)
		text = string(content)
		return err == nil && strings.Contains(text, words[1])
	}, func() string { return text + "\n" + ansi.Strip(s.screen.Look()) })
}
