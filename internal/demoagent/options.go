package demoagent

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// options are the flags.
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
