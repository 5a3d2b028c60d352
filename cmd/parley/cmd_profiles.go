package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/plain"
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

type profileShare struct{ cli *cli }

func (s *profileShare) command() *cobra.Command {
	return &cobra.Command{
		Use:   "share NAME",
		Short: "Print a learned profile as a pull request wants it",
		Long: `Prints a learned profile and its screens as a patch that adds them to parley's source. Read it
before you give it away: the screens show what stood on them, such as the name of a directory.`,
		Example: `  parley profiles share robot
  parley profiles share robot | git apply  # in a clone of parley`,
		RunE: func(_ *cobra.Command, args []string) error { return s.run(args[0]) },
	}
}

func (s *profileShare) run(name string) error {
	dir := daemon.LearnedDir(s.cli.at.env)
	file := filepath.Join(dir, name+".yaml")
	if _, err := os.Stat(file); dir == "" || err != nil || filepath.Base(name) != name {
		return parley.Errorf(parley.InvalidArgument, "no profile %q was learned here", plain.CleanLine(name)).
			Suggest("Learn it first: parley profiles learn NAME -- COMMAND")
	}
	one, err := daemon.LoadLearned(file)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the profile: %w", err)
	}

	files := map[string]string{"program/profile/profiles/" + name + ".yaml": comments(string(text)) +
		plainBody(one.Profiles[name])}
	screens, err := filepath.Glob(filepath.Join(dir, name, "*x*-*"))
	if err != nil {
		return fmt.Errorf("find the screens of %s: %w", name, err)
	}
	for _, screen := range screens {
		text, err := os.ReadFile(screen)
		if err != nil {
			return fmt.Errorf("read a screen: %w", err)
		}
		files["program/profile/testdata/"+name+"/"+filepath.Base(screen)] = string(text)
	}

	return s.print(files)
}

// comments returns the lines with which a file begins that are comments.
func comments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// plainBody returns a profile's keys without indentation, as the file of a built-in profile has them.
func plainBody(body yaml.RawMessage) string {
	var keys yaml.MapSlice
	if err := yaml.Unmarshal(body, &keys); err != nil {
		return string(body)
	}
	text, err := yaml.Marshal(keys)
	if err != nil {
		return string(body)
	}
	return string(text)
}

func (s *profileShare) print(files map[string]string) error {
	type shared struct {
		Path string `json:"path"`
		Text string `json:"text"`
	}
	var all []shared
	for path, text := range files {
		all = append(all, shared{path, text})
	}
	slices.SortFunc(all, func(a, b shared) int { return strings.Compare(a.Path, b.Path) })
	if s.cli.out.json {
		return s.cli.out.printJSON(struct {
			parley.Answer
			Files []shared `json:"files"`
		}{parley.OK, all})
	}

	w := bufio.NewWriter(s.cli.out.out)
	for _, f := range all {
		lines := strings.Split(strings.TrimSuffix(f.Text, "\n"), "\n")
		fmt.Fprintf(w, "diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n",
			f.Path, f.Path, f.Path, len(lines))
		for _, line := range lines {
			fmt.Fprintf(w, "+%s\n", line)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the patch: %w", err)
	}
	_, err := fmt.Fprintln(s.cli.out.err,
		"→ Read it before you share it: the screens show what stood on them, such as "+
			"names of directories.")
	return err
}
