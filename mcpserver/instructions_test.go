package mcpserver

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/program/typed"
)

func TestInstructionsNameTheCaller(t *testing.T) {
	everywhere(t, coder, func(t *testing.T, _ *fake, s *official.ClientSession) {
		got := s.InitializeResult()
		if got == nil {
			t.Fatal("the client got no greeting")
		}

		for _, want := range []string{
			"You are coder (agent 11111111)", "[AGENT xxxxxxxx", "send_message", "respond_to_message",
			parley.InteractionRules,
		} {
			if !strings.Contains(got.Instructions, want) {
				t.Errorf("the instructions do not say %q:\n%s", want, got.Instructions)
			}
		}

		if got.ServerInfo == nil || got.ServerInfo.Name != "parley" || got.ServerInfo.Version != "test" {
			t.Errorf("the server is %+v", got.ServerInfo)
		}
	})
}

// instructionsFor returns the instructions of a caller, without the tools of some toolsets.
func instructionsFor(c parley.Caller, without ...string) string {
	o := Options{}
	for name := range toolsets {
		if !strings.Contains(strings.Join(without, ","), name) {
			o.Toolsets = append(o.Toolsets, name)
		}
	}
	return o.instructions(parley.WithCaller(context.Background(), c))
}

func TestInstructionsFitTheRole(t *testing.T) {
	mailbox, terminal := coder, chief
	mailbox.Kind, terminal.Kind = parley.KindMailbox, parley.KindTerminal
	person := operator
	person.Kind = parley.KindHuman
	const polls, typed = "check_inbox with wait_seconds", "[AGENT xxxxxxxx"
	for what, c := range map[string]struct {
		text        string
		has, hasNot []string
	}{
		"a mailbox": {instructionsFor(mailbox), []string{"You are coder", polls, "respond_to_message",
			"response_deadline", "thread_id", "into a file"}, []string{typed, "GUARDIAN"}},
		"a terminal": {instructionsFor(terminal), []string{"You are chief", typed, "GUARDIAN", "do not poll",
			"respond_to_message", "ignore_message"}, []string{polls}},
		"an unknown kind": {instructionsFor(coder), []string{typed}, nil},
		"the operator":    {instructionsFor(person), []string{"You act for the operator", polls}, []string{typed}},
		"a bridge alone": {instructionsFor(parley.Caller{ID: "?", Operator: true, Remote: true}),
			[]string{"You are one of a team", typed}, nil},
		"nobody":          {instructionsFor(parley.Caller{}), []string{"register_agent"}, []string{"send_message"}},
		"without threads": {instructionsFor(mailbox, "threads"), []string{polls}, []string{"thread"}},
		"without a team": {instructionsFor(mailbox, "team", "files"), []string{polls},
			[]string{"get_agent_status", "broadcast_message", "transfer_file"}},
		"threads and no more": {instructionsFor(mailbox, "messages"), []string{"You are coder"}, []string{polls,
			"respond_to_message with"}},
	} {
		for _, want := range c.has {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s is not told %q:\n%s", what, want, c.text)
			}
		}

		for _, not := range c.hasNot {
			if strings.Contains(c.text, not) {
				t.Errorf("%s is told %q:\n%s", what, not, c.text)
			}
		}
	}
}

func TestInstructionsKnowEveryHeader(t *testing.T) {
	terminal := coder
	terminal.Kind = parley.KindTerminal
	shown := regexp.MustCompile(`\[[A-Z][^\]]*\]`).FindAllString(instructionsFor(terminal), -1)
	for _, header := range typed.Forms() {
		header = strings.ReplaceAll(header, "12345678", "xxxxxxxx")
		if !slices.ContainsFunc(shown, func(form string) bool {
			return strings.HasPrefix(header, strings.TrimSuffix(form, "...]"))
		}) {
			t.Errorf("the instructions show %q, but not how %s begins", shown, header)
		}
	}
}

func TestInstructionsAreShort(t *testing.T) {
	for _, kind := range []parley.AgentKind{"", parley.KindMailbox, parley.KindTerminal} {
		for _, c := range []parley.Caller{
			{}, {ID: coder.ID, Name: strings.Repeat("n", 32), Kind: kind, Orchestrate: true, Seal: "k7f3qa"}, operator,
		} {
			text := instructionsFor(c)
			if n := utf8.RuneCountInString(text); n == 0 || n >= 1800 {
				t.Errorf("the instructions of a %q have %d characters:\n%s", kind, n, text)
			}
		}
	}
}
