package answer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/op"
	"parley/orchestrator/team"
	"parley/plain"
)

// newPrompt returns a question to a model, without the conversation.
func newPrompt(config *parley.Responder) parley.ModelQuestion {
	return parley.ModelQuestion{
		Model:       config.ModelID,
		BaseURL:     config.BaseURL,
		KeyEnv:      config.APIKeyEnv,
		Temperature: config.Temperature,
		MaxTokens:   config.MaxTokens,
		LimitField:  config.Additional.MaxTokensField,
		System:      config.SystemPrompt,
	}
}

// prompts say what a model is asked, and run what it calls.
type prompts struct{ opts *Options }

// prompt returns the question to a model about a message, with the tools that the
// responder's configuration grants.
func (p *prompts) prompt(ctx context.Context, q *question) (parley.ModelQuestion, error) {
	build := p.directPrompt
	if q.inThread() {
		build = p.threadPrompt
	}

	prompt, err := build(ctx, q)
	if q.config.Additional.Tools {
		prompt.Tools = readOnlyTools()
		prompt.Rounds = cmp.Or(q.config.Additional.ToolRounds, parley.DefaultToolRounds)
		prompt.RunTool = func(ctx context.Context, name, arguments string) string {
			return p.runTool(ctx, q.to, name, arguments)
		}
	}

	return prompt, err
}

// directPrompt returns the question to a model about a direct message: the system prompt,
// what it remembers of the conversation, and the message in the responder's form.
func (p *prompts) directPrompt(ctx context.Context, q *question) (parley.ModelQuestion, error) {
	prompt := newPrompt(q.config)
	earlier, err := p.opts.Store.Responders.Recall(ctx, q.to.ID, q.from.ID, q.msg.ID, q.config.Additional.History())
	if err != nil {
		return prompt, err
	}
	for _, m := range earlier {
		prompt.Turns = append(prompt.Turns, parley.ModelTurn{Mine: m.SenderID == q.to.ID, Text: m.Text})
	}
	text := fillForm(q.config.Additional.PromptFormat, q.from.Name, q.msg.Text)
	prompt.Turns = append(prompt.Turns, parley.ModelTurn{Text: text})
	return prompt, nil
}

// fillForm puts a message into the form of a responder; "" is the message alone.
func fillForm(form, sender, text string) string {
	if form == "" {
		return text
	}
	return strings.NewReplacer("{message}", text, "{sender}", sender).Replace(form)
}

// postSteps are the steps that change an answer. In a thread, every message that a model is shown
// begins with a name. So the model's own name is always removed from its answer.
func (q *question) postSteps() []string {
	steps := q.config.Additional.PostSteps()
	if q.inThread() && !slices.Contains(steps, parley.PostStripName) {
		steps = append(steps, parley.PostStripName)
	}
	return steps
}

var (
	thinking = regexp.MustCompile(`(?s)<think>.*?</think>`)
	spaces   = regexp.MustCompile(`\s+`)
)

// postProcess carries out the steps of a responder's configuration on an answer.
func postProcess(steps []string, name, text string) string {
	for _, step := range steps {
		switch step {
		case parley.PostTrim:
			text = strings.TrimSpace(text)
		case parley.PostStripThinking:
			text = thinking.ReplaceAllString(text, "")
			if _, after, found := strings.Cut(text, "</think>"); found { // some servers leave the beginning out
				text = after
			}
			if strings.HasPrefix(strings.TrimSpace(text), "<think>") { // max_tokens ended it amid the thoughts
				text = ""
			}
		case parley.PostStripName:
			if trimmed := strings.TrimSpace(text); len(trimmed) > len(name) &&
				strings.EqualFold(trimmed[:len(name)], name) &&
				trimmed[len(name)] == ':' {
				text = strings.TrimSpace(trimmed[len(name)+1:])
			}
		case parley.PostSingleLine:
			text = spaces.ReplaceAllString(text, " ")
		}
	}

	return text
}

// runCommand answers a command without the model.
func (p *prompts) runCommand(ctx context.Context, command string, q *question) (string, error) {
	switch command {
	case parley.CommandReset:
		return "Forgotten: what we said until now is not told to the model any more. It stays in the history.", nil
	case parley.CommandStatus:
		return p.describeStatus(ctx, q)
	}

	text := q.to.Name + " answers each message at once."
	if about := q.to.Agent().Description; about != "" {
		text = q.to.Name + ": " + about + " It answers each message at once."
	}

	return text + "\n/reset makes it forget our conversation, /status says how it is doing, /help shows this.", nil
}

// describeStatus says which model answers for a responder, what the model remembers of
// the conversation, and what keeps it from answering.
func (p *prompts) describeStatus(ctx context.Context, q *question) (string, error) {
	history := q.config.Additional.History()
	earlier, err := p.opts.Store.Responders.Recall(ctx, q.to.ID, q.from.ID, q.msg.ID, history)
	if err != nil {
		return "", err
	}

	text := fmt.Sprintf(
		"%s answers with the model %s. It is told the last %d of our messages (%d at most), and has %s to answer.",
		q.to.Name, q.config.ModelID, len(earlier), history, p.opts.Timeout.Round(time.Second))

	if p.opts.Model != nil {
		if err := p.opts.Model.Problem(newPrompt(q.config)); err != nil {
			text += " It cannot answer now: " + err.Error() + "."
		}
	}

	return text, nil
}

