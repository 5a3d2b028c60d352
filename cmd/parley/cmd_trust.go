package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
)

// trustCommand shows what a parley.yaml does, and remembers that the user agrees.
type trustCommand struct{ yes, forget bool }

func (k *trustCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust [FILE]",
		Short: "Show what a parley.yaml runs, opens and sends, and agree to it",
		Long: `Shows what a parley.yaml runs, opens, sends and deletes, and asks whether you trust it.
Until you do, parley ignores its agents, profiles and responders and some of its settings: the
file may have come with somebody else's repository. parley remembers the content and asks again
after a change. The other settings always count, and so does your own
~/.config/parley/parley.yaml.

A script sets PARLEY_TRUST to the SHA-256 of the file instead.`,
		Example: `  parley trust
  parley trust teams/review.yaml
  parley trust --yes  # without asking; read the file first
  parley trust --forget`,
		Args: usage(cobra.MaximumNArgs(1)),
	}

	cmd.Flags().BoolVar(&k.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&k.forget, "forget", false, "no longer trust the file")
	cmd.MarkFlagsMutuallyExclusive("yes", "forget")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return k.run(cmd.Context(), &c.program, args) }

	return cmd
}

func (k *trustCommand) run(ctx context.Context, p *program, args []string) error {
	t, err := k.teamFile(&p.surroundings, args)
	switch {
	case err != nil:
		return err
	case k.forget:
		err = daemon.TrustOf(p.env).Remove(t)
	default:
		err = p.trust(t, k.yes)
	}
	if err != nil {
		return err
	}

	return k.report(ctx, &p.output, t)
}

// teamFile reads the file that is named on the command line, else the workspace's.
func (*trustCommand) teamFile(s *surroundings, args []string) (*daemon.Team, error) {
	if len(args) > 0 {
		return daemon.LoadTeam(s.absolute(args[0]), true)
	}
	at, err := s.place()
	if err != nil {
		return nil, err
	}
	return daemon.LoadTeam(at.TeamFile(), true)
}

func claimLines(t *daemon.Team) string {
	var b strings.Builder
	for _, claim := range t.Claims {
		b.WriteString("  " + strings.ReplaceAll(claim.Words, "\n", "\n  ") + "\n")
	}
	return b.String()
}

// report tells whether a file counts.
func (*trustCommand) report(ctx context.Context, o *output, t *daemon.Team) error {
	trusted := daemon.TrustOf(o.env).Has(t)
	if o.json {
		return o.printJSON(struct {
			parley.Answer
			File    string         `json:"file"`
			SHA256  string         `json:"sha256"`
			Trusted bool           `json:"trusted"`
			Claims  []daemon.Claim `json:"claims"`
		}{parley.OK, t.File, t.Hash, trusted, append([]daemon.Claim{}, t.Claims...)})
	}

	switch {
	case len(t.Claims) == 0:
		return o.printLine(t.File + " needs no trust: it runs, opens, sends and deletes nothing.")
	case !trusted:
		return o.printLine(t.File + " is not trusted.")
	}

	o.printf("%s is trusted:\n%s", t.File, claimLines(t))
	if at, err := o.place(); err == nil && at.TeamFile() == t.File {
		if info := daemon.Running(ctx, at); info != nil {
			return o.printLine("The daemon reads it when it starts: parley down --keep-agents ends this one, " +
				"and the agents stay.")
		}
	}

	return nil
}
