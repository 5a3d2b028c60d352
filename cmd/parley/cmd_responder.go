package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley"
)

func responderCommand() family {
	return family{
		use:   "responder",
		short: "Manage responders: agents for which a model answers",
		example: `  parley responder add sage --model llama3.2 --url http://127.0.0.1:11434/v1
  parley responder list`,
		members: commands{&addResponderCommand{}, listRespondersCommand, removeResponderCommand},
	}
}

var listRespondersCommand = operation[parley.ListRespondersResult]{
	op:      "list_responders",
	use:     "list",
	short:   "List responders and their problems",
	example: "  parley responder list",
	print: func(o *output, res *parley.ListRespondersResult) error {
		if len(res.Responders) == 0 {
			return o.printLine("There are no responders. Add one: parley responder add NAME --model MODEL")
		}

		var t table
		for _, r := range res.Responders {
			how := "answers"
			switch {
			case r.Approval == parley.ApprovalPending:
				how = "waits for approval"
			case !r.Answers:
				how = "does not answer"
			case r.Problem != "":
				how = "cannot answer: " + r.Problem
			}

			t.add(o.paint(bold, r.Agent), string(r.State), r.Words(), string(r.Origin), how)
		}

		t.print(o)

		return nil
	},
}

var removeResponderCommand = operation[parley.StopAgentResult]{
	op:       "stop_agent",
	use:      "remove NAME",
	short:    "Remove a responder; its messages are kept",
	example:  "  parley responder remove sage",
	complete: firstAgents(1),
	print: func(o *output, res *parley.StopAgentResult) error {
		return o.printLine(res.Name + " is removed.")
	},
}

// responderFlags holds the flags of a responder's configuration.
type responderFlags struct {
	config             parley.ResponderConfig
	temperature        float64
	history            int
	mailbox, forgetful bool
}

func (r *responderFlags) add(f *pflag.FlagSet) {
	x := &r.config.Additional
	f.StringVar(&r.config.ModelID, "model", "", "model name on its server")
	f.StringVar(&r.config.BaseURL, "url", "", "server that speaks chat completions (default: OpenAI's)")
	f.StringVar(&r.config.APIKeyEnv, "key-env", "", "variable in the daemon's environment that holds the key")
	f.StringVar(&r.config.SystemPrompt, "system", "", "system prompt")
	f.Float64Var(&r.temperature, "temperature", 0, "sampling temperature, 0 to 2 (default: the server's)")
	f.IntVar(&r.config.MaxTokens, "max-tokens", 0, "longest answer, in tokens (default: the server's)")
	f.StringVar(&x.PromptFormat, "prompt-format", "", "prompt for a message; {message} is its text")
	f.StringVar(&x.PostProcessing, "post", "",
		"post-processing of answers: trim, strip_thinking, strip_name, single_line, none (default trim)")
	f.IntVar(&r.history, "history", parley.DefaultHistory, "how many earlier messages the model sees")
	f.BoolVar(&r.forgetful, "forget", false, "give the model no earlier messages")
	f.BoolVar(&x.Tools, "tools", false, "let the model list agents and search its own messages")
	f.BoolVar(&r.mailbox, "mailbox", false, "make it a mailbox: no model answers for now")
}

// fill sets the parameters of add_responder.
func (r *responderFlags) fill(given *pflag.FlagSet, to url.Values) error {
	if given.Changed("temperature") {
		r.config.Temperature = &r.temperature
	}
	if given.Changed("history") {
		r.config.Additional.HistoryLength = &r.history
	}
	if r.forgetful {
		r.config.Additional.Persistence = new(bool)
	}

	config, err := json.Marshal(r.config)
	if err != nil {
		return fmt.Errorf("encode the configuration: %w", err)
	}

	to.Set("special_agent_config", string(config))
	to.Set("auto_respond", strconv.FormatBool(!r.mailbox))

	return nil
}

type addResponderCommand struct{ flags responderFlags }

func (a *addResponderCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{}
	cmd = operation[parley.AddResponderResult]{
		op:    "add_responder",
		use:   "add NAME --model MODEL",
		short: "Add or change a responder, or approve a pending one",
		example: `  parley responder add sage --model llama3.2 --url http://127.0.0.1:11434/v1
  parley responder add DM --model gpt-4-turbo --key-env OPENAI_API_KEY --system "You are the Dungeon Master."`,
		flags: []string{"description", "role", "capabilities", "groups"},
		fill: func(args []string, to url.Values) error {
			to.Set("name", args[0])
			return a.flags.fill(cmd.Flags(), to)
		},
		print: func(o *output, res *parley.AddResponderResult) error {
			if res.Problem != "" {
				o.printf("It cannot answer yet: %s.\n", res.Problem)
			}
			return o.printLine(res.Message)
		},
	}.declare(c)
	a.flags.add(cmd.Flags())

	return cmd
}

type usageCommand struct{}

func (u usageCommand) declare(c *cli) *cobra.Command {
	return operation[parley.UsageResult]{
		op:    "usage",
		use:   "usage [NAME]",
		short: "Show what models used: tokens, costs and calls",
		example: `  parley usage
  parley usage coder
  parley usage DM --calls 10
  parley usage --since 24h --json`,
		complete: firstAgents(1),
		flags:    []string{"calls", "since"},
		print:    u.print,
	}.declare(c)
}

func (u usageCommand) print(o *output, res *parley.UsageResult) error {
	if len(res.Agents) == 0 && len(res.Programs) == 0 {
		return o.printLine("No model has been called.")
	}

	u.printPrograms(o, res.Programs, res.Budget)
	t := table{fits: []fit{inner, prose, prose}}
	for _, a := range res.Agents {
		t.add(o.paint(bold, a.Agent), spentWords(a.Spent), failureWords(a.Failures))
	}

	if len(res.Agents) > 1 {
		t.add("total", spentWords(res.Total), "")
	}

	t.print(o)
	calls := table{fits: []fit{whole, inner, spare, inner, prose, prose}}
	for _, m := range res.Calls {
		calls.add(m.At.Local().Format(time.DateTime), m.Agent+" ← "+m.Caller, parley.Short(m.MessageID), m.Model,
			fmt.Sprintf("%d in, %d out, %.1f s", m.InputTokens, m.OutputTokens, float64(m.LatencyMS)/1000),
			string(m.Reason))
	}

	calls.print(o)

	return nil
}

func spentWords(s parley.Spent) string {
	words := fmt.Sprintf(
		"%s, %d answered; %d tokens in, %d out", count(s.Calls, "call"), s.Answered, s.InputTokens, s.OutputTokens,
	)

	if s.Calls > 0 {
		words += fmt.Sprintf("; %.1f s each", float64(s.LatencyMS)/float64(s.Calls)/1000)
	}
	if s.Unmeasured > 0 {
		words += fmt.Sprintf("; %d not measured by the server", s.Unmeasured)
	}

	return words
}

func failureWords(by map[string]int) string {
	var words []string
	for _, reason := range slices.Sorted(maps.Keys(by)) {
		words = append(words, fmt.Sprintf("%d %s", by[reason], reason))
	}
	return strings.Join(words, ", ")
}
