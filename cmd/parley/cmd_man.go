package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley"
)

type manCommand struct{}

func (manCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a directory",
		Example: `  parley man ~/.local/share/man/man1
  man parley-send`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := c.at.absolute(args[0])
			pages := manPages(cmd.Root())
			err := os.MkdirAll(dir, 0o755)
			for name, text := range pages {
				err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			if err != nil {
				return parley.Errorf(parley.InvalidArgument, "the manual pages were not written: %w", err).
					Suggest("Name a directory in which you may write.")
			}

			return c.out.printLine(fmt.Sprintf("%d pages written to %s.", len(pages), dir))
		},
	}
}

// manPages returns a page for a command and each below it, by the name of its file.
func manPages(cmd *cobra.Command) map[string]string {
	pages := map[string]string{}
	if cmd.Hidden {
		return pages
	}

	pages[manName(cmd)+".1"] = manPage(cmd)
	for _, sub := range cmd.Commands() {
		maps.Copy(pages, manPages(sub))
	}

	return pages
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns one page in the language of man.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1\n", strings.ToUpper(manName(cmd)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", manName(cmd), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	if cmd.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roff(cmd.Long))
	}

	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}

	if related := manRelated(cmd); len(related) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(related, "\n"))
	}

	return b.String()
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, doc := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name+" "+kind)), roff(doc))
	})
}

// manRelated returns the pages of the command above and of those below.
func manRelated(cmd *cobra.Command) []string {
	var related []string
	if cmd.HasParent() {
		related = append(related, manName(cmd.Parent()))
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			related = append(related, manName(sub))
		}
	}
	slices.Sort(related)
	for i, name := range related {
		related[i] = ".BR " + roff(name) + " (1)"
	}
	return related
}

// roff escapes a text for man: backslashes, hyphens that are to stay hyphens, and a dot or an
// apostrophe that begins a line, which would be a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
