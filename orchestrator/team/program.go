package team

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/sh"
	"parley/program/profile"
	"parley/tmux"
)

// ProgramID tells a program as the operator's word counts for it: the file that is executed, and the script that it
// interprets, or else its words that are no options. A program that gives itself another name is another one.
func ProgramID(p tmux.Program) string {
	if len(p.Args) == 0 {
		return p.File
	}
	// What is kept of it is text.
	p.Args = slices.Clone(p.Args)
	for i, word := range p.Args {
		p.Args[i] = strings.ToValidUTF8(word, "�")
	}

	words := []string{p.File}
	name := strings.TrimPrefix(p.Args[0], "-")
	if !strings.ContainsRune(name, ' ') {
		name = filepath.Base(name)
	}
	if script := profile.ScriptOf(p.Args); script != "" {
		if !filepath.IsAbs(script) {
			script = filepath.Join(p.Dir, script)
		}
		return p.File + " " + script
	}
	if name != filepath.Base(p.File) {
		words = append(words, name)
	}
	for _, word := range p.Args[1:] {
		if word != "" && word[0] != '-' {
			words = append(words, word)
		}
	}

	id := strings.Join(words, " ")
	if len(id) > longestID {
		sum := sha256.Sum256([]byte(id))
		id = strings.ToValidUTF8(id[:longestID], "") + "… " + hex.EncodeToString(sum[:8])
	}
	return id
}

// longestID bounds what is kept of a command line.
const longestID = 300

// Takes reports whether a program that reads the terminal takes messages: it is that of the terminal's profile, or the
// operator has said so. Of a program with markers that was launched as such, the screen tells what else reads there.
func (t *Terminal) Takes(r tmux.Reader) bool {
	switch {
	case t.Own && (t.Profile.HasMarkers() || r.PID == t.PID), t.runs(r.Program):
		return true
	case sh.IsShell(r.Args): // it would run them, in every terminal that ends in one
		return false
	case t.isSaid(r): // behind a script that puts another in its place
		return true
	case t.Adopted() && t.Profile.HasMarkers() && t.IsProgram(r.Args):
		return true
	}
	return t.Places.Has(ProgramID(r.Program), profile.Place{})
}

// NoteSaid notes the name of the program of which the operator has said at its launch that it takes messages; "" takes
// that back.
func (t *Terminal) NoteSaid(program string) { t.seen.said.Store(&program) }

func (t *Terminal) isSaid(r tmux.Reader) bool {
	said := t.seen.said.Load()
	return said != nil && *said != "" && r.PID == t.PID && len(r.Args) > 0 && *said == filepath.Base(r.Args[0])
}

// KeepWord keeps the operator's word of a launch for the program that it has become.
func (t *Terminal) KeepWord(ctx context.Context, r tmux.Reader) error {
	id := ProgramID(r.Program)
	if !t.isSaid(r) || !t.Takes(r) || t.Places.Has(id, profile.Place{}) {
		return nil
	}
	return t.Places.Add(ctx, id, profile.Place{})
}

// runs reports whether a program is that of the terminal's profile, by its command line or the file that is executed.
func (t *Terminal) runs(p tmux.Program) bool {
	if t.Profile.Name == profile.Default {
		return false
	}
	return t.Profile.Runs(p.Args) || p.File != "" && t.Profile.Runs([]string{p.File})
}

// searchEvery is the least time between two searches among all processes, which take some tenths of a millisecond.
const searchEvery = 200 * time.Millisecond

// Program returns the profile of the program that reads the terminal, or that has it. It is not ok if the program is
// not known, or need not be. It may be searchEvery old.
func (t *Terminal) Program() (*profile.Profile, bool) {
	if t.Known == nil {
		return nil, false
	}
	s := &t.search
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.at) >= searchEvery {
		s.at, s.found = now, nil
		if r, err := s.processes.ReaderOf(t.PID, now); err == nil {
			s.found = t.known(r.Program)
		}
	}
	return s.found, s.found != nil
}

// known returns the profile of a program, nil if none is known.
func (t *Terminal) known(p tmux.Program) *profile.Profile {
	for _, argv := range slices.DeleteFunc([][]string{p.Args, {p.File}}, func(argv []string) bool {
		return len(argv) == 0 || argv[0] == ""
	}) {
		if found, ok := t.Known.Running(argv); ok {
			return found
		}
	}
	return nil
}

// SetRuns notes the profile of the program that was recognised in a member's terminal.
func (m *Member) SetRuns(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Runs = name
}
