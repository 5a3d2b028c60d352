package profile

import (
	"crypto/rand"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley"
)

// Doors are the kinds of doors that parley can use, see Door.
var Doors = []string{"claude", "extension", "opencode", "qwen"}

// Door says how a message goes into the running program without a keyboard: which door it has, and what a launch
// adds to open it for this run only. Args and the values of Env are templates over Values.
type Door struct {
	Kind string `yaml:"kind"` // one of Doors; "": it has none, or none that parley uses
	// Marks says that the program tells its model that the text comes from another session and not from its user.
	Marks bool `yaml:"marks"`
	// Alters matches what the program changes on its way in, so that its model does not get what was sent: a text with
	// it is typed.
	Alters   string   `yaml:"alters"`
	Versions []string `yaml:"versions"` // of the program that the door was tried with; empty: any

	Args []string          `yaml:"args"` // before the handover's arguments
	Env  map[string]string `yaml:"env"`  // replaces variables of the launch
	// Own lists words of a command and variables of a launch with which the user settles the same: a flag of his own,
	// or a mode in which the door is not safe. With one of them, or with a variable of Env, parley adds nothing
	// and knows no door.
	Own []string `yaml:"own"`

	Hooks Hooks `yaml:"hooks,omitempty"` // its own hooks, which take a message without any of the above
}

// secretMark begins all secrets: an agent that launches another one passes its own on, which is not the user's.
const secretMark = "parley-"

var secretForm = regexp.MustCompile(`^` + secretMark + `[A-Z2-7]{26}$`)

// NewSecret returns the password of a door.
func NewSecret() string { return secretMark + rand.Text() }

// IsSecret reports whether a value is the password of a door: a launch from within an agent does not inherit it.
func IsSecret(value string) bool { return secretForm.MatchString(value) }

// Opens reports whether a launch with this command and environment opens the door.
func (d Door) Opens(command, env []string) bool {
	return d.Kind != "" && !slices.ContainsFunc(slices.Concat(command, env), func(word string) bool {
		name, value, _ := strings.Cut(word, "=")
		_, replaced := d.Env[name]
		own := replaced || slices.Contains(d.Own, name) || strings.HasPrefix(word, "-") && slices.Contains(d.Own, value)
		return own && !IsSecret(value)
	})
}

// Render returns what a launch adds to open the door. Every user of the machine can read the arguments of a
// program, so these have neither the secret nor the seal.
func (d Door) Render(v Values) (args []string, env map[string]string, err error) {
	f, open := filler{}, v
	open.Secret, open.Seal = "", ""
	for _, arg := range d.Args {
		args = append(args, f.fill(open, "door.args", arg))
	}

	env = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		env[name] = f.fill(v, "door.env."+name, d.Env[name])
	}

	return args, env, f.err
}

// IsAltered reports whether the program changes a text that comes through its door.
func (p *Profile) IsAltered(text string) bool {
	return p.patterns.alters != nil && p.patterns.alters.MatchString(text)
}

// check returns an error for a kind that parley does not know, a template that fails and an unsafe name. The name is
// that of the profile.
func (d Door) check(name string) error {
	if d.Kind != "" && !slices.Contains(Doors, d.Kind) {
		return invalid(name, "door.kind", d.Kind).
			Suggest("Give one of %s, or leave the section out.", strings.Join(Doors, ", "))
	}

	for _, version := range d.Versions {
		if versionForm.FindString(version) != version {
			return invalid(name, "door.versions", version).Suggest("List versions, such as 2.1.329.")
		}
	}

	if err := checkVariables(name, "door.env", slices.Sorted(maps.Keys(d.Env))); err != nil {
		return err
	}

	args, env, err := d.Render(Values{Name: "name", ID: "id", Parley: "parley", Dir: "/dir", Port: 1})
	if err != nil {
		return inTemplate(name, err)
	}
	if slices.ContainsFunc(slices.Concat(args, slices.Collect(maps.Values(env))), hasNUL) {
		return invalid(name, "door", "a zero byte").Suggest("Leave it out: no argument and no variable can hold one.")
	}

	return nil
}

// checkVariables returns an error for a name that no variable of a launch may have.
func checkVariables(profile, key string, names []string) error {
	for _, name := range names {
		if !variableForm.MatchString(name) || strings.HasPrefix(name, "PARLEY_") {
			return invalid(profile, key, name).
				Suggest("Name a variable with letters, digits and _; parley's own (PARLEY_…) are reserved.")
		}
	}
	return nil
}

// inTemplate says of an error in a template whose profile it is in.
func inTemplate(profile string, err error) error {
	e := parley.AsError(err)
	return parley.Errorf(e.Code, "profile %s: %w", profile, err).
		With("key", e.Details["key"]).
		Suggest("%s", e.Action)
}

func (d Door) clone() Door {
	d.Versions, d.Args, d.Own = slices.Clone(d.Versions), slices.Clone(d.Args), slices.Clone(d.Own)
	d.Env, d.Hooks.Args = maps.Clone(d.Env), slices.Clone(d.Hooks.Args)
	d.Hooks.Tool.Read, d.Hooks.End.Read = d.Hooks.Tool.Read.Clone(), d.Hooks.End.Read.Clone()
	return d
}
