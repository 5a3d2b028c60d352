package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"parley"
	"parley/program/profile"
)

// profilesCommand only reads files; it does not start a daemon.
type profilesCommand struct{}

func (p profilesCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "profiles [NAME]",
		Short: "List the kinds of program that parley knows, or show one",
		Long: `Lists the profiles that come with parley and those of the workspace's parley.yaml.
With a name, it prints that profile in the form of parley.yaml.`,
		Example: `  parley profiles
  parley profiles claude`,
		Args: usage(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := c.profileSet()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return p.list(c.out, set)
			}

			one, err := set.Find(args[0])
			if err != nil {
				return err
			}

			return p.show(c.out, one)
		},
	}

	learn := &profileLearn{cli: c, check: profileCheck{cli: c}}
	cmd.AddCommand((&profileCheck{cli: c}).command(), learn.command(), (&profileShare{c}).command())
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completer{c}.profiles(), cobra.ShellCompDirectiveNoFileComp
	}

	return cmd
}

func (profilesCommand) list(o *output, set profile.Set) error {
	type profileJSON struct {
		Name    string   `json:"name"`
		Summary string   `json:"summary"`
		Command []string `json:"command"`
		Markers bool     `json:"markers"` // its screen tells when it is ready
		Tested  []string `json:"tested"`
	}

	var list []profileJSON
	var t table
	t.headed = true
	t.add(o.heads("NAME", "COMMAND", "READY WHEN", "TRIED WITH", "SUMMARY")...)
	for _, name := range set.Names() {
		p, err := set.Find(name)
		if err != nil {
			return err
		}

		ready := "quiet"
		if p.HasMarkers() {
			ready = "its screen says so"
		}

		list = append(list, profileJSON{
			p.Name,
			p.Summary,
			append([]string{}, p.Command...),
			p.HasMarkers(),
			append([]string{}, p.Tested...),
		})

		t.add(o.paint(bold, p.Name), strings.Join(p.Command, " "), ready, strings.Join(p.Tested, ", "), p.Summary)
	}

	if o.json {
		return o.printJSON(struct {
			parley.Answer
			Profiles []profileJSON `json:"profiles"`
		}{parley.OK, list})
	}

	t.print(o)

	return nil
}

func (profilesCommand) show(o *output, p *profile.Profile) error {
	text, err := p.YAML()
	if err != nil {
		return err
	}
	if o.json {
		if text, err = yaml.YAMLToJSON(text); err != nil {
			return fmt.Errorf("encode the profile %s: %w", p.Name, err)
		}
		return o.printJSON(struct {
			parley.Answer
			Profile json.RawMessage `json:"profile"`
		}{parley.OK, text})
	}
	return o.printLine(strings.TrimRight(string(text), "\n"))
}
