package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
)

// questionTo is what a model is asked, but for the conversation.
func questionTo(r *parley.Responder) parley.ModelQuestion {
	return parley.ModelQuestion{Model: r.ModelID, BaseURL: r.BaseURL, KeyEnv: r.APIKeyEnv, Temperature: r.Temperature,
		MaxTokens: r.MaxTokens, System: r.SystemPrompt}
}

// question is what a model is asked about a message: the system prompt, what it
// remembers of the conversation, and the message in the responder's form.
func (o *Orchestrator) question(
	ctx context.Context,
	to, from *team.Member,
	r *parley.Responder,
	msg *parley.Message,
) (parley.ModelQuestion, error) {
	q := questionTo(r)
	said, err := o.store.Recall(ctx, to.ID, from.ID, msg.ID, r.Additional.History())
	if err != nil {
		return q, err
	}
	for _, m := range said {
		q.Turns = append(q.Turns, parley.ModelTurn{Mine: m.SenderID == to.ID, Text: m.Text})
	}
	q.Turns = append(q.Turns, parley.ModelTurn{Text: formatted(r.Additional.PromptFormat, from.Name, msg.Text)})
	o.equip(&q, to, r)
	return q, nil
}

// equip gives a model the tools that its responder's configuration grants.
func (o *Orchestrator) equip(q *parley.ModelQuestion, to *team.Member, r *parley.Responder) {
	if r.Additional.Tools {
		q.Tools, q.Rounds = readingTools(), cmp.Or(r.Additional.ToolRounds, parley.DefaultToolRounds)
		q.RunTool = func(ctx context.Context, name, arguments string) string { return o.runTool(ctx, to, name, arguments) }
	}
}

// formatted puts a message into the form that the responder wants.
func formatted(form, sender, text string) string {
	if form == "" {
		return text
	}
	return strings.NewReplacer("{message}", text, "{sender}", sender).Replace(form)
}

var (
	thinking = regexp.MustCompile(`(?s)<think>.*?</think>`)
	spaces   = regexp.MustCompile(`\s+`)
)

// process does to an answer what the responder's configuration says.
func process(steps []string, name, text string) string {
	for _, step := range steps {
		switch step {
		case parley.PostTrim:
			text = strings.TrimSpace(text)
		case parley.PostStripThinking:
			text = thinking.ReplaceAllString(text, "")
			if _, after, found := strings.Cut(text, "</think>"); found { // some servers leave the beginning out
				text = after
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

// obey answers a command.
func (o *Orchestrator) obey(
	ctx context.Context,
	command string,
	to, from *team.Member,
	r *parley.Responder,
	msg *parley.Message,
) (string, error) {
	switch command {
	case parley.CommandReset:
		return "Forgotten: what we said until now is not told to the model any more. It stays in the history.", nil
	case parley.CommandStatus:
		said, err := o.store.Recall(ctx, to.ID, from.ID, msg.ID, r.Additional.History())
		if err != nil {
			return "", err
		}

		text := fmt.Sprintf(
			"%s answers with the model %s. It is told the last %d of our messages",
			to.Name,
			r.ModelID,
			len(said),
		)

		text += fmt.Sprintf(
			" (%d at most), and has %s to answer.",
			r.Additional.History(),
			o.opts.Settings.ModelTimeout.Round(time.Second),
		)

		if o.opts.Model != nil {
			if err := o.opts.Model.Problem(questionTo(r)); err != nil {
				text += " It cannot answer now: " + err.Error() + "."
			}
		}

		return text, nil
	}

	text := to.Name + " answers each message at once."
	if about := to.Agent().Description; about != "" {
		text = to.Name + ": " + about + " It answers each message at once."
	}

	return text + "\n/reset makes it forget our conversation, /status says how it is doing, /help shows this.", nil
}

// readers are the operations that a model may call: they change nothing, and show what
// the responder itself may see.
var readers = []string{"get_agent_status", "get_conversation_history", "search_messages"}

func readingTools() []parley.Tool {
	return slices.DeleteFunc(parley.ToolsFor(parley.Caller{ID: parley.SystemName}), func(t parley.Tool) bool {
		return !slices.Contains(readers, t.Function.Name)
	})
}

// maxToolResult bounds what a tool tells a model: some 4,000 tokens.
const maxToolResult = 16_000

// runTool makes a model's call as the responder. Its answer, or what is wrong with the
// call, goes to the model.
func (o *Orchestrator) runTool(ctx context.Context, m *team.Member, name, arguments string) string {
	result, err := o.call(ctx, m, name, arguments)
	if err != nil {
		result = parley.AsError(err)
	}

	b, err := json.Marshal(result)
	switch {
	case err != nil:
		return `{"success":false,"error_message":"the answer cannot be shown"}`
	case len(b) > maxToolResult:
		return fmt.Sprintf(
			`{"success":false,"error_message":"the answer has %d bytes, %d are shown at most","suggested_action":"Ask for less: give limit, or one agent."}`,
			len(b),
			maxToolResult,
		)
	}

	return string(b)
}

func (o *Orchestrator) call(ctx context.Context, m *team.Member, name, arguments string) (any, error) {
	if !slices.Contains(readers, name) {
		return nil, parley.Errorf(parley.NotAuthorized, "there is no tool %q", parley.CleanLine(name)).
			Suggest("Use one of: %s.", strings.Join(readers, ", "))
	}
	inv, err := parley.FindOp(name).Decode([]byte(arguments))
	if err != nil {
		return nil, err
	}
	return inv.Call(parley.WithCaller(ctx, parley.Caller{ID: m.ID, Name: m.Name, Kind: parley.KindResponder}), o)
}
