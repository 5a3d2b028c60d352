package profile_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
	"parley/program/typed"
)

const robot = `
command: [robot]
handover:
  args: [--config, '{{.File "conf.json"}}', '--say={{json .Briefing}}']
  env: {ROBOT_HOME: '{{.Dir}}'}
  unset: [ROBOT_SESSION]
  briefing: 'You are "{{.Name}}" <{{.ShortID}}>'
  files:
    conf.json: |
      {"command": {{json .Parley}}}
`

var values = profile.Values{Name: "ann", ID: "0123456789ab", Parley: `/opt/a "b"/parley`, Dir: "/private"}

func TestHandoverIsFilledInForTheAgent(t *testing.T) {
	s := must.Have(builtin(t).With("robot", []byte(robot)))(t)

	got := must.Have(find(t, s, "robot").Handover.Render(values))(t)

	want := profile.Handover{
		Args:     []string{"--config", "/private/conf.json", `--say="You are \"ann\" <01234567>"`},
		Env:      map[string]string{"ROBOT_HOME": "/private"},
		Unset:    []string{"ROBOT_SESSION"},
		Files:    map[string]string{"conf.json": `{"command": "/opt/a \"b\"/parley"}` + "\n"},
		Briefing: `You are "ann" <01234567>`,
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBriefingNamesTheAgentAndItsTools(t *testing.T) {
	got := must.Have(profile.Handover{}.Render(values))(t)
	for _, want := range []string{
		"You are ann (agent 01234567)", `"[AGENT "`, "send_message", "respond_to_message", "ignore_message",
		"GUARDIAN GUIDANCE", "a sentence or two", "by @name", "do not answer",
	} {
		if !strings.Contains(got.Briefing, want) {
			t.Errorf("the briefing is %q, want %q in it", got.Briefing, want)
		}
	}
	if n := len(got.Briefing); n > 1300 {
		t.Errorf("the briefing has %d characters, and every agent reads it", n)
	}
}

// Every user of the machine can read the arguments of a program.
func TestHandoversKeepTheSealOutOfArguments(t *testing.T) {
	s := must.Have(builtin(t).
		With("robot", []byte(`{handover: {args: ['{{.Briefing}}{{.Seal}}'], briefing: 'seal {{.Seal}}'}}`)))(t)

	named := 0
	for _, name := range s.Names() {
		sealed := values
		sealed.Seal = "k7f3qa"
		h := must.Have(find(t, s, name).Handover.Render(sealed))(t)
		if strings.Contains(strings.Join(h.Args, " "), sealed.Seal) {
			t.Errorf("%s: the arguments have the seal: %q", name, h.Args)
		}
		if !strings.Contains(h.Briefing, sealed.Seal) {
			t.Errorf("%s: the briefing is %q, want the seal in it", name, h.Briefing)
		}
		if strings.Contains(strings.Join(slices.Collect(maps.Values(h.Files)), " "), sealed.Seal) {
			named++
		}
	}
	if named < 4 {
		t.Errorf("the files of %d profiles name the seal", named)
	}
}

func TestBuiltinHandoversAreValidJSON(t *testing.T) {
	s := builtin(t)
	for _, name := range s.Names() {
		h, err := find(t, s, name).Handover.Render(values)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		for file, text := range h.Files {
			if strings.HasSuffix(file, ".json") && !json.Valid([]byte(text)) {
				t.Errorf("%s: %s is not JSON: %s", name, file, text)
			}
		}

		for variable, text := range h.Env {
			if strings.HasPrefix(text, "{") && !json.Valid([]byte(text)) {
				t.Errorf("%s: %s is not JSON: %s", name, variable, text)
			}
		}
	}
}

func TestChangingAHandoverLeavesTheOriginalAlone(t *testing.T) {
	before := must.Have(builtin(t).With("robot", []byte(robot)))(t)

	after := must.Have(before.With("robot",
		[]byte("handover: {env: {ROBOT_HOME: '/elsewhere'}, files: {more.txt: x}}")))(t)

	was, is := find(t, before, "robot").Handover, find(t, after, "robot").Handover
	if is.Env["ROBOT_HOME"] != "/elsewhere" || len(is.Args) != len(was.Args) || len(is.Files) != 2 {
		t.Errorf("got %+v", is)
	}
	if was.Env["ROBOT_HOME"] != "{{.Dir}}" || len(was.Files) != 1 {
		t.Errorf("the original has changed: %+v", was)
	}
}

func TestFaultyHandoverIsRefusedWithAHint(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{"{arg: [x]}", `Did you mean "args"?`},
		{"{args: ['{{.Nmae}}']}", "The placeholders are"},
		{"{args: ['{{.Name']}", "The placeholders are"},
		{"{briefing: '{{.Key}}'}", "The placeholders are"},
		{"{args: ['{{.File \"a.json\"}}']}", "handover.files"},
		{"{files: {'../x': y}}", "plain file name"},
		{"{files: {'.x': y}}", "plain file name"},
		{"{files: {'a/../../x': y}}", "plain file name"},
		{"{files: {'/x': y}}", "plain file name"},
		{"{env: {'A B': y}}", "Name a variable"},
		{"{env: {PARLEY_KEY: y}}", "parley's own"},
		{"{unset: ['']}", "Name a variable"},
		{"{args: [\"a\\0b\"]}", "Leave it out"},
	} {
		_, err := builtin(t).With("x", []byte("handover: "+test.yaml))
		if got, want := parley.ErrorCode(err), parley.InvalidArgument; got != want {
			t.Errorf("%s: got %v (%v), want %v", test.yaml, got, err, want)
			continue
		}

		if got := parley.AsError(err).Action; !strings.Contains(got, test.want) {
			t.Errorf("%s: %v: got the hint %q, want one with %q", test.yaml, err, got, test.want)
		}
	}
}

// The output of `parley profiles NAME` can be put into parley.yaml.
func TestProfileCanBeReadBackFromItsYAML(t *testing.T) {
	s := builtin(t)
	for _, name := range s.Names() {
		p := find(t, s, name)
		text := must.Have(p.YAML())(t)

		again, err := s.With("copy", text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}

		q := find(t, again, "copy")
		if !cmp.Equal(p.Markers, q.Markers) || !cmp.Equal(p.Handover, q.Handover, cmpopts.EquateEmpty()) ||
			p.Settle != q.Settle ||
			!cmp.Equal(p.Command, q.Command, cmpopts.EquateEmpty()) {
			t.Errorf("%s comes back different (-want +got):\n%s%s", name,
				cmp.Diff(p.Markers, q.Markers)+cmp.Diff(p.Handover, q.Handover), text)
		}
	}
}

// The briefing names the beginnings of the headers that agents will see.
func TestBriefingNamesTheHeaders(t *testing.T) {
	set := must.Have(profile.Builtin())(t)
	p := must.Have(set.Find("claude"))(t)
	done := must.Have(p.Handover.Render(profile.Values{Name: "coder", ID: "12345678-0000", Parley: "parley",
		Dir: t.TempDir()}))(t)

	for _, head := range typed.Forms() {
		named := slices.ContainsFunc([]string{"[AGENT ", "[GUARDIAN GUIDANCE", "[PARLEY]"}, func(begins string) bool {
			return strings.HasPrefix(head, begins) && strings.Contains(done.Briefing, begins)
		})
		if !named {
			t.Errorf("the briefing says nothing of %q", head)
		}
	}
}
