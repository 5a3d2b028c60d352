package agents

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/internal/testhome"
	"parley/program/profile"
)

// realProgram is a real agent program, and how it is made to talk to the scripted model. In its texts {URL} stands
// for the model's address, {WORKSPACE} for the workspace and FILE for a file.
type realProgram struct {
	profile string
	tool    string // its name for send_message; "" if it takes no tools for one run

	// lacks says what the program does not have, so that scenes cannot be played with it, and why.
	lacks map[need]string

	// asks is a part of the question that it asks at its first start, and fresh the template
	// of the configuration with which it asks that.
	asks, fresh string

	// distrusts is what to replace in its configuration, and by what, so that it asks whether it may
	// trust the directory; trusts is a part of the option that says so.
	distrusts [2]string
	trusts    string

	// denies is the option that refuses its question; "": the last one.
	denies string

	// ownState says that it reads no configuration below a directory that others can
	// write, as /tmp is.
	ownState bool

	// recalls says that a prompt whose tool was refused, or which failed, goes along with the next one.
	recalls bool

	// repeats says that it tries a prompt again by itself that came through its door and failed: its model then has
	// it several times.
	repeats bool

	// restarts says that it begins its request again for an urgent message: its model then has the earlier prompt twice.
	restarts bool

	// goesOn is the key with which a person ends what it asks by itself: of a refused prompt that went along, or after
	// several refusals; "": it asks nothing.
	goesOn string

	// What its profile says (scripted), see withModel.
	files map[string]string // of its configuration, by their paths in the home directory
	env   []string          // added to the environment
	args  []string          // added to its command line
	first string            // the key that answers what it asks at its first start; "": it asks nothing
	ask   string            // a prompt that makes it ask for permission to make FILE; "" if it does not ask
	stop  string            // the key with which a person refuses its question and ends its work; "": Escape
	fails []int             // HTTP statuses of the model after which it does not try again
}

var realPrograms = []realProgram{
	{
		profile: "claude",
		tool:    "mcp__parley__send_message",
		asks:    "Yes, I trust this folder",
		fresh:   "claude-fresh.json",

		distrusts: [2]string{`"hasTrustDialogAccepted": true`, `"hasTrustDialogAccepted": false`},
		trusts:    "Yes",
		lacks:     map[need]string{fork: noFork},
	},
	{
		profile: "codex", restarts: true, tool: "mcp__parley__send_message", asks: "Sign in with ChatGPT",
		lacks: map[need]string{trust: "it asks that in its Agent Command Center alone"},
	},
	{
		profile: "copilot",
		tool:    "parley-send_message",
		asks:    "Confirm folder trust",

		distrusts: [2]string{`"{WORKSPACE}"`, `"/elsewhere"`},
		trusts:    "Yes",
		lacks:     map[need]string{fork: noFork},
	},
	{
		profile: "opencode", tool: "parley_send_message",
		lacks: map[need]string{firstQuestion: nothingAsked, trust: nothingAsked},
	},
	{
		profile: "gemini", ownState: true, recalls: true, goesOn: "Escape",
		tool: "mcp_parley_send_message",
		asks: "Do you trust the files in this folder?",

		distrusts: [2]string{`"folderTrust": {"enabled": false}`, `"folderTrust": {"enabled": true}`},
		trusts:    "Trust folder",
		lacks:     map[need]string{fork: noFork},
	},
	{
		profile: "qwen", repeats: true, tool: "mcp__parley__send_message", asks: "Connect a Provider",
		lacks: map[need]string{trust: nothingAsked, fork: noFork},
	},
	{
		profile: "pi", tool: "mcp__parley__send_message",
		lacks: map[need]string{
			question: "it asks before nothing that it does", firstQuestion: nothingAsked, trust: nothingAsked, fork: noFork,
			edits: onlyTried,
		},
	},
	{
		profile: "kilo", tool: "parley_send_message",
		lacks: map[need]string{
			question: "it does not always ask where it should", firstQuestion: nothingAsked, trust: nothingAsked, fork: noFork,
		},
	},
	{
		profile: "grok", tool: "use_tool",
		lacks: map[need]string{
			firstQuestion: "it shows no question, but that it is signed out", trust: nothingAsked, fork: noFork,
			tokens: "parley does not read its transcripts", edits: "parley does not read its transcripts",
		},
	},
	{
		profile: "omp", tool: "mcp__parley_parley_send_message", asks: "Setup step 1",
		lacks: map[need]string{trust: nothingAsked, fork: noFork, edits: onlyTried},
	},
	{
		profile: "kimi", recalls: true, asks: "Trust this folder?", trusts: "Trust this folder", denies: "Reject",
		lacks: map[need]string{
			briefing: ownFiles, tools: ownFiles, conversation: silent, fork: silent, tokens: silent, edits: silent,
		},
	},
	{
		profile: "cline", goesOn: "Enter", asks: "Welcome to Cline",
		lacks: map[need]string{
			briefing:     "a system prompt of one run replaces its own",
			tools:        "where it asks at all, it asks before each tool of an MCP server",
			conversation: silent, fork: silent, tokens: silent, edits: silent, trust: nothingAsked,
		},
	},
}

