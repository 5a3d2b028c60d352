package main

import (
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/op"
)

// The linker sets these when a release is built; nothing else writes them.
var version, commit, date string

// buildVersion returns the release, or else the commit of the build.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// buildOrigin returns the commit and its date in parentheses, if they are known.
func buildOrigin() string {
	switch {
	case commit == "":
		return ""
	case date == "":
		return " (" + commit + ")"
	}
	return " (" + commit + ", " + date + ")"
}

type versionCommand struct{}

func (versionCommand) declare(c *cli) *cobra.Command {
	o := c.out
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  parley version",
		RunE: func(*cobra.Command, []string) error {
			if o.json {
				return o.printJSON(struct {
					parley.Answer
					Version string `json:"version"`
					Commit  string `json:"commit,omitempty"`
					Date    string `json:"date,omitempty"`
				}{parley.OK, buildVersion(), commit, date})
			}
			return o.printLine("parley " + buildVersion() + buildOrigin())
		},
	}
}

// opsCommand lists the operations.
type opsCommand struct{}

func (l *opsCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "ops",
		Short: "List the operations of the API",
		Long: "Lists the operations: each is POST /api/NAME, and a value of package op in Go. " +
			"Those for agents are MCP tools too.",
		Example: `  parley ops
  parley ops --json`,
		RunE: func(*cobra.Command, []string) error { return l.run(c.out) },
	}
}

func (l *opsCommand) run(out *output) error {
	if out.json {
		return l.printJSON(out)
	}

	var t table
	for _, o := range op.All {
		summary, _, _ := strings.Cut(o.Summary, ". ")
		t.add(out.paint(bold, o.Name), accessName(o.Access), strings.TrimSuffix(summary, "."))
		t.add("", "", parameters(o))
	}
	t.print(out)

	return nil
}

func accessName(a op.Access) string {
	switch a {
	case op.Public:
		return "anyone"
	case op.Team:
		return "agents"
	case op.Orchestrators:
		return "orchestrators"
	}
	return "operator"
}

// parameters lists an operation's parameters, optional ones with a question mark.
func parameters(o *op.Op) string {
	var names []string
	for _, f := range o.Fields {
		if !f.Required {
			f.Name += "?"
		}
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

func (*opsCommand) printJSON(out *output) error {
	type opJSON struct {
		Name    string `json:"name"`
		Summary string `json:"summary"`
		Access  string `json:"access"`
		Input   any    `json:"input_schema"`
		Output  any    `json:"output_schema"`
	}

	var list []opJSON
	for _, o := range op.All {
		list = append(list, opJSON{o.Name, o.Summary, accessName(o.Access), o.Input(), o.Output()})
	}

	return out.printJSON(struct {
		parley.Answer
		Operations []opJSON `json:"operations"`
	}{parley.OK, list})
}

type schemaCommand struct{}

func (schemaCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON schema of parley.yaml",
		Example: "  parley schema > parley.schema.json",
		RunE: func(*cobra.Command, []string) error {
			b, err := daemon.Schema()
			if err != nil {
				return err
			}
			return c.out.printLine(string(b))
		},
	}
}
