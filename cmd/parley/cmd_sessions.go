package main

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/sh"
	"parley/plain"
)

// sessionsCommand lists the conversations that programs keep.
type sessionsCommand struct{}

func (s sessionsCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.ListSessionsResult]{
		op:    "list_sessions",
		use:   "sessions [WORDS…]",
		short: "Find the conversations that programs keep on this machine",
		example: `  parley sessions
  parley sessions flaky parser              # what was said in them
  parley sessions --program codex --limit 5
  parley launch coder --session 3f0c21aa    # takes one up as an agent`,
		flags: []string{"program", "limit", "host=on"},
		fill: func(args []string, to url.Values) error {
			if len(args) > 0 {
				to.Set("query", strings.Join(args, " "))
			}
			return nil
		},
		print: s.print,
	}.declare(c)
	_ = cmd.RegisterFlagCompletionFunc("program", offer(func(*cobra.Command) []string {
		return completer{c}.profiles()
	}))
	_ = cmd.RegisterFlagCompletionFunc("on", offer(func(cmd *cobra.Command) []string {
		return completer{c}.hostsNow(cmd.Context())
	}))
	return cmd
}

func (sessionsCommand) print(o *output, res *parley.ListSessionsResult) error {
	t := table{headed: true, fits: []fit{whole, whole, brief, inner, brief, spare, prose}}
	t.add(o.heads("SESSION", "AGO", "PROGRAM", "DIRECTORY", "BRANCH", "SIZE", "FIRST WORDS")...)
	for _, s := range res.Sessions {
		words := s.First
		if found := plain.CleanLine(s.Found); found != "" && found != s.First {
			words += "\n" + o.paint(faint, found)
		}
		if note := sessionNote(&s); note != "" {
			words += "\n" + o.paint(yellow, note)
		}
		bytes := ""
		if s.Size > 0 {
			bytes = size(s.Size)
		}
		t.add(s.Short, o.ago(s.LastActive), s.Program, home(o.at.env, s.Dir), s.Branch, bytes, words)
	}

	if len(res.Sessions) > 0 {
		t.print(o)
	}
	switch {
	case len(res.Sessions) == 0 && res.Of > 0:
		o.printf("No conversation here has these words.\n")
	case len(res.Sessions) == 0:
		o.printf("No agent program keeps a conversation here.\n")
	case res.More:
		o.printf("There are older ones: --limit, or words that were said in them.\n")
	}
	if res.Read < res.Of {
		o.printf("%s of %s conversations were read so far, the newest first; ask again for the rest.\n",
			plain.FormatCount(int64(res.Read)), plain.FormatCount(int64(res.Of)))
	}
	return nil
}

// sessionNote says who has a conversation, or why nobody can take it up.
func sessionNote(s *parley.KeptSession) string {
	if s.Agent != "" {
		return "the conversation of " + s.Agent
	}
	return s.Refused
}

// handoffCommand lets another program go on for an agent.
type handoffCommand struct {
	request parley.HandoffAgentRequest
	env     []string
}

func (h *handoffCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "handoff NAME --to PROFILE [-- COMMAND ARGUMENT…]",
		Short: "Let another program go on with an agent's work",
		Long: `Ends an agent's program and lets another one go on, under the same id and name, in the same directory,
with its inbox, open requests and threads. The new program is told what was asked, what is done and what is
open: by the old program, if it answers in time, and from the record. What waits comes after that.
Handed back, a program continues its conversation. If the new program does not start, the old one is back.`,
		Example: `  parley handoff coder --to codex
  parley handoff coder --to codex --record --text "Only the tests are left"
  parley handoff coder --to claude            # back again, with its conversation`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case nameCount(cmd, args) != 1:
				return misused(cmd, fmt.Errorf("parley handoff takes one name, and the command after --"))
			case h.request.To == "":
				return misused(cmd, fmt.Errorf("parley handoff needs --to PROFILE"))
			}
			return nil
		},
	}

	f, r := cmd.Flags(), &h.request
	doc := func(parameter string) string { return flagDoc(fieldOf("handoff_agent", parameter)) }
	f.StringVar(&r.To, "to", "", doc("to"))
	f.StringVar(&r.Model, "model", "", doc("model"))
	f.StringVar(&r.Text, "text", "", doc("text"))
	f.BoolVar(&r.Record, "record", false, doc("record"))
	f.IntVar(&r.Wait, "within", 60, "seconds that the old program may take to brief it")
	f.StringArrayVar(&h.env, "env", nil, "a variable of its environment, NAME=VALUE")
	_ = cmd.MarkFlagRequired("to")
	profiles := func(*cobra.Command) []string { return completer{c}.profiles() }
	_ = cmd.RegisterFlagCompletionFunc("to", offer(profiles))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		own, err := parseEnv(h.env)
		if err != nil {
			return misused(cmd, err)
		}
		r.Agent, r.Command = args[0], args[1:]
		return h.run(cmd.Context(), launches{c}, own)
	}
	cmd.ValidArgsFunction = firstAgents(1).by(completer{c})

	return cmd
}

func (h *handoffCommand) run(ctx context.Context, l launches, own map[string]string) error {
	r := &h.request
	r.Dir, r.Env = l.cli.at.dir, l.cli.at.env.Scrubbed().Map()
	maps.Copy(r.Env, own)
	res, err := call[parley.HandoffAgentResult](ctx, l.cli, "handoff_agent", r)
	if err != nil {
		return err
	}
	if l.cli.out.json {
		return l.cli.out.printJSON(res)
	}

	whose := "the record"
	if res.Briefed == parley.ByProgram {
		whose = "its own words and the record"
	}
	err = l.cli.out.printLine(fmt.Sprintf("%s goes on for %s as %s, briefed by %s.", res.Profile, res.From,
		l.cli.out.paint(bold, res.Name), whose))
	if err == nil && len(res.Dropped) > 0 {
		err = l.cli.out.printLine("Not taken along: " + strings.TrimSpace(sh.Line(res.Dropped)))
	}
	if err != nil {
		return err
	}
	return l.watch(ctx, []*parley.LaunchAgentResult{&res.LaunchAgentResult}, "started")
}
