package profile

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/plain"
	"parley/program/transcript"
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

// Load returns the built-in profiles with one's own: each is a name and the text for With. One that another extends
// is added first. What is wrong with a profile is returned by its name, and that one is left out.
func Load[T ~[]byte | ~string](own map[string]T) (Set, map[string]error) {
	l := loading[T]{own: own, wrong: map[string]error{}, begun: map[string]bool{}}
	var err error
	l.set, err = Builtin()
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if err != nil {
			l.wrong[name] = err
			continue
		}
		l.add(name)
	}
	return l.set, l.wrong
}

// loading is the state of Load.
type loading[T ~[]byte | ~string] struct {
	set   Set
	own   map[string]T
	wrong map[string]error
	begun map[string]bool
}

// add adds a profile once, and first the one that it extends.
func (l *loading[T]) add(name string) {
	if l.begun[name] {
		return
	}
	l.begun[name] = true

	from := extended([]byte(l.own[name]))
	if _, ok := l.own[from]; ok && from != name {
		l.add(from)
		if _, here := l.set.byName[from]; !here {
			l.wrong[name] = invalid(name, "extends", from).Suggest("Correct the profile %s first.", from)
			return
		}
	}

	set, err := l.set.With(name, []byte(l.own[name]))
	switch {
	case err != nil:
		l.wrong[name] = err
	case set.byName[name].Instant():
		l.wrong[name] = parley.Errorf(parley.InvalidArgument, "profile %s would type without looking", name).
			Suggest("Give it a settle or quiet above 0s, such as 200ms, or an idle marker.")
	default:
		l.set = set
	}
}

// With returns the set with one profile changed or added. The text is YAML with the keys
// that differ from the profile that the key `extends` names, else from the one with the
// same name, else from generic. With fails with INVALID_ARGUMENT if the text is wrong.
func (s Set) With(name string, text []byte) (Set, error) {
	if !nameForm.MatchString(name) {
		return Set{}, parley.Errorf(parley.InvalidArgument, "%q is not a name for a profile", plain.CleanLine(name)).
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
	err := parley.Errorf(parley.InvalidArgument, "there is no profile %q", plain.CleanLine(name)).
		With("profile", plain.CleanLine(name)).With("profiles", names)
	list := strings.Join(names, ", ")
	if near := plain.Nearest(name, names); near != "" {
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
