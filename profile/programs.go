package profile

import (
	"path"
	"slices"
	"strings"
)

// interpreters run a script that is the program in question.
var interpreters = []string{
	"sh",
	"bash",
	"dash",
	"zsh",
	"node",
	"nodejs",
	"bun",
	"deno",
	"python",
	"python3",
	"ruby",
	"npx",
	"uvx",
}

// ProgramOf returns the name of the program that a command line runs: the last part of
// its first word, or of the script if that is an interpreter, without an extension.
// "" if there is none.
func ProgramOf(argv []string) string {
	script := scriptOf(argv)
	name := path.Base(script)
	if script == "" {
		return ""
	}
	for _, ext := range []string{".js", ".mjs", ".cjs", ".py", ".rb", ".sh"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

func scriptOf(argv []string) string {
	script, _ := splitScript(argv)
	return script
}

// splitScript returns what is run, with its directory, and the words behind it.
func splitScript(argv []string) (script string, rest []string) {
	if len(argv) == 0 {
		return "", nil
	}
	first := strings.TrimPrefix(argv[0], "-") // a login shell
	if slices.Contains(interpreters, path.Base(first)) {
		for i, word := range argv[1:] {
			if word != "" && word[0] != '-' && word != "run" {
				return word, argv[i+2:]
			}
		}
	}
	return first, argv[1:]
}

// Runs reports whether the command line is one of the programs of the profile. A
// profile that lists none has the program of its command.
func (p *Profile) Runs(argv []string) bool {
	name := ProgramOf(argv)
	if name == "" {
		return false
	}
	if len(p.Programs) == 0 {
		return name == ProgramOf(p.Command)
	}

	script, rest := splitScript(argv)

	return slices.ContainsFunc(p.Programs, func(program string) bool {
		words := strings.Fields(program)
		if len(words) == 0 || len(rest) < len(words)-1 || !slices.Equal(words[1:], rest[:len(words)-1]) {
			return false
		}
		return words[0] == name || strings.Contains(words[0], "/") && strings.Contains(script, words[0])
	})
}

// Running returns the profile whose program the command line is. With several, as
// when a workspace extends one, it is the one that is called as its program is; it is
// not ok when that does not decide.
func (s Set) Running(argv []string) (*Profile, bool) {
	var found []*Profile
	for _, name := range s.Names() {
		if p := s.byName[name]; p.Runs(argv) {
			found = append(found, p)
		}
	}

	if len(found) == 1 {
		return found[0], true
	}

	at := slices.IndexFunc(found, func(p *Profile) bool { return p.Name == ProgramOf(argv) })
	if at < 0 {
		return nil, false
	}

	return found[at], true
}