// Why some scenes cannot be played.
const (
	nothingAsked = "it does not ask that"
	ownFiles     = "it takes that from its user's own files alone"
	silent       = "nothing says which conversation is its own"
	onlyTried    = "its transcript says what it was to write, not whether it did"
	noFork       = "no command of its for that is known"
)

// withModel returns the program with what its profile says of scripted models.
func (p realProgram) withModel(t *testing.T) realProgram {
	t.Helper()
	of := must.Have(must.Have(profile.Builtin())(t).Find(p.profile))(t)
	s := must.Have(of.Scripted.On(profile.Scene{URL: "{URL}", Dir: "{WORKSPACE}", File: "FILE"}))(t)
	p.files, p.args, p.first, p.ask, p.stop, p.fails = s.Files, s.Args, s.First, s.Ask, s.Refuse, s.Fails
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		p.env = append(p.env, name+"="+s.Env[name])
	}
	return p
}

// calling makes the program call a tool of parley's, with arguments.
func (s *onStage) calling(tool, with string) string {
	if s.program.tool == "use_tool" { // that calls those of MCP servers
		return fmt.Sprintf(`CALL use_tool {"tool_name":"parley__%s","tool_input":%s}`, tool, with)
	}
	return "CALL " + tool + " " + with
}

// asking makes the program ask whether it may make a file. As with other models that takes a moment: what hides the
// screen in the same instant as the prompt is taken leaves open whether it was.
func (s *onStage) asking(file string) string {
	return "SLEEP 1 and " + strings.ReplaceAll(s.program.ask, "FILE", file)
}

// refuse presses the key with which a person refuses its question, or ends its work.
func (s *onStage) refuse() {
	s.Helper()
	s.press(cmp.Or(s.program.stop, "Escape"))
}

// forget makes the program one that has never run: the user has been asked nothing yet, and
// has no key but Claude Code's, which does not start without one.
func (p realProgram) forget(t *testing.T, h *testhome.Home, url string) {
	t.Helper()
	if p.fresh == "" {
		return
	}
	text := string(must.Have(os.ReadFile(filepath.Join("testdata", p.fresh)))(t))
	for name := range p.files {
		p.files = map[string]string{name: text}
	}
	p.prepare(t, h, url)
}

// prepare writes the user's configuration of the program, with something in it replaced, and adds to the
// environment.
func (p realProgram) prepare(t *testing.T, h *testhome.Home, url string, replace ...string) {
	t.Helper()
	temporary := filepath.Join(h.Dir, "tmp")
	must.Do(t, os.MkdirAll(temporary, 0o700))
	h.Env = append(h.Env, "TMPDIR="+temporary)

	fill := strings.NewReplacer("{URL}", url, "{WORKSPACE}", workdir(h))
	for name, text := range p.files {
		configure(t, h, name, fill.Replace(strings.NewReplacer(replace...).Replace(text)))
	}
	for _, entry := range p.env {
		name, value, _ := strings.Cut(entry, "=")
		h.Env = append(h.Env, name+"="+fill.Replace(value))
	}

	if p.ownState {
		h.Env = append(h.Env, "XDG_STATE_HOME="+ownState(t, h))
	}
}

// ownState makes a state directory that lies below none that others can write to.
func ownState(t *testing.T, h *testhome.Home) string {
	t.Helper()
	cache := must.Have(os.UserCacheDir())(t)
	must.Do(t, os.MkdirAll(cache, 0o700)) // a new user has none
	for dir := cache; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if must.Have(os.Stat(dir))(t).Mode().Perm()&0o002 != 0 {
			t.Fatalf("others can write to %s, so the program would ignore parley's files in %s. Set HOME to another directory.", dir, cache)
		}
	}

	state := must.Have(os.MkdirTemp(cache, "parley-test-"))(t)

	t.Cleanup(func() {
		h.Command("down").Run() // a daemon that still runs would make it again
		os.RemoveAll(state)
	})

	return state
}
