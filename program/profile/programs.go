package profile

import (
	"path"
	"slices"
	"strings"
)

// ProgramOf returns the name of the program that a command line runs: the last part of
// its first word without the extension, or that of the script or package if the first
// word is an interpreter or a wrapper. It returns "" for an empty command line.
func ProgramOf(argv []string) string { return seeThrough(argv).name() }

// name returns the last part of the program's path without extension and version.
func (c command) name() string {
	if c.script == "" {
		return ""
	}
	name := path.Base(strings.TrimPrefix(c.script, "-")) // a login shell
	if at := strings.IndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	for _, ext := range []string{".js", ".mjs", ".cjs", ".py", ".rb", ".sh", ".exe"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// Runs reports whether the command line runs one of the profile's programs. If it lists
// none, the program is that of its command.
func (p *Profile) Runs(argv []string) bool { return seeThrough(argv).runs(p) }

// runs reports whether the command runs one of a profile's programs.
func (c command) runs(p *Profile) bool {
	name := c.name()
	if name == "" {
		return false
	}
	if len(p.Programs) == 0 {
		return name == ProgramOf(p.Command)
	}

	return slices.ContainsFunc(p.Programs, func(program string) bool {
		words := strings.Fields(program)
		if len(words) == 0 || len(c.rest) < len(words)-1 || !slices.Equal(words[1:], c.rest[:len(words)-1]) {
			return false
		}
		return words[0] == name || strings.Contains(words[0], "/") && hasPart(c.script, words[0])
	})
}

// hasPart reports whether part stands in a path or a package's name, and whole words
// end with it.
func hasPart(script, part string) bool {
	at := strings.Index(script, part)
	if at < 0 {
		return false
	}
	after := script[at+len(part):]
	return after == "" || strings.HasSuffix(part, "/") || after[0] == '/' || after[0] == '@'
}

// Running returns the profile whose program the command line runs. If there are several,
// such as when a workspace extends one, it is the one with the name of the program, or
// else the one with the name of its command. It is not ok if none or several fit.
func (s Set) Running(argv []string) (*Profile, bool) { return s.running(seeThrough(argv)) }

func (s Set) running(c command) (*Profile, bool) {
	var found []*Profile
	for _, name := range s.Names() {
		if p := s.byName[name]; c.runs(p) {
			found = append(found, p)
		}
	}

	if len(found) == 1 {
		return found[0], true
	}

	for _, fits := range []func(p *Profile) bool{
		func(p *Profile) bool { return p.Name == c.name() },
		func(p *Profile) bool { return p.Name == ProgramOf(p.Command) },
	} {
		if at := slices.IndexFunc(found, fits); at >= 0 {
			return found[at], true
		}
	}

	return nil, false
}

// Passes reports whether arguments at the end of a command line reach the program that it
// runs.
func Passes(argv []string) bool { return seeThrough(argv).passes }

// TakesPrompt reports whether a launch with this command can give the program its first prompt as an argument. A
// command with more words than options and their values may have one already, or be another command of the program.
func (p *Profile) TakesPrompt(argv []string) bool {
	c := seeThrough(argv)
	option := false
	for _, word := range c.rest {
		isOption := strings.HasPrefix(word, "-")
		if word == "--" || !isOption && !option {
			return false
		}
		option = isOption
	}
	return len(p.Handover.Prompt) > 0 && c.passes && c.runs(p) && !p.Session.HasOwnSession(argv)
}

// Starts returns the words of a command line up to the program or script that it runs: with further ones they ask that
// for its version. It is not ok where a wrapper hides the program, or passes nothing on.
func Starts(argv []string) (words []string, ok bool) {
	c := seeThrough(argv)
	return argv[:len(argv)-len(c.rest)], c.passes && c.script != ""
}

// Launched returns the profile for a command line that is about to be launched. Unlike
// Running it is ok only if arguments added at the end reach the program.
func (s Set) Launched(argv []string) (*Profile, bool) {
	c := seeThrough(argv)
	if !c.passes {
		return nil, false
	}
	return s.running(c)
}
