package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley"

	"github.com/goccy/go-yaml"
)

var (
	nameForm = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)
	// keyForm is the keys that submit in the programs that were measured: Tab queues
	// in one of them where Enter interrupts.
	keyForm = regexp.MustCompile(`^(?:Enter|Tab)$`)
)

// longest is more than any patience in a profile can sensibly be; above it stands a
// mistaken unit.
const longest = 10 * time.Minute

// file is a profile as it is written.
type file struct {
	Extends     string        `yaml:"extends"`
	Summary     string        `yaml:"summary"`
	Command     []string      `yaml:"command"`
	Version     []string      `yaml:"version"`
	Tested      []string      `yaml:"tested"`
	OneLine     bool          `yaml:"one_line"`
	InlineLines int           `yaml:"inline_lines"`
	InlineChars int           `yaml:"inline_chars"`
	InlineBytes int           `yaml:"inline_bytes"`
	Recomposes  bool          `yaml:"recomposes"`
	Key         string        `yaml:"key"`
	QueueKey    string        `yaml:"queue_key"`
	Settle      time.Duration `yaml:"settle"`
	ShowWithin  time.Duration `yaml:"show_within"`
	TakenWithin time.Duration `yaml:"taken_within"`
	Startup     time.Duration `yaml:"startup"`
	Quiet       time.Duration `yaml:"quiet"`
	Stagger     time.Duration `yaml:"stagger"`
	Markers     Markers       `yaml:"markers"`
	Handover    Handover      `yaml:"handover"`

	Reports  map[string]string `yaml:"reports"`
	Titles   map[string]string `yaml:"titles"`
	Programs []string          `yaml:"programs"`
	AddMCP   []string          `yaml:"add_mcp"`
}

// decode reads a profile over the one that start returns for its `extends`.
func decode(name string, text []byte, start func(extends string) (*Profile, error)) (*Profile, error) {
	var f file
	if err := strictly(name, text, &f); err != nil {
		return nil, err
	}

	from, err := start(f.Extends)
	if err != nil {
		return nil, err
	}

	f = from.file()
	if err := strictly(name, text, &f); err != nil {
		return nil, err
	}

	f.Handover.inherit(from.Handover)
	inherit(f.Markers.Blocked, from.Markers.Blocked)
	inherit(f.Reports, from.Reports)
	inherit(f.Titles, from.Titles)

	return f.profile(name)
}

func strictly(name string, text []byte, into *file) error {
	var body any
	if err := yaml.Unmarshal(text, &body); err == nil && body == nil {
		return nil // nothing differs; decoding a null would empty everything
	}
	err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(into)
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	if unknown, ok := errors.AsType[*yaml.UnknownFieldError](err); ok {
		return unknownKey(name, unknown)
	}
	return notYAML("profile "+name, err)
}

func unknownKey(name string, unknown *yaml.UnknownFieldError) error {
	key, known := unknown.Token.Value, keys()
	err := parley.Errorf(parley.InvalidArgument, "profile %s has an unknown key %q in line %d",
		name, parley.CleanLine(key), unknown.Token.Position.Line).With("key", parley.CleanLine(key))
	list := strings.Join(known, ", ")
	if near := parley.Nearest(key, known); near != "" {
		return err.Suggest("Did you mean %q? The keys are: %s.", near, list)
	}
	return err.Suggest("The keys are: %s.", list)
}

// keys lists what may stand in a profile and in its parts.
func keys() []string {
	var names []string
	for _, t := range []reflect.Type{reflect.TypeFor[file](), reflect.TypeFor[Markers](), reflect.TypeFor[Handover]()} {
		for i := range t.NumField() {
			names = append(names, t.Field(i).Tag.Get("yaml"))
		}
	}
	return names
}

func (p *Profile) file() file {
	markers := p.Markers
	markers.Blocked = maps.Clone(markers.Blocked)
	return file{Summary: p.Summary, Command: slices.Clone(p.Command), OneLine: p.OneLine,
		Version: slices.Clone(p.Version), Tested: slices.Clone(p.Tested),
		InlineLines: p.InlineLines, InlineChars: p.InlineChars, InlineBytes: p.InlineBytes,
		Recomposes: p.Recomposes, Key: p.Key, QueueKey: p.QueueKey, Settle: p.Settle, ShowWithin: p.ShowWithin, TakenWithin: p.TakenWithin,
		Startup: p.Startup, Quiet: p.Quiet, Stagger: p.Stagger, Markers: markers, Handover: p.Handover.clone(),
		Reports: maps.Clone(p.Reports), Titles: maps.Clone(p.Titles),
		Programs: slices.Clone(p.Programs), AddMCP: slices.Clone(p.AddMCP)}
}

