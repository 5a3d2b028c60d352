package profile

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"parley"
	"parley/op"
	"parley/plain"
)

// Handover tells a launched program about its team, for this run only: its name, and
// how it reaches parley. It changes nothing in the user's own configuration. Args, the
// values of Env, Files and Briefing are templates over Values; {{json X}} quotes a text
// for JSON, TOML and YAML, {{shell X}} for a shell.
type Handover struct {
	Args     []string          `yaml:"args"`     // appended to any launch command
	Prompt   []string          `yaml:"prompt"`   // behind Args, if there is a first prompt; empty: that is typed
	Env      map[string]string `yaml:"env"`      // replaces variables of the launch
	Unset    []string          `yaml:"unset"`    // variables that the program must not inherit
	Files    map[string]string `yaml:"files"`    // by name, in the agent's private directory
	Briefing string            `yaml:"briefing"` // the text of {{.Briefing}}; "": parley's own
}

// Values are the values that a handover's templates may use.
type Values struct {
	Name, ID string // of the agent
	Parley   string // path of this program
	Dir      string // the agent's private directory, which holds its files
	Seal     string // the secret word in the footers of its terminal; "" in Args
	Briefing string // filled in by Render
	Session  string // the id of its session; only in a Session
	Prompt   string // the first one, whole; "": it has none, or it is typed
	First    string // the mark of the first prompt, if that is an argument
	Port     int    // free on loopback; only in a Door
	Secret   string // the password of its door; only in a Door's Env
}

// ShortID returns the agent's id as headers show it.
func (v Values) ShortID() string { return parley.Short(v.ID) }

// Rules returns the rules for conversations among agents.
func (v Values) Rules() string { return parley.InteractionRules }

// Tools returns the names of parley's tools, for programs that take permissions by name.
func (v Values) Tools() (names []string) {
	for _, op := range op.All {
		if op.ForModels() {
			names = append(names, op.Name)
		}
	}
	return names
}

// File returns the path of one of the handover's files.
func (v Values) File(name string) string { return filepath.Join(v.Dir, name) }

// placeholders lists the placeholders of a template for hints.
const placeholders = `{{.Name}}, {{.ID}}, {{.ShortID}}, {{.Parley}}, {{.Dir}}, {{.Seal}}, {{.Rules}}, {{.Tools}}, ` +
	`{{.File "NAME"}} and {{.Briefing}}, each also as {{json .Name}}; in a prompt {{.Prompt}}, and in a door {{.Port}} ` +
	`and {{.Secret}} too`

//go:embed briefing.txt
var briefing string

var (
	fileForm     = regexp.MustCompile(`^(?:\.?[A-Za-z0-9][A-Za-z0-9._-]*/)*[A-Za-z0-9][A-Za-z0-9._-]*$`)
	variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	answerForm   = regexp.MustCompile(`^(?:Escape|Enter|C-[a-z]|[a-z0-9])$`)
	fileUse      = regexp.MustCompile(`\.File "([^"]*)"`)
)

// Render returns the handover with its templates filled in. Every user of the machine can read
// the arguments of a program, so these do not have the seal, nor does the briefing in them.
func (h Handover) Render(v Values) (Handover, error) {
	f := filler{}
	open := v
	open.Seal = ""
	open.Briefing = f.briefing(h, open)
	v.Briefing = f.briefing(h, v)

	done := Handover{
		Unset: slices.Clone(h.Unset), Env: map[string]string{}, Files: map[string]string{}, Briefing: v.Briefing,
	}
	for _, arg := range h.Args {
		done.Args = append(done.Args, f.fill(open, "handover.args", arg))
	}

	if v.Prompt != "" {
		for _, arg := range h.Prompt {
			done.Args = append(done.Args, f.fill(open, "handover.prompt", arg))
		}
	}

	for _, name := range slices.Sorted(maps.Keys(h.Env)) {
		done.Env[name] = f.fill(v, "handover.env."+name, h.Env[name])
	}

	for _, name := range slices.Sorted(maps.Keys(h.Files)) {
		done.Files[name] = f.fill(v, "handover.files."+name, h.Files[name])
	}

	return done, f.err
}

// filler fills templates in, until one fails.
type filler struct{ err error }

func (f *filler) briefing(h Handover, v Values) string {
	return strings.TrimSpace(f.fill(v, "handover.briefing", cmp.Or(h.Briefing, briefing)))
}

// fill fills in the template under a key of the profile.
func (f *filler) fill(v Values, key, text string) string {
	if f.err != nil {
		return ""
	}

	filled, err := v.fill(text)
	if err != nil {
		f.err = parley.Errorf(parley.InvalidArgument, "%s: %w", key, err).With("key", key).
			Suggest("Correct the template. The placeholders are %s.", placeholders)
	}

	return filled
}

func (v Values) fill(text string) (string, error) { return fillTemplate(text, v) }

