package main

import (
	"context"
	"fmt"
	"net/url"
	"syscall"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/sh"
	"parley/tmux"
)

type attachCommand struct{}

func (a attachCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "attach NAME",
		Short:   "Attach to an agent's terminal; " + tmux.ReturnKey + " returns",
		Example: "  parley attach coder",
		Args:    usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.host != "" && !c.json {
				return a.fromAfar(cmd.Context(), &c.program, args[0])
			}
			return a.run(cmd.Context(), c, args)
		},
		ValidArgsFunction: firstAgents(1).by(completer{c}),
	}
}

func (attachCommand) run(ctx context.Context, c *cli, args []string) error {
	res, err := invoke[parley.AttachInfoResult](ctx, c, "get_attach_info", url.Values{"agent": args})
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(res)
	}

	if !isTerminal(c.in) || !isTerminal(c.out) {
		return parley.Errorf(parley.InvalidArgument, "attach needs a terminal").
			Suggest("Print its screen with parley screen %s, or run in a terminal: %s",
				res.Name, sh.Line(res.Command))
	}

	user := userTmux{c.env}
	attach, err := user.client(user.showing(res))
	if err != nil {
		return err
	}
	if !res.Adopted {
		key := tmux.ReturnKey
		if res.Host == "" {
			key = user.returnKey(ctx, res.Socket)
		}
		fmt.Fprintf(c.err, "%s brings you back.\n", key)
	}

	return syscall.Exec(attach.Path, attach.Args, attach.Env)
}

// fromAfar attaches to an agent on another machine, by the parley there.
func (attachCommand) fromAfar(ctx context.Context, p *program, name string) error {
	if !isTerminal(p.in) || !isTerminal(p.out) {
		return parley.Errorf(parley.InvalidArgument, "attach needs a terminal").
			Suggest("Print its screen with parley --host %s screen %s", sh.Word(p.host),
				sh.Word(name))
	}
	there, err := p.thereOnTerminal(ctx, "attach", name)
	if err != nil {
		return err
	}
	return syscall.Exec(there.Path, there.Args, there.Env)
}
