package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/program/profile"
)

type initCommand struct{}

func (i initCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a parley.yaml for the agent programs that are installed",
		Long: `Looks for the agent programs that parley knows, and writes a parley.yaml with one agent for
each, and comments that show the rest. It never replaces a file. You need not trust the file
that it writes; after you have changed it, parley up asks.`,
		Example: `  parley init
  parley init --workspace ~/projects/shop`,
		RunE: func(*cobra.Command, []string) error { return i.run(c.out) },
	}
}

// run writes the workspace's parley.yaml and reports it.
func (i initCommand) run(o *output) error {
	at, err := o.at.place()
	if err != nil {
		return err
	}
	if o.at.isAgent() {
		return parley.Errorf(parley.NotAuthorized, "an agent cannot write the team's file in your place").
			Suggest("The operator runs parley init in a terminal of their own.")
	}

	found, err := installedPrograms()
	if err != nil {
		return err
	}
	text, err := teamText(found)
	if err != nil {
		return err
	}
	if err := writeNew(at.TeamFile(), text); err != nil {
		return err
	}

	t, err := daemon.LoadTeam(at.TeamFile(), true)
	if err == nil {
		err = daemon.TrustOf(o.at.env).Add(t)
	}
	if err != nil {
		return err
	}

	return i.report(o, t, found)
}

// installedPrograms returns the profiles that were tried and whose programs are in PATH, by name.
func installedPrograms() ([]string, error) {
	set, err := profile.Builtin()
	if err != nil {
		return nil, err
	}

	var found []string
	for _, name := range set.Names() {
		p, err := set.Find(name)
		if err != nil || len(p.Tested) == 0 || len(p.Command) == 0 {
			continue
		}
		if _, err := exec.LookPath(p.Command[0]); err == nil {
			found = append(found, name)
		}
	}

	return found, nil
}

//go:embed init.yaml.tmpl
var teamTemplate string

// teamText returns a parley.yaml with an agent for each of the programs.
func teamText(programs []string) (string, error) {
	t, err := template.New("parley.yaml").Parse(teamTemplate)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, struct {
		Programs []string
		First    string
	}{programs, slices.Concat(programs, []string{"tryout"})[0]})

	return b.String(), err
}

// writeNew writes a file that must not exist.
func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return parley.Errorf(parley.InvalidArgument, "%s is there already; nothing was changed", path).
			Suggest("Start its agents: parley up. What else a file can say is in docs/settings.md.")
	case err != nil:
		return parley.Errorf(parley.StorageUnavailable, "%s cannot be written: %w", path, place.PathCause(err)).
			Suggest("Make the directory writable for you, or name another workspace with --workspace.")
	}

	_, err = f.WriteString(text)

	return errors.Join(err, f.Close())
}

func (initCommand) report(o *output, t *daemon.Team, found []string) error {
	if o.json {
		return o.printJSON(struct {
			parley.Answer
			File     string   `json:"file"`
			SHA256   string   `json:"sha256"`
			Programs []string `json:"programs"`
		}{parley.OK, t.File, t.Hash, append([]string{}, found...)})
	}

	what := "No agent program was found in PATH, so its one agent is parley's own scripted program."
	if len(found) > 0 {
		what = "Found " + strings.Join(found, ", ") + "; each is an agent there."
	}
	if err := o.printLine(fmt.Sprintf("Wrote %s. %s", t.File, what)); err != nil {
		return err
	}

	return o.printLine("  parley up     starts them\n" +
		"  parley tui    shows them; change the file at any time, and run parley up again\n" +
		"  sandbox: true  for an agent there keeps its program from all else of yours: docs/security.md")
}