func fillTemplate(text string, values any) (string, error) {
	words := template.FuncMap{"json": quote, "shell": shellQuote, "urgent": ifUrgent}
	t, err := template.New("").Funcs(words).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, values)
	return b.String(), err
}

// quote returns a text as a JSON string, which TOML and YAML read in the same way.
func quote(text string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(text)
	return strings.TrimSpace(b.String()), err
}

// shellQuote returns a text as one word of a shell's command line.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// UrgentSuffix is that of the file next to an agent's own socket that is there while an urgent message waits.
const UrgentSuffix = ".urgent"

// ifUrgent returns the command of a hook that stands in a turn. The shell of the program looks for the file, since that
// costs it a millisecond, and parley some twenty. The command is the same for all agents: Codex has a person review it.
func ifUrgent(executable, event string) string {
	asks := shellQuote(executable) + " hook " + event + " --wait"
	return `[ ! -e "$` + parley.SocketVariable + UrgentSuffix + `" ] || ` + asks
}

// Sets reports whether a program gets a variable from its handover, and not from its launch.
func (h Handover) Sets(variable string) bool {
	_, replaced := h.Env[variable]
	return replaced || slices.Contains(h.Unset, variable)
}

func (h Handover) clone() Handover {
	h.Args, h.Prompt, h.Unset = slices.Clone(h.Args), slices.Clone(h.Prompt), slices.Clone(h.Unset)
	h.Env, h.Files = maps.Clone(h.Env), maps.Clone(h.Files)
	return h
}

// inherit adds the variables and files of from that h does not set.
func (h *Handover) inherit(from Handover) {
	inherit(h.Env, from.Env)
	inherit(h.Files, from.Files)
}

// inherit adds the keys of from that own lacks: decoding a map replaces it as a whole.
func inherit(own, from map[string]string) {
	for key, value := range from {
		if _, ok := own[key]; !ok && own != nil {
			own[key] = value
		}
	}
}

// handover returns an error for a template that fails and for an unsafe name.
func (c checker) handover() error {
	h, name := c.p.Handover, c.p.Name
	if err := checkVariables(name, "handover.env", append(slices.Sorted(maps.Keys(h.Env)), h.Unset...)); err != nil {
		return err
	}

	for file := range h.Files {
		if !fileForm.MatchString(file) {
			return c.invalid("handover.files", file).
				Suggest("Use a plain file name of letters, digits, dot, - and _; directories may stand before it.")
		}
	}

	done, err := h.Render(Values{Name: "name", ID: "id", Parley: "parley", Dir: "/dir", Prompt: "prompt"})
	if err != nil {
		return inTemplate(name, err)
	}

	if slices.ContainsFunc(append(slices.Clone(done.Args), slices.Collect(maps.Values(done.Env))...), hasNUL) {
		return c.invalid("handover", "a zero byte").Suggest("Leave it out: no argument and no variable can hold one.")
	}

	return checkFileUses(name, h)
}

func hasNUL(s string) bool { return strings.ContainsRune(s, 0) }

// checkFileUses returns an error for {{.File "x"}} if the handover has no file x.
func checkFileUses(profile string, h Handover) error {
	texts := slices.Concat(h.Args, h.Prompt, slices.Collect(maps.Values(h.Env)), slices.Collect(maps.Values(h.Files)))

	for _, text := range texts {
		for _, use := range fileUse.FindAllStringSubmatch(text, -1) {
			if _, ok := h.Files[use[1]]; !ok {
				return parley.Errorf(parley.InvalidArgument,
					"profile %s: its handover uses a file %q that it does not have", profile, use[1]).
					With("key", "handover").
					Suggest("Add the file to handover.files, or correct its name.")
			}
		}
	}

	return nil
}

// Sandbox says what of the user's a program needs in a sandbox. The paths are relative to a home directory.
type Sandbox struct {
	Always bool     `yaml:"always"` // each launch of it is in one
	Env    []string `yaml:"env"`    // variables of the launch that it gets, with * for any letters
	Copied []string `yaml:"copied"` // its settings: a private copy is made at its first launch there
	Read   []string `yaml:"read"`   // what it sees as it is and cannot change
	Shared []string `yaml:"shared"` // what it may change for all, such as its sign-in
}

func (s Sandbox) clone() Sandbox {
	for _, list := range []*[]string{&s.Env, &s.Copied, &s.Read, &s.Shared} {
		*list = slices.Clone(*list)
	}
	return s
}

// check returns an error for a path that leads out of the home directory.
func (s Sandbox) check(c checker) error {
	for _, path := range slices.Concat(s.Copied, s.Read, s.Shared) {
		if !filepath.IsLocal(path) || path != plain.CleanLine(path) {
			return c.invalid("sandbox", path).
				Suggest("Give paths relative to the home directory, such as .claude.json.")
		}
	}
	return nil
}
