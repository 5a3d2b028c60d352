package main

import (
	"cmp"
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

// helpWidth is the number of columns of help that goes to no terminal.
const helpWidth = 100

// commandGroup is a part of the commands. Those that a person needs most come first, and help shows only the
// first two groups unless it is asked for all.
type commandGroup struct {
	title string
	commands
}

func commandGroups() []commandGroup {
	return []commandGroup{
		{"Every day", commands{
			&launchCommand{}, &upCommand{}, &agentsCommand{}, needsCommand{}, answerCommand{}, sendCommand{},
			&logCommand{}, attachCommand{}, diffCommand, reviewCommand{}, &mergeCommand{}, stopCommand{},
			downCommand{},
		}},
		{"Often", commands{
			initCommand{}, webCommand{}, broadcastCommand{}, inboxCommand{}, replyCommand{}, steerCommand{},
			askCommand{}, waitCommand{}, threadCommand,
			sessionsCommand{},
			findCommand{}, explainCommand, retryCommand{}, &restartCommand{}, &handoffCommand{},
			pauseCommand(), resumeCommand(), layoutCommand{}, usageCommand{}, &statusCommand{}, &doctorCommand{},
		}},
		{"Agents and their terminals", commands{
			adoptCommand{}, leaveCommand{}, registerCommand, &approveCommand{}, inviteCommand,
			keyCommand, responderCommand(), profilesCommand{}, &trustCommand{}, terminalCommand, pullCommand,
		}},
		{"Messages and files", commands{
			readCommand, ignoreCommand, messageCommand{}, whoisCommand, historyCommand, scheduleCommand{},
			searchCommand{},
			conversationCommand, &sendFileCommand{}, &getFileCommand{}, filesCommand{}, &exportCommand{},
		}},
		{"The daemon and this program", commands{
			&tuiCommand{}, hostCommand, notifyCommand, &serveCommand{}, backupCommand{}, moveDatabaseCommand{},
			serviceCommand(),
			&mcpCommand{}, &opsCommand{}, schemaCommand{}, manCommand{}, &completionCommand{}, demoCommand{},
			versionCommand{}, &uninstallCommand{},
		}},
	}
}

// briefly is the number of groups that help shows when it is not asked for all.
const briefly = 2

type helpCommand struct{ all bool }

func (h *helpCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [COMMAND…]",
		Short: "Show what a command does, with examples",
		Example: `  parley help
  parley help send
  parley help --all`,
	}

	cmd.Flags().BoolVar(&h.all, "all", false, "list every command")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if found, _, err := cmd.Root().Find(args); err == nil && (found != cmd.Root() || len(args) == 0) {
			return nil
		}
		return noSuchCommand(cmd.Root(), args)
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		of, _, err := cmd.Root().Find(args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, sub := range available(of) {
			names = append(names, sub.Name()+"\t"+sub.Short)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		of, _, err := cmd.Root().Find(args)
		if err != nil {
			return err
		}
		return printHelp(c.out, of, h.all)
	}

	return cmd
}

func helpFunc(o *output) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, _ []string) { _ = printHelp(o, cmd, false) }
}

func printHelp(o *output, of *cobra.Command, all bool) error {
	switch {
	case o.json:
		return o.printJSON(helpJSON(of))
	case of == of.Root():
		return o.printLine(overview(o, of, all))
	}
	return o.printLine(helpText(of, helpColumns(o)))
}

func helpColumns(o *output) int { return cmp.Or(columnsOf(o.out), helpWidth) }

// available returns the commands below one that help lists.
func available(cmd *cobra.Command) []*cobra.Command {
	hidden := func(sub *cobra.Command) bool { return !sub.IsAvailableCommand() }
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), hidden)
}

