package profile

import (
	"path"
	"slices"
	"strings"
)

// interpreters run a script, which is then the program in question.
var interpreters = []string{
	"sh", "bash", "dash", "zsh", "node", "nodejs", "bun", "deno", "python", "python3", "ruby", "npx", "uvx",
}

// ProgramOf returns the name of the program that a command line runs: the last part of
// its first word without the extension, or that of the script if the first word is an
// interpreter. It returns "" for an empty command line.
func ProgramOf(argv []string) string {
	script, _ := splitScript(argv)
	if script == "" {
		return ""
	}
	name := path.Base(script)
	for _, ext := range []string{".js", ".mjs", ".cjs", ".py", ".rb", ".sh"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// splitScript returns the path of the program or script that runs, and its arguments.
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

// Runs reports whether the command line runs one of the profile's programs. If it lists
// none, the program is that of its command.
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

// Running returns the profile whose program the command line runs. If there are several,
// such as when a workspace extends one, it is the one with the name of the program. It
// is not ok if no profile fits, or none of several has that name.
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
