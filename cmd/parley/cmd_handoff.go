package main

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/sh"
)

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
