package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/when"
)

// surroundings are where a command was given.
type surroundings struct {
	env  daemon.Environ
	dir  string // the working directory; "" if it cannot be read
	host string // --host

	workspace string // --workspace
}

// program is one run of the binary, with everything it takes from the process.
type program struct {
	out        output
	in         *os.File
	executable string    // this binary, to start the daemon with
	started    time.Time // when the process was; zero if that is not known

	ended <-chan struct{} // closed once the program is to end, as after Ctrl-C; nil for never
}

func timeNow() time.Time { return time.Now() }

// cli is what all commands share: the program with the global flags, and the door to the service. What only prints gets
// its output.
type cli struct {
	program program
	out     *output       // of the program
	at      *surroundings // of the program
}

func newCLI(p program) *cli {
	c := &cli{program: p}
	c.out, c.at = &c.program.out, &c.program.out.at
	return c
}

// aside returns the same that prints where errors go.
func (c *cli) aside() *cli {
	a := newCLI(c.program)
	a.out.out = c.out.err
	return a
}

// exitCode ends the program with this status and prints nothing.
type exitCode int

func (exitCode) Error() string { return "" }

// command is one command of parley, as a value: what it takes, and what it does with that.
type command interface {
	// declare describes the command to cobra. Of what all commands share, it keeps what it needs to run.
	declare(c *cli) *cobra.Command
}

// commands are several commands, in the order of the help.
type commands []command

func (all commands) declare(c *cli) []*cobra.Command {
	var declared []*cobra.Command
	for _, one := range all {
		declared = append(declared, one.declare(c))
	}
	return declared
}

// family is a command that only has others below it.
type family struct {
	use, short, long, example string
	members                   commands
}

func (f family) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     f.use,
		Short:   f.short,
		Long:    f.long,
		Example: f.example,
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(f.members.declare(c)...)
	return cmd
}

// timeForms describes the times that a timeFlag accepts.
const timeForms = "10m, 2h, 3d, 14:30, 2026-01-31, or a full time"

// timeFlag is the value of a flag that takes a time: one of timeForms. Its string is of RFC 3339,
// and empty until it is set.
type timeFlag struct {
	at    time.Time
	ahead bool // it is a time to come
}

var errNoTime = errors.New("give " + timeForms)

// Set takes a time. The error is errNoTime.
func (f *timeFlag) Set(text string) error {
	at, ok := when.Parse(text, time.Now(), f.ahead)
	if !ok {
		return errNoTime
	}
	f.at = at
	return nil
}

func (f *timeFlag) String() string {
	if f.at.IsZero() {
		return ""
	}
	return f.at.Format(time.RFC3339Nano)
}

// Type is shown in the help.
func (f *timeFlag) Type() string { return "time" }

// readText joins the words of a text; a single - stands for standard input.
func (p *program) readText(words []string) (string, error) {
	if len(words) != 1 || words[0] != "-" {
		return strings.Join(words, " "), nil
	}
	b, err := io.ReadAll(io.LimitReader(p.in, maxStdin))
	if err != nil {
		return "", fmt.Errorf("read the text from standard input: %w", err)
	}
	return string(b), nil
}

// maxStdin bounds a text from standard input, in bytes. The longest text that the
// settings allow is shorter.
const maxStdin = 1 << 20

// run executes one command line and returns the exit status: 0, 1 for a failure, 2 for
// an invalid command line.
func (p program) run(ctx context.Context, args []string) int {
	c := newCLI(p)
	root := newRoot(c)
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out.out)
	root.SetErr(p.out.err)

	err := detachedWait(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		c.out.sayGoesOn()
		return 130 // what a shell reports for an interrupted command
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}

	if usage, ok := errors.AsType[usageError](err); ok {
		c.out.json = c.out.json || asksForJSON(args) // flags behind the mistake were not parsed
		c.out.fail(parley.Errorf(parley.InvalidArgument, "%w", usage.error).Suggest("%s", usage.next))
		return 2
	}

	c.out.fail(err)

	return 1
}

// sayGoesOn tells a person who has interrupted the command what goes on without it.
func (o *output) sayGoesOn() {
	if o.goesOn == "" || o.json {
		return
	}
	if redraws(o.at.env, o.err) {
		fmt.Fprint(o.err, "\r\x1b[K") // with the ^C that the terminal may have shown there
	}
	fmt.Fprintln(o.err, o.goesOn)
}

// newRoot builds the tree of commands.
func newRoot(c *cli) *cobra.Command {
	root := &cobra.Command{
		Use:   "parley",
		Short: "Run a team of AI coding agents in tmux and let them talk",
		Long: `parley runs AI coding agents in tmux terminals and types messages into them.
It proves and shows what became of each message. Without a command, parley opens the screen.`,
		Example: `  parley launch coder -- claude
  parley send coder "please rebase"
  parley log -f`,
		Args:              noSuchCommand,
		RunE:              func(cmd *cobra.Command, _ []string) error { return screens{c}.orHelp(cmd) },
		Version:           buildVersion(),
		PersistentPreRunE: checkFlagsTogether,
		SilenceErrors:     true,
		SilenceUsage:      true,
	}

	root.SetFlagErrorFunc(misusedFlag)
	root.SetVersionTemplate("parley {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVar(&c.at.workspace, "workspace", "", "directory of the workspace (default: found from here)")
	flags.StringVar(&c.at.host, "host", "", "machine of the daemon, over ssh: BOX or BOX:DIR")
	flags.BoolVar(&c.out.json, "json", false, "print the result as JSON")

	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand((&helpCommand{}).declare(c))
	root.SetHelpFunc(helpFunc(c.out))
	for _, group := range commandGroups() {
		root.AddCommand(group.commands.declare(c)...)
	}
	hidden := commands{execCommand{}, keepCommand{}, &linkCommand{}, demoAgentCommand{}, &hookCommand{}}
	root.AddCommand(hidden.declare(c)...)
	checkArguments(root)

	return root
}