func (f *file) profile(name string) (*Profile, error) {
	p := &Profile{Name: name, Summary: f.Summary, Command: f.Command, OneLine: f.OneLine,
		Version: f.Version, Tested: f.Tested,
		InlineLines: f.InlineLines, InlineChars: f.InlineChars, InlineBytes: f.InlineBytes,
		Recomposes: f.Recomposes, Key: f.Key, QueueKey: f.QueueKey, Settle: f.Settle, ShowWithin: f.ShowWithin, TakenWithin: f.TakenWithin,
		Startup: f.Startup, Quiet: f.Quiet, Stagger: f.Stagger, Markers: f.Markers, Handover: f.Handover, Reports: f.Reports, Titles: f.Titles,
		Programs: f.Programs, AddMCP: f.AddMCP}
	if len(p.Version) == 0 {
		p.Version = []string{"--version"}
	}
	if err := p.check(); err != nil {
		return nil, err
	}

	return p, p.compile()
}

func (p *Profile) check() error {
	for _, f := range []struct {
		key string
		d   time.Duration
	}{{"settle", p.Settle}, {"show_within", p.ShowWithin}, {"taken_within", p.TakenWithin}, {"startup", p.Startup}, {"quiet", p.Quiet}, {"stagger", p.Stagger}} {
		if f.d < 0 || f.d > longest {
			return p.bad(f.key, f.d.String()).Suggest("Give a time from 0s to %s, such as 200ms.", longest)
		}
	}

	for _, f := range []struct {
		key string
		n   int
	}{{"inline_lines", p.InlineLines}, {"inline_chars", p.InlineChars}, {"inline_bytes", p.InlineBytes}} {
		if f.n < 0 {
			return p.bad(f.key, fmt.Sprint(f.n)).Suggest("Give a number above 0, or 0 for no limit.")
		}
	}

	if !keyForm.MatchString(p.Key) {
		return p.bad("key", p.Key).Suggest("Give Enter or Tab.")
	}

	if p.QueueKey != "" && !keyForm.MatchString(p.QueueKey) {
		return p.bad("queue_key", p.QueueKey).
			Suggest("Give Enter or Tab, or leave it out where the program's queue is not proven.")
	}

	if len(p.Command) > 0 && p.Command[0] == "" {
		return p.bad("command", "").Suggest("Begin the list with the program to run.")
	}

	for _, version := range p.Tested {
		if versionForm.FindString(version) != version {
			return p.bad("tested", version).Suggest("List versions, such as 2.1.329.")
		}
	}

	return p.checkHandover()
}

// YAML writes the profile as it could stand in parley.yaml, without what is empty.
func (p *Profile) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(p.file(), yaml.OmitEmpty(), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return nil, fmt.Errorf("write profile %s: %w", p.Name, err)
	}
	return text, nil
}

func (p *Profile) compile() error {
	if err := p.compileReports(); err != nil {
		return err
	}

	p.blocked = make(map[string]*regexp.Regexp, len(p.Markers.Blocked))
	for what, text := range p.Markers.Blocked {
		re, err := p.marker("blocked."+what, text)
		if err != nil {
			return err
		}
		p.blocked[what] = re
	}

	for _, m := range []struct {
		key, text string
		into      **regexp.Regexp
	}{
		{"dialog", p.Markers.Dialog, &p.dialog}, {"busy", p.Markers.Busy, &p.busy},
		{"idle", p.Markers.Idle, &p.idle}, {"composer", p.Markers.Composer, &p.composer},
		{"empty", p.Markers.Empty, &p.empty}, {"paste", p.Markers.Paste, &p.paste},
	} {
		if m.text == "" {
			continue
		}

		re, err := p.marker(m.key, m.text)
		if err != nil {
			return err
		}

		*m.into = re
	}

	if p.composer != nil && textGroup(p.composer) < 0 {
		return p.bad("markers.composer", p.Markers.Composer).
			Suggest("Put what is being composed into a group named text: (?P<text>…).")
	}

	return nil
}

func (p *Profile) marker(key, text string) (*regexp.Regexp, error) {
	return p.pattern("markers."+key, text)
}

func (p *Profile) pattern(key, text string) (*regexp.Regexp, error) {
	re, err := regexp.Compile("(?m)" + text)
	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "profile %s: %s: %w", p.Name, key, err).
			Suggest("Correct the regular expression; RE2 has no look-around and no back-references.")
	}
	return re, nil
}

func (p *Profile) bad(key, value string) *parley.Error {
	return parley.Errorf(parley.InvalidArgument, "profile %s: %s is %q", p.Name, key, parley.CleanLine(value)).
		With("key", key)
}
