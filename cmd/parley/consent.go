package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
)

// trust remembers that the user trusts a file, after asking.
func (p *program) trust(t *daemon.Team, yes bool) error {
	trust := daemon.TrustOf(p.out.at.env)
	switch {
	case trust.Has(t):
		return nil
	case p.out.at.isAgent():
		return parley.Errorf(parley.NotAuthorized, "an agent cannot trust a file in your place").
			Suggest("The operator runs parley trust in a terminal of their own.")
	case !yes && !p.canAsk():
		return parley.Errorf(parley.InvalidArgument, "parley cannot ask: there is no terminal").
			With("file", t.File).With("sha256", t.Hash).
			Suggest("Read the file, then run parley trust --yes, or set %s=%s.", daemon.TrustHashes, t.Hash)
	case !yes:
		if !p.asked(t) {
			return exitCode(1)
		}
	}
	return trust.Add(t)
}

// isAgent reports whether the program of an agent runs this command.
func (s *surroundings) isAgent() bool {
	return s.env.Get(parley.AgentIDVariable) != "" || daemon.OfAgent(os.Getpid())
}

func (p *program) canAsk() bool { return isTerminal(p.in) && isTerminal(p.out.err) && !p.out.json }

// asked shows what a file does and asks whether the user trusts it.
func (p *program) asked(t *daemon.Team) bool {
	fmt.Fprintf(p.out.err, "%s says:\n%s", p.out.paintFor(p.out.err, bold, t.File), claimLines(t))
	return p.agreed("Do you trust this file? [y/N] ")
}

// agreed asks a question that is answered with yes or no.
func (p *program) agreed(question string) bool {
	fmt.Fprint(p.out.err, question)

	answer, _ := p.readLine(bufio.NewReader(p.in)) // no answer is a no
	answer = strings.ToLower(strings.TrimSpace(answer))

	return answer == "y" || answer == "yes"
}

// readLine reads a line that a person types. Ctrl-C ends it at once, with context.Canceled.
func (p *program) readLine(from *bufio.Reader) (string, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() { // as long as the process at most
		text, err := from.ReadString('\n')
		read <- line{text, err}
	}()

	select {
	case l := <-read:
		return l.text, l.err
	case <-p.ended:
		fmt.Fprintln(p.out.err)
		return "", context.Canceled
	}
}

// consent asks for trust in the workspace's file before a daemon starts. Without it, the daemon
// starts with what is harmless.
func (p *program) consent(at place.Place) {
	t, err := daemon.LoadTeam(at.TeamFile(), false)
	trust := daemon.TrustOf(p.out.at.env)
	if err != nil || trust.Has(t) || !p.canAsk() || p.out.at.isAgent() || !p.asked(t) {
		return
	}
	if err := trust.Add(t); err != nil {
		p.out.fail(err)
	}
}

// warnOfTrust warns when the daemon ignores parts of parley.yaml.
func (o *output) warnOfTrust(at place.Place, info *daemon.Info) {
	if info == nil || info.Withheld == "" {
		return
	}

	next := "parley trust shows what it does, and asks."
	t, err := daemon.LoadTeam(at.TeamFile(), false)
	switch {
	case err != nil:
	case len(t.Claims) == 0: // what is ignored is a file of the user's own
		next = "parley trust FILE shows what it does, and asks."
	case o.at.isAgent(): // the next daemon takes no trust from an agent
	case daemon.TrustOf(o.at.env).Has(t):
		next = "It is trusted now: parley down --keep-agents lets the next command start a daemon that reads it."
	}
	o.warned.print(o, "%s\n  → %s", info.Withheld, next)
}

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
	}

	cmd.Flags().BoolVar(&k.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&k.forget, "forget", false, "no longer trust the file")
	cmd.MarkFlagsMutuallyExclusive("yes", "forget")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return k.run(cmd.Context(), &c.program, args) }

	return cmd
}

func (k *trustCommand) run(ctx context.Context, p *program, args []string) error {
	t, err := k.teamFile(&p.out.at, args)
	switch {
	case err != nil:
		return err
	case k.forget:
		err = daemon.TrustOf(p.out.at.env).Remove(t)
	default:
		err = p.trust(t, k.yes)
	}
	if err != nil {
		return err
	}

	return k.report(ctx, &p.out, t)
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
	trusted := daemon.TrustOf(o.at.env).Has(t)
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
	if at, err := o.at.place(); err == nil && at.TeamFile() == t.File {
		if info := daemon.Running(ctx, at); info != nil {
			return o.printLine("The daemon reads it when it starts: parley down --keep-agents ends this one, " +
				"and the agents stay.")
		}
	}

	return nil
}
