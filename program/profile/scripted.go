package profile

import (
	"maps"
	"path/filepath"
	"slices"

	"parley"
)

// Scripted says how a program is made to talk to a scripted model in place of its own, in a home directory that
// nobody else uses, and by which of its answers it can be tried. Args, Ask and the values of Env and Files are
// templates over Scene. A profile without it cannot be tried with a model.
type Scripted struct {
	Env   map[string]string `yaml:"env"`   // added to the environment
	Args  []string          `yaml:"args"`  // of its command line, before those of the handover
	Files map[string]string `yaml:"files"` // of its configuration, by their paths in the home directory
	// the key that answers what it asks at its first start there; "": it asks nothing
	First string `yaml:"first"`
	// a prompt that makes it ask before it makes {{.File}}; "": it asks nothing
	Ask    string `yaml:"ask"`
	Refuse string `yaml:"refuse"` // the key that refuses its question; "": Escape
	Fails  []int  `yaml:"fails"`  // HTTP statuses of the model after which it does not try again
}

// Scene is what the templates of Scripted may use.
type Scene struct {
	URL  string // of the model
	Dir  string // where the program runs
	File string // that it asks to make
}

// On returns the section with its templates filled in.
func (s *Scripted) On(at Scene) (Scripted, error) {
	var failed error
	fill := func(key, text string) string {
		filled, err := fillTemplate(text, at)
		if err != nil && failed == nil {
			failed = parley.Errorf(parley.InvalidArgument, "scripted.%s: %w", key, err).With("key", "scripted."+key).
				Suggest("Correct the template. The placeholders are {{.URL}}, {{.Dir}} and {{.File}}, each also as " +
					"{{json .URL}}.")
		}
		return filled
	}

	done := Scripted{
		Env: map[string]string{}, Files: map[string]string{}, First: s.First, Ask: fill("ask", s.Ask),
		Refuse: s.Refuse, Fails: s.Fails,
	}
	for _, arg := range s.Args {
		done.Args = append(done.Args, fill("args", arg))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		done.Env[name] = fill("env."+name, s.Env[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		done.Files[name] = fill("files."+name, s.Files[name])
	}
	return done, failed
}

// Known reports whether the program can be made to talk to a scripted model.
func (s *Scripted) Known() bool { return len(s.Env)+len(s.Args)+len(s.Files) > 0 }

func (s Scripted) clone() Scripted {
	s.Args, s.Fails = slices.Clone(s.Args), slices.Clone(s.Fails)
	s.Env, s.Files = maps.Clone(s.Env), maps.Clone(s.Files)
	return s
}

// check returns an error for a template that fails and for an unsafe name. invalid makes the error for a key's value.
func (s *Scripted) check(invalid func(key, value string) *parley.Error) error {
	for name := range s.Env {
		if !variableForm.MatchString(name) {
			return invalid("scripted.env", name).Suggest("Name a variable with letters, digits and _.")
		}
	}
	for name := range s.Files {
		if !filepath.IsLocal(name) {
			return invalid("scripted.files", name).Suggest("Give a path in the home directory, without .. in it.")
		}
	}
	for name, key := range map[string]string{"scripted.refuse": s.Refuse, "scripted.first": s.First} {
		if key != "" && !answerForm.MatchString(key) {
			return invalid(name, key).Suggest("Give one key, such as Escape, Enter, C-c or n.")
		}
	}
	_, err := s.On(Scene{URL: "url", Dir: "dir", File: "file"})
	return err
}
