package profile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/transcript"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

var (
	nameForm = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)
	// keyForm matches the keys that submit in the measured programs. In one of them Tab
	// queues where Enter interrupts.
	keyForm = regexp.MustCompile(`^(?:Enter|Tab)$`)
)

// maxWait bounds the times in a profile. A longer one has the wrong unit.
const maxWait = 10 * time.Minute

// decode reads a profile over the one that base returns for its `extends`.
func decode(name string, text []byte, base func(extends string) (*Profile, error)) (*Profile, error) {
	body, err := parse(text)
	if err != nil {
		return nil, notYAML("profile "+name, err)
	}

	var head struct{ Extends string }
	if body != nil {
		if err := yaml.NodeToValue(body, &head); err != nil {
			return nil, notYAML("profile "+name, err)
		}
	}

	from, err := base(head.Extends)
	if err != nil {
		return nil, err
	}

	p := from.clone()
	if body != nil {
		if err := decodeStrictly(name, body, p); err != nil {
			return nil, err
		}
	}

	p.Name, p.Extends = name, ""
	p.Handover.inherit(from.Handover)
	inherit(p.Scripted.Env, from.Scripted.Env)
	inherit(p.Scripted.Files, from.Scripted.Files)
	inherit(p.Door.Env, from.Door.Env)
	inherit(p.Markers.Blocked, from.Markers.Blocked)
	if p.Markers.Idle != "" { // its own markers tell more
		p.Markers.Questions, p.Markers.Dialogs = nil, nil
	}
	inherit(p.Markers.Questions, from.Markers.Questions)
	inherit(p.Markers.Dialogs, from.Markers.Dialogs)
	inherit(p.Reports, from.Reports)
	inherit(p.Titles, from.Titles)
	if len(p.Version) == 0 {
		p.Version = []string{"--version"}
	}

	if err := p.check(); err != nil {
		return nil, err
	}

	return p, p.compile()
}

// parse returns the first document of a text, or nil if that changes nothing: to decode a
// null would clear everything.
func parse(text []byte) (ast.Node, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil || len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, err
	}

	var value any
	if err := yaml.NodeToValue(file.Docs[0].Body, &value); err != nil || value == nil {
		return nil, err
	}
	return file.Docs[0].Body, nil
}

// decodeStrictly decodes a document into a profile, and fails on unknown keys.
func decodeStrictly(name string, body ast.Node, into *Profile) error {
	err := yaml.NodeToValue(body, into, yaml.Strict())
	if unknown, ok := errors.AsType[*yaml.UnknownFieldError](err); ok {
		return unknownKey(name, unknown)
	}
	if err != nil {
		return notYAML("profile "+name, err)
	}
	return nil
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

// keys lists the keys of a profile and of its sections.
func keys() []string {
	var names []string
	types := []reflect.Type{reflect.TypeFor[Profile](), reflect.TypeFor[Markers](), reflect.TypeFor[Handover](),
		reflect.TypeFor[Session](), reflect.TypeFor[Door](), reflect.TypeFor[Scripted](),
		reflect.TypeFor[transcript.Format](), reflect.TypeFor[transcript.Uses](), reflect.TypeFor[transcript.Edits](),
		reflect.TypeFor[transcript.Prompts](), reflect.TypeFor[transcript.Which]()}
	for _, t := range types {
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("yaml"); name != "" && name != "-" {
				names = append(names, name)
			}
		}
	}

	return names
}

// check returns an error for a value that no profile may have.
func (p *Profile) check() error {
	for _, f := range []struct {
		key string
		d   time.Duration
	}{
		{"settle", p.Settle}, {"show_within", p.ShowWithin}, {"taken_within", p.TakenWithin},
		{"refuses_within", p.RefusesWithin}, {"startup", p.Startup}, {"quiet", p.Quiet}, {"still", p.Still},
		{"stagger", p.Stagger},
	} {
		if f.d < 0 || f.d > maxWait {
			return p.invalid(f.key, f.d.String()).Suggest("Give a time from 0s to %s, such as 200ms.", maxWait)
		}
	}

	for _, f := range []struct {
		key string
		n   int
	}{{"inline_lines", p.InlineLines}, {"inline_chars", p.InlineChars}, {"inline_bytes", p.InlineBytes}} {
		if f.n < 0 {
			return p.invalid(f.key, fmt.Sprint(f.n)).Suggest("Give a number above 0, or 0 for no limit.")
		}
	}

	for _, cause := range p.Markers.Refusals {
		if _, ok := p.Markers.Blocked[cause]; !ok {
			return p.invalid("markers.refusals", cause).Suggest("List causes that markers.blocked has.")
		}
	}

	if !keyForm.MatchString(p.Key) {
		return p.invalid("key", p.Key).Suggest("Give Enter or Tab.")
	}

	if p.QueueKey != "" && !keyForm.MatchString(p.QueueKey) {
		return p.invalid("queue_key", p.QueueKey).
			Suggest("Give Enter or Tab, or leave it out where the program's queue is not proven.")
	}

	if len(p.Command) > 0 && p.Command[0] == "" {
		return p.invalid("command", "").Suggest("Begin the list with the program to run.")
	}

	for _, version := range p.Tested {
		if versionForm.FindString(version) != version {
			return p.invalid("tested", version).Suggest("List versions, such as 2.1.329.")
		}
	}

	return cmp.Or(p.checkHandover(), p.Scripted.check(p.invalid), p.Door.check(p.Name))
}