// readOnly are the operations that a model may call: they change nothing, and show only
// what the responder itself may see.
var readOnly = []string{"get_agent_status", "get_conversation_history", "search_messages"}

func readOnlyTools() []parley.Tool {
	return slices.DeleteFunc(op.Tools(parley.Caller{ID: parley.SystemName}), func(t parley.Tool) bool {
		return !slices.Contains(readOnly, t.Function.Name)
	})
}

// maxToolResult bounds what a tool tells a model: some 4,000 tokens.
const maxToolResult = 16_000

// runTool makes a model's call as the responder. Its answer, or what is wrong with the
// call, goes to the model.
func (p *prompts) runTool(ctx context.Context, m *team.Member, name, arguments string) string {
	result, err := p.callTool(ctx, m, name, arguments)
	if err != nil {
		result = parley.AsError(err)
	}

	b, err := json.Marshal(result)
	switch {
	case err != nil:
		return `{"success":false,"error_message":"the answer cannot be shown"}`
	case len(b) > maxToolResult:
		return fmt.Sprintf(`{"success":false,"error_message":"the answer has %d bytes, %d are shown at most",`+
			`"suggested_action":"Ask for less: give limit, or one agent."}`, len(b), maxToolResult)
	}

	return string(b)
}

func (p *prompts) callTool(ctx context.Context, m *team.Member, name, arguments string) (any, error) {
	if !slices.Contains(readOnly, name) {
		return nil, parley.Errorf(parley.NotAuthorized, "there is no tool %q", plain.CleanLine(name)).
			Suggest("Use one of: %s.", strings.Join(readOnly, ", "))
	}
	inv, err := op.Find(name).Decode([]byte(arguments))
	if err != nil {
		return nil, err
	}
	caller := parley.Caller{ID: m.ID, Name: m.Name, Kind: parley.KindResponder}
	return inv.Call(parley.WithCaller(ctx, caller), p.opts.Tools)
}

// historyLines is how many lines of a model's answers are kept: read_terminal shows no
// more of a terminal's history.
const historyLines = 2000

// The size of a responder's screen is that of the terminals of launched agents.
const (
	screenWidth  = 200
	screenHeight = 50
)

// screen shows what a responder's model writes. It is in memory only.
type screen struct {
	asking int // calls to the model under way; under the member's Changing

	mu     sync.Mutex
	past   []string
	active []*entry
}

// screens are those of all responders, by their ids.
type screens struct {
	mu   sync.Mutex
	byID map[string]*screen
}

func (s *screens) find(m *team.Member) *screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]*screen{}
	}
	if s.byID[m.ID] == nil {
		s.byID[m.ID] = &screen{}
	}
	return s.byID[m.ID]
}

// entry is an answer that is being written.
type entry struct {
	screen *screen
	head   []string
	text   string
}

// begin opens the entry of an answer.
func (s *screen) begin(to string, msg *parley.Message) *entry {
	e := &entry{screen: s, head: append(strings.Split(to+" ("+parley.Short(msg.ID)+"): "+msg.Text, "\n"), "")}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = append(s.active, e)
	return e
}

// write replaces what is shown of the answer.
func (e *entry) write(text string) {
	e.screen.mu.Lock()
	defer e.screen.mu.Unlock()
	e.text = text
}

// end closes an entry with the answer or, if there is none, with err.
func (s *screen) end(e *entry, text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.text = text; err != nil {
		e.text = "[" + parley.EndedNoAnswer.Words(err.Error()) + "]"
	}
	s.active = slices.DeleteFunc(s.active, func(other *entry) bool { return other == e })
	s.past = append(s.past, append(e.lines(), "")...)
	s.past = slices.Clone(s.past[max(0, len(s.past)-historyLines):])
}

func (e *entry) lines() []string {
	return append(slices.Clone(e.head), strings.Split(plain.Clean(e.text), "\n")...)
}

// show returns the last n lines, without empty ones at the end.
func (s *screen) show(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()

	lines := append([]string{}, s.past...)
	for _, e := range s.active {
		lines = append(lines, append(e.lines(), "")...)
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}

	return lines[max(0, len(lines)-n):]
}

// startAsking and stopAsking count the calls to the model. They report whether this call
// is the only one. The caller holds the member's Changing.
func (s *screen) startAsking() bool {
	s.asking++
	return s.asking == 1
}

func (s *screen) stopAsking() bool {
	s.asking--
	return s.asking == 0
}

// ReadScreen returns what a responder's model wrote last, as read_terminal shows a terminal.
// history is how many earlier lines it adds.
func (rs *Responders) ReadScreen(m *team.Member, history int) *parley.ReadTerminalResult {
	return &parley.ReadTerminalResult{
		Answer:  parley.OK,
		AgentID: m.ID,
		Name:    m.Name,
		Lines:   rs.screens.find(m).show(screenHeight + history),
		Width:   screenWidth,
		Height:  screenHeight,
		At:      rs.now(),
	}
}