// overview returns the help of the program: the commands of every day with what they do, and the names of those
// that are used often; or all commands.
func overview(o *output, root *cobra.Command, all bool) string {
	lines := []string{"parley runs AI coding agents in tmux, and proves what became of each message.", ""}
	for i, g := range commandGroups() {
		declared := g.commands.declare(newCLI(program{})) // for their names, and what they say of themselves
		switch {
		case all || i == 0:
			if lines = append(lines, o.paint(bold, g.title+":")); i == 0 {
				lines = append(lines, commandLine("parley", "Open the screen"))
			}
			for _, cmd := range declared {
				lines = append(lines, commandLine(cmd.Name(), cmd.Short))
			}
			lines = append(lines, "")
		case i < briefly:
			var names []string
			for _, cmd := range declared {
				names = append(names, cmd.Name())
			}
			lines = append(lines, o.paint(bold, g.title+":"))
			lines = append(lines, indented(fold(strings.Join(names, ", "), min(helpColumns(o), 80)-2), "  ")...)
			lines = append(lines, "")
		}
	}

	lines = append(lines, commandLine("parley help COMMAND", "   shows one with examples"))
	if !all {
		total := len(available(root))
		return strings.Join(append(lines, commandLine("parley help --all", fmt.Sprintf("     lists all %d", total))),
			"\n")
	}
	return strings.Join(append(lines, "", "Flags of all commands:", flagLines(root.PersistentFlags(), helpColumns(o))),
		"\n")
}

func commandLine(name, short string) string { return "  " + pad(name, 14) + " " + short }

// helpText returns the help of one command, in lines of so many columns.
func helpText(cmd *cobra.Command, width int) string {
	parts := []string{strings.Join(foldParagraphs(cmp.Or(cmd.Long, cmd.Short), width), "\n")}
	usage := "Usage:\n  " + cmd.UseLine()
	if !cmd.Runnable() || cmd.HasAvailableSubCommands() {
		usage = "Usage:\n  " + cmd.CommandPath() + " COMMAND"
	}
	parts = append(parts, usage)
	if len(cmd.Aliases) > 0 {
		parts = append(parts, "Other names:\n  "+strings.Join(cmd.Aliases, ", "))
	}

	if cmd.HasAvailableSubCommands() {
		lines := []string{"Commands:"}
		for _, sub := range available(cmd) {
			lines = append(lines, commandLine(sub.Name(), sub.Short))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	if cmd.Example != "" {
		parts = append(parts, "Examples:\n"+strings.TrimRight(cmd.Example, "\n"))
	}
	if cmd.HasAvailableLocalFlags() {
		parts = append(parts, "Flags:\n"+flagLines(cmd.LocalFlags(), width))
	}
	if cmd.HasAvailableInheritedFlags() {
		parts = append(parts, "Flags of all commands:\n"+flagLines(cmd.InheritedFlags(), width))
	}

	return strings.Join(parts, "\n\n")
}

func flagLines(flags *pflag.FlagSet, width int) string {
	return strings.TrimRight(flags.FlagUsagesWrapped(width), "\n")
}

// foldParagraphs folds the paragraphs of a text. A line that begins with a space stays as it is.
func foldParagraphs(text string, width int) []string {
	var lines []string
	paragraph := ""
	end := func() {
		if paragraph != "" {
			lines = append(lines, fold(paragraph, width)...)
		}
		paragraph = ""
	}

	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case line == "", strings.HasPrefix(line, " "):
			end()
			lines = append(lines, line)
		default:
			paragraph = strings.TrimLeft(paragraph+" "+line, " ")
		}
	}
	end()

	return lines
}

// commandJSON is the help of a command for a program.
type commandJSON struct {
	Command  string     `json:"command"`
	Short    string     `json:"short"`
	Long     string     `json:"long,omitempty"`
	Usage    string     `json:"usage"`
	Aliases  []string   `json:"aliases,omitempty"`
	Examples string     `json:"examples,omitempty"`
	Flags    []flagJSON `json:"flags,omitempty"`

	Commands []commandJSON `json:"commands,omitempty"`
}

type flagJSON struct {
	Name  string `json:"name"`
	Short string `json:"shorthand,omitempty"`
	Type  string `json:"type"`
	Doc   string `json:"description"`
}

func helpJSON(of *cobra.Command) any {
	return struct {
		parley.Answer
		commandJSON
	}{parley.OK, describe(of)}
}

func describe(cmd *cobra.Command) commandJSON {
	d := commandJSON{Command: cmd.CommandPath(), Short: cmd.Short, Long: cmd.Long, Usage: cmd.UseLine(),
		Aliases: cmd.Aliases, Examples: cmd.Example}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			d.Flags = append(d.Flags, flagJSON{f.Name, f.Shorthand, f.Value.Type(), f.Usage})
		}
	})
	for _, sub := range available(cmd) {
		d.Commands = append(d.Commands, describe(sub))
	}
	return d
}

type manCommand struct{}

func (manCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a directory",
		Example: `  parley man ~/.local/share/man/man1
  man parley-send`,
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