// YAML returns the profile as parley.yaml could hold it, without empty keys.
func (p *Profile) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(p, yaml.OmitEmpty(), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return nil, fmt.Errorf("write profile %s: %w", p.Name, err)
	}
	return text, nil
}

// compile checks and compiles the patterns.
func (p *Profile) compile() error {
	if err := cmp.Or(compileReports(p), compileSession(p)); err != nil {
		return err
	}
	if err := p.Transcript.Compile(); err != nil {
		return parley.Errorf(parley.InvalidArgument, "profile %s: transcript: %w", p.Name, err).
			Suggest("Correct the section, or leave it out: then parley reads no transcript.")
	}

	for _, m := range []struct {
		key          string
		texts        map[string]string
		before, then string
		into         *map[string]*regexp.Regexp
	}{
		{"blocked", p.Markers.Blocked, "", "", &p.patterns.blocked},
		{"questions", p.Markers.Questions, "(?i:", questionEnd, &p.patterns.questions},
		{"dialogs", p.Markers.Dialogs, "(?i:", ")", &p.patterns.dialogs},
	} {
		*m.into = make(map[string]*regexp.Regexp, len(m.texts))
		for name, text := range m.texts {
			re, err := p.compilePattern("markers."+m.key+"."+name, m.before+text+m.then)
			if err != nil {
				return err
			}
			(*m.into)[name] = re
		}
	}

	for _, m := range []struct {
		key, text string
		into      **regexp.Regexp
	}{
		{"dialog", p.Markers.Dialog, &p.patterns.dialog}, {"busy", p.Markers.Busy, &p.patterns.busy},
		{"idle", p.Markers.Idle, &p.patterns.idle}, {"composer", p.Markers.Composer, &p.patterns.composer},
		{"empty", p.Markers.Empty, &p.patterns.empty}, {"paste", p.Markers.Paste, &p.patterns.paste},
		{"dialog_above", p.Markers.DialogAbove, &p.patterns.dialogAbove},
		{"text_option", p.Markers.TextOption, &p.patterns.textOption},
		{"footer", p.Markers.Footer, &p.patterns.footer},
		{"buttons", p.Markers.Buttons, &p.patterns.buttons}, {"resets", p.Markers.Resets, &p.patterns.resets},
		{"answer", p.Markers.Answer, &p.patterns.answer},
	} {
		if m.text == "" {
			continue
		}

		re, err := p.compilePattern("markers."+m.key, m.text)
		if err != nil {
			return err
		}

		*m.into = re
	}

	if p.Garbles != "" {
		re, err := p.compilePattern("garbles", p.Garbles)
		if err != nil {
			return err
		}
		p.patterns.garbles = re
	}

	p.patterns.prepare()

	return p.checkGroups()
}

// prepare notes what the markers of a screen's state need.
func (p *patterns) prepare() {
	p.causes = slices.Sorted(maps.Keys(p.blocked))
	p.needs = map[*regexp.Regexp][]string{}
	for _, re := range slices.Concat(slices.Collect(maps.Values(p.blocked)),
		[]*regexp.Regexp{p.dialog, p.busy, p.idle}) {
		if re != nil {
			p.needs[re] = needed(re)
		}
	}
}

// checkGroups returns an error unless the patterns that need a group named text have it.
func (p *Profile) checkGroups() error {
	for _, m := range []struct {
		key, text, holds string
		re               *regexp.Regexp
	}{
		{"markers.composer", p.Markers.Composer, "composed text", p.patterns.composer},
		{"markers.buttons", p.Markers.Buttons, "labels", p.patterns.buttons},
		{"markers.resets", p.Markers.Resets, "words", p.patterns.resets},
	} {
		if m.re != nil && textGroup(m.re) < 0 {
			return p.invalid(m.key, m.text).Suggest("Put the %s into a group named text: (?P<text>…).", m.holds)
		}
	}
	return nil
}

func (p *Profile) compilePattern(key, text string) (*regexp.Regexp, error) {
	re, err := regexp.Compile("(?m)" + text)
	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "profile %s: %s: %w", p.Name, key, err).
			Suggest("Correct the regular expression; RE2 has no look-around and no back-references.")
	}
	return re, nil
}

// invalid returns the error for a key's value.
func (p *Profile) invalid(key, value string) *parley.Error { return invalid(p.Name, key, value) }

func invalid(profile, key, value string) *parley.Error {
	return parley.Errorf(parley.InvalidArgument, "profile %s: %s is %q", profile, key, parley.CleanLine(value)).
		With("key", key)
}
