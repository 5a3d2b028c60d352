package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
