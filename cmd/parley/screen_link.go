package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/op"
	"parley/plain"
	"parley/tui"
)

// screenLink tells what the screen shows first, as given on the command line.
type screenLink struct {
	screen, agent, message, thread string

	plain bool   // words alone
	tip   string // which key to press
}

func (l *screenLink) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.screen, "screen", "", "begin with this screen: "+strings.Join(tui.Screens, ", "))
	f.StringVar(&l.agent, "agent", "", "begin with this agent and its terminal")
	f.StringVar(&l.message, "message", "", "begin with this message")
	f.StringVar(&l.thread, "thread", "", "begin with this thread")
	f.BoolVar(&l.plain, "plain", false, "words alone, line by line, as for a screen reader")
	cmd.MarkFlagsMutuallyExclusive("screen", "agent", "message", "thread")
}

// check refuses an unknown screen.
func (l screenLink) check() error {
	if l.screen != "" && !slices.Contains(tui.Screens, l.screen) {
		return parley.Errorf(parley.InvalidArgument, "there is no screen %q", plain.CleanLine(l.screen)).
			Suggest("Give one of %s.", strings.Join(tui.Screens, ", "))
	}
	return nil
}

// target finds the agent, message or thread. A wrong name is refused in the shell,
// before the screen opens.
func (l screenLink) target(ctx context.Context, s parley.Service) (to tui.Target, err error) {
	to.Screen = l.screen
	switch cmp.Or(l.agent, l.message, l.thread) {
	case "":
	case l.agent:
		res, err := op.GetAgentStatus.Call(ctx, s, parley.AgentStatusRequest{Agent: l.agent})
		if err != nil {
			return to, err
		}
		if len(res.Agents) == 1 {
			to.Agent = res.Agents[0].ID
		}
	case l.message:
		res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: l.message})
		if err != nil {
			return to, err
		}
		to.Message = res.Object.ID
	default:
		res, err := op.GetThreadDetails.Call(ctx, s, parley.ThreadDetailsRequest{ThreadID: l.thread})
		if err != nil {
			return to, err
		}
		to.Thread = &res.Object
	}

	return to, nil
}
