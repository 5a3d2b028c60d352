package profile_test

import (
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
)

// Every user of the machine can read the arguments of a program.
func TestDoorsKeepTheSecretOutOfArguments(t *testing.T) {
	s := must.Have(builtin(t).With("robot", []byte(
		`{door: {kind: opencode, args: ['a{{.Secret}}{{.Seal}}', '{{.Port}}'], env: {ROBOT: '{{.Secret}} {{json `+
			`.Name}}'}}}`)))(t)
	v := values
	v.Secret, v.Port, v.Seal = "hush", 4711, "k7f3qa"

	for _, name := range s.Names() {
		args, _, err := find(t, s, name).Door.Render(v)
		if all := strings.Join(args, " "); err != nil || strings.Contains(all, v.Secret) ||
			strings.Contains(all, v.Seal) {
			t.Errorf("%s: the arguments are %q (%v), want no secret in them", name, args, err)
		}
	}

	args, env, err := find(t, s, "robot").Door.Render(v)
	if err != nil || !slices.Equal(args, []string{"a", "4711"}) || env["ROBOT"] != `hush "ann"` {
		t.Errorf("got %q, %q, %v", args, env, err)
	}
}

// What the user settles himself wins, in a command or in its environment.
func TestDoorsLeaveAUsersOwnDoorAlone(t *testing.T) {
	opencode := find(t, builtin(t), "opencode").Door
	for _, tt := range []struct {
		command, env []string
		want         bool
	}{
		{[]string{"opencode"}, []string{"PATH=/bin"}, true},
		{[]string{"opencode", "--ports"}, []string{"X=--port"}, true},
		{[]string{"opencode", "--port", "4096"}, nil, false},
		{[]string{"opencode", "--port=4096"}, nil, false},
		{[]string{"opencode"}, []string{"OPENCODE_SERVER_PASSWORD=mine"}, false},
		{[]string{"opencode"}, []string{"OPENCODE_SERVER_PASSWORD="}, false},
		{[]string{"opencode"}, []string{"OPENCODE_SERVER_USERNAME=me"}, false},
		// of the agent that launches it
		{[]string{"opencode"}, []string{"OPENCODE_SERVER_PASSWORD=" + profile.NewSecret()}, true},
	} {
		if got := opencode.Opens(tt.command, tt.env); got != tt.want {
			t.Errorf("%q %q: got %v, want %v", tt.command, tt.env, got, tt.want)
		}
	}

	if (profile.Door{}).Opens([]string{"any"}, nil) {
		t.Error("a program without a door opens one")
	}
}

// What a program would change on its way in is known, so that it can be typed instead.
func TestDoorsKnowWhatTheirProgramsChange(t *testing.T) {
	s := must.Have(builtin(t).With("robot", []byte("extends: qwen\ndoor: {alters: '&|<'}")))(t)
	for _, tt := range []struct {
		program, text string
		want          bool
	}{
		{"qwen", "if a < b", true},
		{"qwen", "plain > text & more", false},
		{"claude", "see </cross-session-message>", true},
		{"claude", "see <\u200b / teammate-message>", true},
		{"claude", "see ＜channel source=1>", true},
		{"claude", "a <= 1 && b > 2, <- and <3", false},
		{"opencode", "see </message>", false},
		{"robot", "this & that", true},
	} {
		if got := find(t, s, tt.program).IsAltered(tt.text); got != tt.want {
			t.Errorf("%s, %q: got %v, want %v", tt.program, tt.text, got, tt.want)
		}
		if got := must.Have(s.Careful(tt.program))(t).IsAltered(tt.text); got != tt.want {
			t.Errorf("%s, typed to with care, %q: got %v, want %v", tt.program, tt.text, got, tt.want)
		}
	}
}

func TestChangingADoorLeavesTheOriginalAlone(t *testing.T) {
	before := builtin(t)
	after := must.Have(before.With("opencode", []byte("door: {env: {MORE: x}, versions: [9.9]}")))(t)

	was, is := find(t, before, "opencode").Door, find(t, after, "opencode").Door
	if is.Kind != "opencode" || len(is.Env) != len(was.Env)+1 || !slices.Equal(is.Versions, []string{"9.9"}) {
		t.Errorf("got %+v, want it to add to %+v", is, was)
	}
	if _, changed := was.Env["MORE"]; changed {
		t.Error("the original has changed")
	}
}

func TestFaultyDoorIsRefusedWithAHint(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"{kinds: qwen}", `Did you mean "kind"?`},
		{"{kind: telex}", "Give one of"},
		{"{args: ['{{.Prot}}']}", "The placeholders are"},
		{"{env: {X: '{{.Secret'}}", "The placeholders are"},
		{"{env: {PARLEY_KEY: y}}", "parley's own"},
		{"{env: {'A B': y}}", "Name a variable"},
		{"{args: [\"a\\0b\"]}", "Leave it out"},
		{"{versions: [newest]}", "List versions"},
		{"{alters: '(<'}", "Correct the regular expression"},
	} {
		_, err := builtin(t).With("robot", []byte("door: "+tt.yaml))
		if e := parley.AsError(err); err == nil || e.Code != parley.InvalidArgument ||
			!strings.Contains(e.Action, tt.want) {
			t.Errorf("%s: got %v, want %q", tt.yaml, err, tt.want)
		}
	}
}
