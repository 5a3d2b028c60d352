// Package demoagent is a scripted agent that behaves like an agent CLI: it has a
// composer in its terminal, takes framed pastes, thinks, asks for permission, and talks
// to the team. The demo and the tests run it; it uses no model. The profile `demo`
// describes its screen.
package demoagent

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"parley"
)

// Program is the process that Main runs in.
type Program struct {
	Args          []string // without the program's name
	Stdin, Stdout *os.File // the terminal
	Stderr        io.Writer
	Team          parley.Service // nil: it is on no team
}

// Main runs the agent until its input ends, a rule or a signal ends it, or ctx ends. It
// restores the terminal and returns the exit status.
func Main(ctx context.Context, p Program) int {
	opts, err := parse(p.Args, p.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}

	if err != nil {
		fmt.Fprintln(p.Stderr, "demo-agent:", err)
		return 2
	}

	signals := []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
	if opts.ignoreHangup {
		signal.Ignore(syscall.SIGHUP)
		signals = signals[:1]
	}

	ctx, stop := signal.NotifyContext(ctx, signals...)
	defer stop()

	if err := run(ctx, p, opts); err != nil {
		fmt.Fprintln(p.Stderr, "demo-agent:", err)
		return 1
	}

	return 0
}

func run(ctx context.Context, p Program, opts options) error {
	if !term.IsTerminal(int(p.Stdin.Fd())) {
		return errors.New("stdin is not a terminal; start me in one, for example with " +
			"`parley launch NAME --profile demo`")
	}

	tty, err := openTerminal(p.Stdin, p.Stdout)
	if err != nil {
		return err
	}
	defer tty.restore()

	a := &agent{opts: opts, screen: screen{tty: tty, label: opts.label()}, team: p.Team,
		log: logFile{path: opts.log, now: time.Now}}
	return a.run(ctx, tty)
}

// entry is one line of the log: a submitted prompt, an answered dialog, or the hangup of
// a terminal that the agent outlives.
type entry struct {
	Time   time.Time `json:"time"`
	Text   string    `json:"text,omitempty"`
	Dialog string    `json:"dialog,omitempty"` // yes or no
	Hangup bool      `json:"hangup,omitempty"`
}

type logFile struct {
	path string
	now  func() time.Time
}

// add appends a line in one write, so that the lines of several agents do not mix.
func (l logFile) add(e entry) error {
	if l.path == "" {
		return nil
	}

	e.Time = l.now()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}

	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}

	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return fmt.Errorf("log: %w", err)
	}

	return f.Close()
}

type options struct {
	role         string
	rules        []rule
	start        []act
	needs        []string // agents that must be there before start
	work         time.Duration
	dialogStart  bool
	dialogOn     *regexp.Regexp
	exitOn       *regexp.Regexp
	log          string
	ignoreHangup bool
	commits      bool
}

const usage = `A scripted agent: it has a composer, takes pastes, thinks, and talks to the team.

  parley demo-agent --role planner          one of the four of the demo
  parley demo-agent --on 'ping' --reply pong

Flags:
`

func parse(args []string, out io.Writer) (options, error) {
	o := options{}
	f := flag.NewFlagSet("demo-agent", flag.ContinueOnError)
	f.SetOutput(out)
	f.Usage = func() {
		fmt.Fprint(out, usage)
		f.PrintDefaults()
	}

	f.StringVar(&o.role, "role", "", "a built-in script: "+strings.Join(roleNames(), ", "))
	f.DurationVar(&o.work, "work", 600*time.Millisecond, "how long it thinks about each prompt")
	f.StringVar(&o.log, "log", "", "append each submitted prompt to this `FILE`, one JSON object a line")
	f.BoolVar(&o.dialogStart, "dialog-at-start", false, "begin with a permission dialog")
	f.BoolVar(&o.commits, "commits", false,
		"write and commit the files of its script, in the directory that it runs in")
	f.BoolVar(&o.ignoreHangup, "ignore-hangup", false, "go on when the terminal closes")
	f.Func("on", "when a prompt matches `REGEX`, answer with the --reply that follows", o.addRule)
	f.Func("reply", "answer with `TEXT` what matches the --on before it", o.addReply)
	f.Func("broadcast-at-start", "broadcast `TEXT` once", func(s string) error {
		o.start = append(o.start, act{tool: broadcast, text: s})
		return nil
	})

	f.Func("dialog-on", "ask for permission when a prompt matches `REGEX`", compileInto(&o.dialogOn))
	f.Func("exit-on", "exit when a prompt matches `REGEX`", compileInto(&o.exitOn))
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, fmt.Errorf("%w; see demo-agent --help", err)
	}

	return o, o.finish(f.Args())
}

func (o *options) addRule(s string) error {
	re, err := regexp.Compile(s)
	o.rules = append(o.rules, rule{on: re})
	return err
}

func (o *options) addReply(s string) error {
	if len(o.rules) == 0 {
		return errors.New("--reply needs an --on before it")
	}
	last := &o.rules[len(o.rules)-1]
	last.acts = append(last.acts, act{tool: reply, text: s})
	return nil
}

// finish adds the role's script after the rules of the command line.
func (o *options) finish(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unknown argument %q; see demo-agent --help", rest[0])
	}
	if o.role == "" {
		return nil
	}

	script, ok := roles()[o.role]
	if !ok {
		return fmt.Errorf("there is no role %q; the roles are: %s", o.role, strings.Join(roleNames(), ", "))
	}

	o.rules = slices.Concat(o.rules, script.rules)
	o.start, o.needs = slices.Concat(o.start, script.start), script.needs

	return nil
}

func (o *options) label() string {
	if o.role == "" {
		return "demo agent"
	}
	return "demo agent, " + o.role
}

func compileInto(into **regexp.Regexp) func(string) error {
	return func(s string) error {
		re, err := regexp.Compile(s)
		*into = re
		return err
	}
}
