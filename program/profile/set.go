package profile

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

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

// Launchable returns the profiles that name a program, those that were tried first.
func (s Set) Launchable() []*Profile {
	var all []*Profile
	for _, name := range s.Names() {
		if p := s.byName[name]; len(p.Command) > 0 {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b *Profile) int { return min(1, len(b.Tested)) - min(1, len(a.Tested)) })
	return all
}

// Learned are the keys of a profile that parley learned by itself, in their order in its file.
type Learned struct {
	Extends     string        `yaml:"extends"`
	Summary     string        `yaml:"summary"`
	Command     []string      `yaml:"command"`
	Programs    []string      `yaml:"programs,omitempty"`
	Tested      []string      `yaml:"tested,omitempty"`
	OneLine     bool          `yaml:"one_line"`
	InlineLines int           `yaml:"inline_lines"`
	InlineChars int           `yaml:"inline_chars"`
	Key         string        `yaml:"key"`
	ShowWithin  time.Duration `yaml:"show_within"`
	Still       time.Duration `yaml:"still"`
	Markers     struct {
		Idle     string `yaml:"idle"`
		Composer string `yaml:"composer"`
		Cursor   bool   `yaml:"cursor,omitempty"`
		Empty    string `yaml:"empty,omitempty"`
		Paste    string `yaml:"paste"`
	} `yaml:"markers"`
}

// Profile returns the profile with these keys.
func (l *Learned) Profile(name string) (*Profile, error) {
	set, err := Builtin()
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("write profile %s: %w", name, err)
	}
	if set, err = set.With(name, text); err != nil {
		return nil, err
	}
	return set.Find(name)
}

// YAML returns the profile in the form of a parley.yaml, which begins with what is not known of the program.
func (l *Learned) YAML(name, size string, unknown []string) ([]byte, error) {
	body, err := yaml.Marshal(map[string]map[string]*Learned{"profiles": {name: l}})
	if err != nil {
		return nil, fmt.Errorf("write profile %s: %w", name, err)
	}

	var b strings.Builder
	fmt.Fprintf(&b, "# Learned by parley profiles learn, in a terminal of %s. It is not known:\n", size)
	for _, words := range unknown {
		b.WriteString("# - " + words + "\n")
	}
	return append([]byte(b.String()), body...), nil
}

// Careful returns a profile with all that Default says of how a program is typed to and its screen read. It is for a
// version of the program that the profile misreads. How it is launched, continued and read otherwise stays.
func (s Set) Careful(name string) (*Profile, error) {
	p, err := s.Find(name)
	if err != nil {
		return nil, err
	}
	other, err := s.Find(Default)
	if err != nil {
		return nil, err
	}

	c := p.clone()
	c.OneLine, c.InlineLines = other.OneLine, other.InlineLines
	c.InlineChars, c.InlineBytes = other.InlineChars, other.InlineBytes
	c.Key, c.QueueKey, c.FirstShown = other.Key, other.QueueKey, other.FirstShown
	c.Settle, c.ShowWithin = other.Settle, other.ShowWithin
	c.TakenWithin, c.RefusesWithin = other.TakenWithin, other.RefusesWithin
	c.Startup, c.Quiet, c.Still = max(other.Startup, p.Startup), max(other.Quiet, p.Quiet), other.Still

	c.Markers = other.Markers
	for _, m := range []*map[string]string{&c.Markers.Blocked, &c.Markers.Questions, &c.Markers.Dialogs} {
		*m = maps.Clone(*m)
	}
	c.patterns = other.patterns
	c.patterns.garbles, c.patterns.alters, c.patterns.titles = p.patterns.garbles, p.patterns.alters, p.patterns.titles
	c.patterns.session, c.patterns.transcript = p.patterns.session, p.patterns.transcript
	return c, nil
}
