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

	"parley"

	"github.com/spf13/cobra"
)

func responderCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use: "responder", Short: "Add, list and remove agents for which a model answers at once",
		Example: "  parley responder add sage --model llama3.2 --url http://127.0.0.1:11434/v1\n  parley responder list",
		Args:    noSuchCommand, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}

	cmd.AddCommand(addResponderCommand(c), command(c, operation[parley.ListRespondersResult]{
		op: "list_responders", use: "list", short: "List them, and what keeps them from answering",
		example: "  parley responder list", args: cobra.NoArgs, print: printResponders,
	}), c.withAgents(command(c, operation[parley.StopAgentResult]{
		op: "stop_agent", use: "remove NAME", short: "Let no model answer for an agent any more; its messages are kept",
		example: "  parley responder remove sage", args: cobra.ExactArgs(1), fill: positional("agent"),
		print: func(c *cli, res *parley.StopAgentResult) error { return c.printLine(res.Name + " answers no more.") },
	}), 1))

	return cmd
}

func addResponderCommand(c *cli) *cobra.Command {
	var config parley.ResponderConfig
	var heat float64
	var history int
	var mailbox, forgetful bool
	cmd := &cobra.Command{}
	cmd = command(c, operation[parley.AddResponderResult]{
		op: "add_responder", use: "add NAME --model MODEL", short: "Add one, change one, or approve one that asked for it",
		example: `  parley responder add sage --model llama3.2 --url http://127.0.0.1:11434/v1
  parley responder add DM --model gpt-4-turbo --key-env OPENAI_API_KEY --system "You are the Dungeon Master." --temperature 0.7`,
		args: cobra.ExactArgs(1), flags: []string{"description", "role", "capabilities", "groups"},
		fill: func(args []string, to url.Values) error {
			if cmd.Flag("temperature").Changed {
				config.Temperature = &heat
			}
			if cmd.Flag("history").Changed {
				config.Additional.HistoryLength = &history
			}

			if forgetful {
				no := false
				config.Additional.Persistence = &no
			}

			b, err := json.Marshal(config)
			if err != nil {
				return fmt.Errorf("encode the configuration: %w", err)
			}

			to.Set("name", args[0])
			to.Set("special_agent_config", string(b))
			to.Set("auto_respond", strconv.FormatBool(!mailbox))

			return nil
		},
		print: func(c *cli, res *parley.AddResponderResult) error {
			if res.Problem != "" {
				c.printf("It cannot answer yet: %s.\n", res.Problem)
			}
			return c.printLine(res.Message)
		},
	})

	f := cmd.Flags()
	f.StringVar(&config.ModelID, "model", "", "the model, as its server names it")
	f.StringVar(
		&config.BaseURL,
		"url",
		"",
		"a server that speaks chat completions (the hosted one of OpenAI if left out)",
	)

	f.StringVar(&config.APIKeyEnv, "key-env", "", "the variable of the daemon's environment that holds the key")
	f.StringVar(&config.SystemPrompt, "system", "", "what the model is told before every conversation")
	f.Float64Var(&heat, "temperature", 0, "0 to 2 (the server's own if left out)")
	f.IntVar(&config.MaxTokens, "max-tokens", 0, "of an answer (the server's own if left out)")
	f.StringVar(&config.Additional.PromptFormat, "prompt-format", "", "what a message becomes; {message} is its text")
	f.StringVar(
		&config.Additional.PostProcessing,
		"post",
		"",
		"what is done to an answer: trim, strip_thinking, strip_name, single_line, none (default trim)",
	)

	f.IntVar(&history, "history", parley.DefaultHistory, "how many messages of the conversation the model is told")
	f.BoolVar(&forgetful, "forget", false, "tell the model nothing of what was said before")
	f.BoolVar(&config.Additional.Tools, "tools", false, "let the model see who is there and search its own messages")
	f.BoolVar(&mailbox, "mailbox", false, "no model answers for now")

	return cmd
}

func printResponders(c *cli, res *parley.ListRespondersResult) error {
	if len(res.Responders) == 0 {
		return c.printLine("No model answers for anyone. Add one: parley responder add NAME --model MODEL")
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

		t.add(c.paint(bold, r.Agent), string(r.State), r.Words(), string(r.Origin), how)
	}

	t.print(c.out)

	return nil
}

func usageCommand(c *cli) *cobra.Command {
	var since time.Duration
	cmd := &cobra.Command{}
	cmd = c.withAgents(command(c, operation[parley.UsageResult]{
		op: "usage", use: "usage [NAME]", short: "See what the models' answers took: tokens, time, failures",
		example: "  parley usage\n  parley usage DM --calls 10\n  parley usage --since 24h --json", args: cobra.MaximumNArgs(1), flags: []string{"calls"},
		fill: func(args []string, to url.Values) error {
			if since > 0 {
				to.Set("since", time.Now().Add(-since).Format(time.RFC3339Nano))
			}
			return positional("agent")(args, to)
		},
		print: printUsage,
	}), 1)

	cmd.Flags().DurationVar(&since, "since", 0, "only the last while, such as 24h")

	return cmd
}

func printUsage(c *cli, res *parley.UsageResult) error {
	if len(res.Agents) == 0 {
		return c.printLine("No model was asked.")
	}

	var t table
	for _, a := range res.Agents {
		t.add(c.paint(bold, a.Agent), spentWords(a.Spent), failureWords(a.Failures))
	}

	if len(res.Agents) > 1 {
		t.add("in all", spentWords(res.Total), "")
	}

	t.print(c.out)
	var calls table
	for _, m := range res.Calls {
		calls.add(
			m.At.Local().Format(time.DateTime),
			m.Agent+" ← "+m.Caller,
			parley.Short(m.MessageID),
			m.Model,
			fmt.Sprintf(
				"%d in, %d out, %.1f s",
				m.InputTokens,
				m.OutputTokens,
				float64(m.LatencyMS)/1000,
			),
			string(m.Reason),
		)
	}

	calls.print(c.out)

	return nil
}

func spentWords(s parley.Spent) string {
	words := fmt.Sprintf(
		"%s, %d answered; %d tokens in, %d out",
		count(s.Calls, "call"),
		s.Answered,
		s.InputTokens,
		s.OutputTokens,
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

// printReply prints what a responder answered.
func printReply(c *cli, r *parley.Reply) {
	if r == nil || c.json {
		return
	}
	c.printf("\n%s\n", r.Text)
	if r.CutOff {
		c.printf("(cut off at max_tokens)\n")
	}
}
