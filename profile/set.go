package profile

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/transcript"

	"github.com/goccy/go-yaml"
)

//go:embed profiles/*.yaml
var builtin embed.FS

// Default is the profile of a program that no other describes, and the one from which a
// workspace's own starts unless it extends another.
const Default = "generic"

// Set holds the profiles of a workspace. It does not change; With returns another.
type Set struct{ byName map[string]*Profile }

// Builtin returns the profiles that come with parley. Only the first call decodes them.
func Builtin() (Set, error) { return builtins() }

var builtins = sync.OnceValues(decodeBuiltins)

func decodeBuiltins() (Set, error) {
	s := Set{map[string]*Profile{}}
	files, err := builtin.ReadDir("profiles")
	if err != nil {
		return Set{}, fmt.Errorf("read the built-in profiles: %w", err)
	}

	names := []string{Default} // the only one that the others extend
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), path.Ext(f.Name())); name != Default {
			names = append(names, name)
		}
	}
	for _, name := range names {
		text, err := builtin.ReadFile("profiles/" + name + ".yaml")
		if err != nil {
			return Set{}, fmt.Errorf("read the built-in profiles: %w", err)
		}

		p, err := decode(name, text, func(extends string) (*Profile, error) {
			if extends == "" {
				return &Profile{}, nil
			}
			return s.Find(extends)
		})
		if err != nil {
			return Set{}, fmt.Errorf("built-in profile %s: %w", name, err)
		}

		s.put(p)
	}

	return s, nil
}

// put adds a profile. Where its markers know nothing of a screen, what nearly all programs share when they
// ask something counts, as it does for the default profile.
func (s *Set) put(p *Profile) {
	if common, ok := s.byName[Default]; ok && p.HasMarkers() {
		p.patterns.questions, p.patterns.dialogs = common.patterns.questions, common.patterns.dialogs
	}
	s.byName[p.Name] = p
}

// Load returns the built-in profiles changed by each text in turn: a YAML map from a
// profile's name to the text for With.
func Load(overrides ...[]byte) (Set, error) {
	s, err := Builtin()
	if err != nil {
		return Set{}, err
	}

	for _, text := range overrides {
		var profiles yaml.MapSlice
		if err := yaml.Unmarshal(text, &profiles); err != nil {
			return Set{}, notYAML("profiles", err)
		}

		var bodies map[string]yaml.RawMessage
		if err := yaml.Unmarshal(text, &bodies); err != nil {
			return Set{}, notYAML("profiles", err)
		}

		for _, item := range profiles {
			name := fmt.Sprint(item.Key)
			if s, err = s.With(name, bodies[name]); err != nil {
				return Set{}, err
			}
		}
	}

	return s, nil
}

// With returns the set with one profile changed or added. The text is YAML with the keys
// that differ from the profile that the key `extends` names, else from the one with the
// same name, else from generic. With fails with INVALID_ARGUMENT if the text is wrong.
func (s Set) With(name string, text []byte) (Set, error) {
	if !nameForm.MatchString(name) {
		return Set{}, parley.Errorf(parley.InvalidArgument, "%q is not a name for a profile", parley.CleanLine(name)).
			Suggest("Use a lower-case letter, then lower-case letters, digits, - or _, at most 32.")
	}

	p, err := decode(name, text, func(extends string) (*Profile, error) {
		if extends != "" {
			return s.Find(extends)
		}
		if own, ok := s.byName[name]; ok {
			return own, nil
		}

		return s.Find(Default)
	})
	if err != nil {
		return Set{}, err
	}

	with := Set{maps.Clone(s.byName)}
	if with.byName == nil {
		with.byName = map[string]*Profile{}
	}

	with.put(p)

	return with, nil
}

// Find returns a profile. If no profile has that name it fails with INVALID_ARGUMENT and
// lists the names.
func (s Set) Find(name string) (*Profile, error) {
	if p, ok := s.byName[name]; ok {
		return p, nil
	}
	names := s.Names()
	err := parley.Errorf(parley.InvalidArgument, "there is no profile %q", parley.CleanLine(name)).
		With("profile", parley.CleanLine(name)).With("profiles", names)
	list := strings.Join(names, ", ")
	if near := parley.Nearest(name, names); near != "" {
		return nil, err.Suggest("Did you mean %q? The profiles are: %s.", near, list)
	}
	return nil, err.Suggest("The profiles are: %s.", list)
}

// Transcript returns how transcripts of a name are read, nil if no profile tells.
func (s Set) Transcript(name string) *transcript.Format {
	for _, profile := range s.Names() {
		if f := &s.byName[profile].Transcript; name != "" && f.Name == name {
			return f
		}
	}
	return nil
}

// Names lists the profiles in order.
func (s Set) Names() []string { return slices.Sorted(maps.Keys(s.byName)) }

func notYAML(where string, err error) error {
	what := ""
	if e, ok := errors.AsType[yaml.Error](err); ok {
		what = fmt.Sprintf("line %d: %s", e.GetToken().Position.Line, e.GetMessage())
	} else {
		what = err.Error()
	}
	return parley.Errorf(parley.InvalidArgument, "%s: %s", where, what).
		Suggest("Correct the YAML there and try again.")
}
