package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

func trustCommand(c *cli) *cobra.Command {
	var yes, forget bool
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

	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&forget, "forget", false, "no longer trust the file")
	cmd.MarkFlagsMutuallyExclusive("yes", "forget")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := c.teamFile(args)
		switch {
		case err != nil:
			return err
		case forget:
			err = daemon.TrustOf(c.env).Remove(t)
		default:
			err = c.trust(t, yes)
		}
		if err != nil {
			return err
		}

		return c.printTrust(cmd.Context(), t)
	}

	return cmd
}

// teamFile reads the file that is named on the command line, else the workspace's.
func (c *cli) teamFile(args []string) (*daemon.Team, error) {
	if len(args) > 0 {
		return daemon.LoadTeam(c.absolute(args[0]), true)
	}
	at, err := c.place()
	if err != nil {
		return nil, err
	}
	return daemon.LoadTeam(at.TeamFile(), true)
}

// absolute returns a path of the command line as an absolute one.
func (s *surroundings) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.dir, path)
}

// trust remembers that the user trusts a file, after asking.
func (c *cli) trust(t *daemon.Team, yes bool) error {
	trust := daemon.TrustOf(c.env)
	switch {
	case trust.Has(t):
		return nil
	case c.isAgent():
		return parley.Errorf(parley.NotAuthorized, "an agent cannot trust a file in your place").
			Suggest("The operator runs parley trust in a terminal of their own.")
	case !yes && !c.canAsk():
		return parley.Errorf(parley.InvalidArgument, "nobody can be asked: there is no terminal").
			With("file", t.File).With("sha256", t.Hash).
			Suggest("Read the file, then run parley trust --yes, or set %s=%s.", daemon.TrustHashes, t.Hash)
	case !yes:
		if !c.asked(t) {
			return exitCode(1)
		}
	}
	return trust.Add(t)
}

// isAgent reports whether the program of an agent may run this command: it cannot be shown that the operator does.
func (c *cli) isAgent() bool {
	at, err := c.place()
	return c.env.Get("PARLEY_AGENT_ID") != "" || daemon.OfAgent(os.Getpid()) || err == nil && !at.IsOperators(os.Getpid())
}

// canAsk reports whether a person can be asked.
func (c *cli) canAsk() bool { return isTerminal(c.in) && isTerminal(c.err) && !c.json }

// asked shows what a file does and asks whether the user trusts it.
func (c *cli) asked(t *daemon.Team) bool {
	fmt.Fprintf(c.err, "%s says:\n%s", c.paintFor(c.err, bold, t.File), claimLines(t))
	return c.agreed("Do you trust this file? [y/N] ")
}

// agreed asks a question that is answered with yes or no.
func (c *cli) agreed(question string) bool {
	fmt.Fprint(c.err, question)

	answer, _ := readLine(c, bufio.NewReader(c.in)) // no answer is a no
	answer = strings.ToLower(strings.TrimSpace(answer))

	return answer == "y" || answer == "yes"
}

// readLine reads a line that a person types. Ctrl-C ends it at once, with context.Canceled.
func readLine(c *cli, from *bufio.Reader) (string, error) {
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
	case <-c.ended:
		fmt.Fprintln(c.err)
		return "", context.Canceled
	}
}

func claimLines(t *daemon.Team) string {
	var b strings.Builder
	for _, claim := range t.Claims {
		b.WriteString("  " + strings.ReplaceAll(claim.Words, "\n", "\n  ") + "\n")
	}
	return b.String()
}

// printTrust tells whether a file counts.
func (c *cli) printTrust(ctx context.Context, t *daemon.Team) error {
	trusted := daemon.TrustOf(c.env).Has(t)
	if c.json {
		return c.printJSON(struct {
			parley.Answer
			File    string         `json:"file"`
			SHA256  string         `json:"sha256"`
			Trusted bool           `json:"trusted"`
			Claims  []daemon.Claim `json:"claims"`
		}{parley.OK, t.File, t.Hash, trusted, append([]daemon.Claim{}, t.Claims...)})
	}

	switch {
	case len(t.Claims) == 0:
		return c.printLine(t.File + " needs no trust: it runs, opens, sends and deletes nothing.")
	case !trusted:
		return c.printLine(t.File + " is not trusted.")
	}

	c.printf("%s is trusted:\n%s", t.File, claimLines(t))
	if at, err := c.place(); err == nil && at.TeamFile() == t.File {
		if info := daemon.Running(ctx, at); info != nil {
			return c.printLine("The daemon reads it when it starts: parley down --keep-agents ends this one, " +
				"and the agents stay.")
		}
	}

	return nil
}

// consent asks for trust in the workspace's file before a daemon starts. Without it, the daemon
// starts with what is harmless.
func (c *cli) consent(at daemon.Place) {
	t, err := daemon.LoadTeam(at.TeamFile(), false)
	trust := daemon.TrustOf(c.env)
	if err != nil || trust.Has(t) || !c.canAsk() || c.isAgent() || !c.asked(t) {
		return
	}
	if err := trust.Add(t); err != nil {
		c.fail(err)
	}
}

// warnOfTrust warns when the daemon ignores parts of parley.yaml.
func (o *output) warnOfTrust(at daemon.Place, info *daemon.Info) {
	if info == nil || info.Withheld == "" {
		return
	}

	next := "parley trust shows what it does, and asks."
	t, err := daemon.LoadTeam(at.TeamFile(), false)
	switch {
	case err != nil:
	case len(t.Claims) == 0: // what is ignored is a file of the user's own
		next = "parley trust FILE shows what it does, and asks."
	case daemon.TrustOf(o.env).Has(t):
		next = "It is trusted now: parley down --keep-agents lets the next command start a daemon that reads it."
	}
	o.warned.print(o, "%s\n  → %s", info.Withheld, next)
}
