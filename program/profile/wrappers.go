package profile

import (
	"bufio"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// command is the program, script or package that a command line runs.
type command struct {
	script string   // as the command line names it
	rest   []string // its arguments
	passes bool     // arguments added to the command line reach it
}

// wrapper is a program that runs the one that its arguments name.
type wrapper struct {
	subcommand []string // the words that make it a wrapper, each one of these; nil: none
	valued     []string // options that take the next word
	hides      []string // options whose value is a command line or a program's text
	words      int      // arguments before the program
	assigns    bool     // NAME=value may stand before the program
	script     bool     // it interprets a file, and is not the program itself
	module     string   // the option whose value is the program
	passes     passing
}

// passing says whether a wrapper passes arguments at the end of its command line on.
type passing int

const (
	always       passing = iota
	afterDashes          // only those after --
	toAnotherOne         // they reach the program, but the files and variables that they name do not
)

var (
	shell = wrapper{script: true, valued: []string{"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}}
	node  = wrapper{
		script: true,
		valued: []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"},
		hides:  []string{"-e", "--eval", "-p", "--print", "-pe"},
	}
	python = wrapper{script: true, valued: []string{"-W", "-X"}, hides: []string{"-c"}, module: "-m"}
	ruby   = wrapper{script: true, valued: []string{"-r", "-I"}, hides: []string{"-e"}}
	npx    = wrapper{
		valued: []string{"-p", "--package", "-w", "--workspace", "--prefix", "--cache"},
		hides:  []string{"-c", "--call"},
	}
	uvx     = wrapper{valued: []string{"--from", "--with", "-p", "--python"}}
	environ = wrapper{
		assigns: true,
		valued:  []string{"-u", "--unset", "-C", "--chdir"},
		hides:   []string{"-S", "--split-string"},
	}
	another = wrapper{
		valued: []string{
			"-u", "--user", "-g", "--group", "-h", "--host", "-C", "-D", "--chdir", "-p", "-r", "-t", "-T",
		},
		assigns: true,
		passes:  toAnotherOne,
	}
)

// wrappers are looked through, by their names. Each form of one is tried in turn.
var wrappers = map[string][]wrapper{
	"sh": {shell}, "bash": {shell}, "dash": {shell}, "zsh": {shell}, "ksh": {shell}, "ash": {shell},
	"node": {node}, "nodejs": {node}, "python": {python}, "python3": {python}, "ruby": {ruby},
	"bun":  {{subcommand: []string{"x"}}, {subcommand: []string{"run"}, script: true}, {script: true}},
	"deno": {{subcommand: []string{"run"}, script: true}},

	"npx": {npx}, "bunx": {npx}, "uvx": {uvx},
	"npm":  {{subcommand: []string{"exec", "x"}, valued: npx.valued, hides: npx.hides, passes: afterDashes}},
	"pnpm": {{subcommand: []string{"dlx", "exec"}, valued: []string{"--package"}, hides: []string{"-c"}}},
	"yarn": {{subcommand: []string{"dlx", "exec"}, valued: []string{"-p", "--package"}}},
	"pipx": {{subcommand: []string{"run"}, valued: []string{"--spec", "--python"}}},
	"uv":   {{subcommand: []string{"run"}, valued: uvx.valued}},

	"env":     {environ},
	"nice":    {{valued: []string{"-n", "--adjustment"}}},
	"ionice":  {{valued: []string{"-c", "--class", "-n", "--classdata"}}},
	"time":    {{valued: []string{"-f", "--format", "-o", "--output"}}},
	"timeout": {{words: 1, valued: []string{"-s", "--signal", "-k", "--kill-after"}}},
	"stdbuf":  {{valued: []string{"-i", "-o", "-e"}}},
	"nohup":   {{}}, "setsid": {{}}, "caffeinate": {{valued: []string{"-t", "-w"}}},

	"sudo": {another}, "doas": {another},
}

// seeThrough finds the program that a command line runs, through the wrappers that name
// it. What a wrapper hides is the wrapper itself, and gets no arguments.
func seeThrough(argv []string) command {
	c := command{passes: true}
	for len(argv) > 0 {
		w, rest, ok := wrapperOf(argv)
		at, hidden := 0, false
		if ok {
			at, hidden = w.program(rest)
		}
		c.passes = c.passes && !hidden

		if !ok || hidden || at >= len(rest) {
			c.script, c.rest = argv[0], argv[1:]
			return c
		}

		c.passes = c.passes && w.passesOn(rest[:at])
		if w.script {
			c.script, c.rest = rest[at], rest[at+1:]
			return c
		}
		argv = rest[at:]
	}
	return c
}

// wrapperOf returns the wrapper that a command line begins with, and its arguments.
func wrapperOf(argv []string) (w wrapper, rest []string, ok bool) {
	name := path.Base(strings.TrimPrefix(argv[0], "-"))
	if wrappers[name] == nil {
		name = strings.TrimRight(name, "0123456789.") // python3.12
	}
	for _, w := range wrappers[name] {
		switch {
		case w.subcommand == nil:
			return w, argv[1:], true
		case len(argv) > 1 && slices.Contains(w.subcommand, argv[1]):
			return w, argv[2:], true
		}
	}
	return wrapper{}, nil, false
}

// program returns where in the arguments of a wrapper the program stands; it may be
// their end. It is hidden if the wrapper gets a text instead of a program.
func (w *wrapper) program(args []string) (at int, hidden bool) {
	words := w.words
	for at < len(args) {
		word := args[at]
		name, _, _ := strings.Cut(word, "=")
		switch {
		case word == "--":
			return at + 1 + words, false
		case w.module != "" && word == w.module:
			return at + 1, false
		case slices.Contains(w.hides, name), w.isShell() && takesCommand(word):
			return at, true
		case slices.Contains(w.valued, word):
			at++
		case len(word) > 1 && word[0] == '-', w.isShell() && len(word) > 1 && word[0] == '+':
		case w.assigns && strings.Contains(word, "="):
		case words > 0:
			words--
		default:
			return at, false
		}
		at++
	}

	return at, false
}

// isShell reports whether the wrapper is a shell, whose option -c hides a command.
func (w *wrapper) isShell() bool { return w.script && slices.Contains(w.valued, "+o") }

// takesCommand reports whether an option of a shell is -c or holds it, as -lc does.
func takesCommand(word string) bool {
	return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.ContainsRune(word, 'c')
}

// passesOn reports whether a program behind these arguments gets those at the end of the
// command line.
func (w *wrapper) passesOn(before []string) bool {
	switch w.passes {
	case afterDashes:
		return slices.Contains(before, "--")
	case toAnotherOne:
		return false
	}
	return true
}

// starters run other programs as their children, and do not name them.
var starters = []string{
	"npm", "npx", "pnpm", "yarn", "bun", "bunx", "uv", "uvx", "pipx", "make", "just", "su", "script",
}

// MayStart reports whether the command line is that of a program that runs another one in
// its own terminal: a shell with a script or a command, a package manager, or a wrapper.
func MayStart(argv []string) bool {
	if len(argv) < 2 {
		return false
	}
	name := path.Base(argv[0])
	if slices.Contains(starters, name) {
		return true
	}
	w, _, ok := wrapperOf(argv)
	return ok && (!w.script || w.isShell())
}

// ScriptOf returns the file that an interpreter runs by a command line; "" for any other command line.
func ScriptOf(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	w, rest, ok := wrapperOf(argv)
	if !ok || !w.script {
		return ""
	}
	if at, hidden := w.program(rest); !hidden && at < len(rest) && !slices.Contains(rest[:at], w.module) {
		return rest[at]
	}
	return ""
}

// Unwrapped returns the command line that wrappers such as env and nice run in their place.
func Unwrapped(argv []string) []string {
	for len(argv) > 0 {
		w, rest, ok := wrapperOf(argv)
		if !ok || w.script || w.passes == toAnotherOne {
			return argv
		}
		at, hidden := w.program(rest)
		if hidden || at >= len(rest) {
			return argv
		}
		argv = rest[at:]
	}
	return argv
}

// InterpreterOf returns the words of a script's first line behind #!; none for any other file.
func InterpreterOf(file string) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()

	first, _ := bufio.NewReader(io.LimitReader(f, firstLine)).ReadString('\n')
	line, ok := strings.CutPrefix(first, "#!")
	if !ok {
		return nil
	}
	return strings.Fields(line)
}

// firstLine bounds the first line of a script, as the kernel does.
const firstLine = 256

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
