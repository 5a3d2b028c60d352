// Package story plays user stories: text files of what agents do, which keys the operator presses, and
// what the screen then shows. A line is one step, "#" begins a comment, and the forms of the steps are in
// one table. Every step waits for what it needs, so that no story depends on how fast the machine is.
package story

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/internal/must"
	"parley/internal/wait"
)

// Screen is a screen in a terminal.
type Screen interface {
	// Press presses keys by their names, such as k, enter or ctrl+p.
	Press(keys ...string)
	Type(text string)
	Paste(text string)
	// Click presses and releases the left button of the mouse at a cell.
	Click(x, y int)
	Resize(width, height int)
	// Look takes in what has happened, and returns the screen with its colours.
	Look() string
	// Left returns what the screen handed to something else last: to the clipboard, the editor, or to
	// another program.
	Left(to string) string
}

// Team is a workspace in which nothing has happened yet.
type Team struct {
	Dir      string // its directory
	Operator parley.Service
	As       func(key string) parley.Service // as an agent uses it; with an empty key, as somebody who is none yet
	Demo     []string                        // the command of the scripted agent
	Open     func(width, height int) Screen
	Run      func(width, height int, command string) Screen // what a shell runs in a terminal
	Acts     map[string]func()                              // other things that happen, by their lines
}

// Frame is the screen as a story showed it, with its colours, and the keys that led there.
type Frame struct {
	Keys, Screen string

	saw string // what the story waited for
}

// pause is between two looks at something.
const pause = 20 * time.Millisecond

// telling is a story that is being played.
type telling struct {
	testing.TB
	Team
	line   string
	screen Screen
	keys   map[string]string // the agents' API keys, by name
	typed  []string          // keys since the last frame
	frames []Frame
}

// Play plays the story in a file, and returns what the screen showed. A step that fails ends the test.
func Play(t testing.TB, file string, team Team) []Frame {
	t.Helper()
	s := &telling{TB: t, Team: team, keys: map[string]string{}}
	for line := range strings.Lines(string(must.Have(os.ReadFile(file))(t))) {
		s.line = strings.TrimSpace(line)
		if s.line != "" && !strings.HasPrefix(s.line, "#") {
			s.step()
		}
	}
	return s.frames
}

// step takes the step of the line.
func (s *telling) step() {
	s.Helper()
	if act := s.Acts[s.line]; act != nil {
		act()
		return
	}

	for _, f := range forms {
		if words := f.form.FindStringSubmatch(s.line); words != nil {
			f.take(s, words[1:])
			return
		}
	}

	s.Fatalf("no step has the form of %q", s.line)
}

// form is a form of steps. take gets what the groups of its pattern match.
type form struct {
	form *regexp.Regexp
	take func(s *telling, words []string)
}

func steps(pattern string, take func(*telling, []string)) form {
	return form{regexp.MustCompile("^" + pattern + "$"), take}
}

// forms has every form of a step but those of Team.Acts. The first that fits is taken.
var forms = []form{
	steps(`open (\d+)x(\d+)`, (*telling).open),
	steps(`run in (\d+)x(\d+): (.+)`, (*telling).open),
	steps(`resize (\d+)x(\d+)`, (*telling).resize),
	steps(`resize (\d+) times`, (*telling).storm),
	steps(`keep pressing (\S+) until you see (.+)`, (*telling).keepPressing),
	steps(`press (.+)`, (*telling).press),
	steps(`type (.+)`, (*telling).write),
	steps(`paste (\d+) characters`, (*telling).paste),
	steps(`click (.+)`, (*telling).click),
	steps(`see nothing of (.+)`, (*telling).seeNot),
	steps(`see (.+)`, (*telling).see),
	steps(`the (clipboard|editor|program) gets (.+)`, (*telling).left),
	steps(`the screen is left`, (*telling).quit),
	steps(`the screen goes to (.+)`, (*telling).goes),
	steps(`the file (\S+) has (.+)`, (*telling).file),

	steps(`(.+) (?:is|are) here`, (*telling).register),
	steps(`(\S+) asks to be special`, (*telling).special),
	steps(`(\S+) has a terminal`, (*telling).launch),
	steps(`(\S+) has a terminal with (.+)`, (*telling).launch),
	steps(`(\S+) runs (.+)`, (*telling).run),
	steps(`(\S+) tells? (\S+): (.+)`, (*telling).tell),
	steps(`(\S+) asks? (\S+): (.+)`, (*telling).ask),
	steps(`(\S+) answers? (\S+): (.+)`, (*telling).answer),
	steps(`(\S+) opens? the thread "(.+)" with (.+): (.+)`, (*telling).thread),
	steps(`(\S+) posts? in "(.+)": (.+)`, (*telling).post),
	steps(`(\S+) gets: (.+)`, (*telling).gets),
	steps(`(\S+)'s terminal shows (.+)`, (*telling).terminalShows),
	steps(`(\S+) is (idle|busy|waiting|exited|terminated)`, (*telling).inState),
}

// until waits until a fact holds. seen says what there is instead.
func (s *telling) until(fact func() bool, seen func() string) {
	s.Helper()
	ctx, stop := context.WithTimeout(context.Background(), must.Patience)
	defer stop()
	if wait.Until(ctx, pause, func() (bool, error) { return fact(), nil }) != nil {
		s.Fatalf("%s: not within %v. There is:\n%s", s.line, must.Patience, seen())
	}
}

// plain is a text without its colours, with one space for several.
func plain(text string) string { return spaces.ReplaceAllString(ansi.Strip(text), " ") }

var spaces = regexp.MustCompile(` +`)
