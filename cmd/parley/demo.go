package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
)

// demoWithin bounds the demo's conversation. It takes less than a minute; the rest is for a
// busy machine.
const demoWithin = 5 * time.Minute

// demoTeam lists the demo's agents in the order of launch: the planner begins as soon
// as the other three are there.
var demoTeam = []string{"reviewer", "tester", "coder", "planner"}

// demoDeliveries counts the messages of the script, by sender and recipient.
var demoDeliveries = map[string]int{
	"planner → coder": 2, "planner → reviewer": 2, "planner → tester": 2, // the plan, and that it is done
	"coder → planner": 2, "coder → reviewer": 1, "reviewer → coder": 1,
}

type demoCommand struct{}

func (demoCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Watch four scripted agents work; nothing is left behind",
		Long: `Launches four scripted agents in a temporary workspace. coder asks before it begins, and a message waits
until that is answered. tester and reviewer thank each other until they are stopped. coder commits what it is told
in reviews, in a worktree of its own.

On a terminal the screen shows it: t for all terminals, 1 answers the question, d reviews what coder did, m merges it.
Elsewhere parley answers, prints the traffic and merges, and the exit status is 0 only if every delivery was proven.
It needs no key and no network, and git only for the commits.`,
		Example: "  parley demo\n  parley demo | cat",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
			defer stop()

			d, err := newDemo(c.program)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.end(context.WithoutCancel(ctx))) }()

			if err := d.launch(ctx); err != nil {
				return err
			}
			if isTerminal(c.program.in) && isTerminal(c.out.out) && !c.out.json {
				return screens{d.cli}.open(ctx, screenLink{tip: demoTip})
			}

			return d.print(ctx)
		},
	}
}

// demoCoder is the agent of the demo that asks and commits.
const demoCoder = "coder"

// demoTip says how to begin.
const demoTip = "coder asks something in a moment: press 4, then enter and 1. q ends the demo; nothing is left behind."

// demo is one run of the demo. Its cli keeps everything in a temporary directory.
type demo struct {
	cli        *cli
	dir        string
	repository bool // its workspace is a git repository
}

// newDemo makes the demo's workspace. It is under /tmp, because the paths of sockets
// must be short.
func newDemo(p program) (*demo, error) {
	dir, err := os.MkdirTemp("/tmp", "parley-demo-")
	if err != nil {
		return nil, fmt.Errorf("make the demo's workspace: %w", err)
	}

	d := &demo{cli: newCLI(p), dir: place.RealPath(dir)}
	d.cli.at.workspace = filepath.Join(d.dir, "demo")
	dirs := map[string]string{"XDG_RUNTIME_DIR": "run", "XDG_STATE_HOME": "state", "TMUX_TMPDIR": "tmux"}
	d.cli.at.env = slices.DeleteFunc(p.out.at.env.Scrubbed(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return dirs[name] != "" || strings.HasPrefix(name, "PARLEY_")
	})

	// The demo is the operator of its own workspace, also where it has no terminal.
	d.cli.at.env = append(d.cli.at.env, daemon.OperatorKey+"=parley_"+rand.Text()+rand.Text())

	err = os.Mkdir(d.cli.at.workspace, 0o700)
	for name, sub := range dirs {
		d.cli.at.env = append(d.cli.at.env, name+"="+filepath.Join(d.dir, sub))
		err = errors.Join(err, os.Mkdir(filepath.Join(d.dir, sub), 0o700))
	}

	if err != nil {
		return nil, errors.Join(fmt.Errorf("make the demo's workspace: %w", err), os.RemoveAll(d.dir))
	}
	d.repository = d.git("init", "--quiet", "--initial-branch", "main") == nil &&
		d.git("commit", "--quiet", "--allow-empty", "--message", "begin") == nil

	return d, nil
}

// git runs git in the demo's workspace.
func (d *demo) git(words ...string) error {
	as := []string{"-C", d.cli.at.workspace, "-c", "user.name=demo", "-c", "user.email=demo@demo.invalid", "-c",
		"commit.gpgsign=false"}
	return exec.Command("git", append(as, words...)...).Run()
}

func (d *demo) launch(ctx context.Context) error {
	for _, name := range demoTeam {
		req := parley.LaunchAgentRequest{
			Name: name, Profile: "demo", AgentSpec: parley.AgentSpec{Role: name},
			Command: []string{d.cli.program.executable, "demo-agent", "--role", name},
		}
		if name == demoCoder {
			req.Command = append(req.Command, "--dialog-at-start")
			if d.repository {
				req.Worktree = "true"
				req.Command = append(req.Command, "--commits")
			}
		}
		if _, err := (launches{d.cli}).launch(ctx, req, d.cli.at.workspace, ""); err != nil {
			return err
		}
	}
	return nil
}

// print prints the traffic until every delivery of the script is proven.
func (d *demo) print(ctx context.Context) error {
	service, err := d.cli.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	limited, cancel := context.WithTimeout(ctx, demoWithin)
	defer cancel()

	proven := map[string]map[string]bool{} // from → to: the messages
	asked, stopped := false, false
	for e, err := range service.Events(limited, 0) {
		if err != nil {
			return err
		}
		if err := (eventPrinter{d.cli.out}).print(e); err != nil {
			return err
		}

		switch held := e.Type == parley.EventDelivery && e.State == string(parley.DeliveryHeld); {
		case held && e.ReasonCode == parley.HoldDialog && !asked:
			asked = true
			if err := d.answer(limited); err != nil {
				return err
			}
		case held && e.ReasonCode == parley.HoldConversation:
			stopped = true
		}

		if e.Type == parley.EventDelivery && parley.DeliveryState(e.State).Delivered() {
			pair := e.Sender + " → " + e.Recipient
			if proven[pair] == nil {
				proven[pair] = map[string]bool{}
			}
			proven[pair][e.MessageID] = true
		}

		if stopped && unprovenDeliveries(proven) == "" {
			return errors.Join(d.merge(limited), d.printSuccess())
		}
	}

	if ctx.Err() != nil {
		return context.Cause(ctx)
	}

	return parley.Errorf(parley.Internal, "not proven within %s: %s", demoWithin, unprovenDeliveries(proven)).
		Suggest("Run it again with parley demo | cat, and see which agent stopped answering.")
}

// answer allows what coder asks.
func (d *demo) answer(ctx context.Context) error {
	seen, err := call[parley.AnswerDialogResult](ctx, d.cli, "answer_dialog",
		parley.AnswerDialogRequest{Agent: demoCoder})
	if err != nil || seen.Dialog == nil {
		return err
	}
	request := parley.AnswerDialogRequest{Agent: demoCoder, Choice: seen.Dialog.Options[0].Choice,
		Dialog: seen.Dialog.ID}
	_, err = call[parley.AnswerDialogResult](ctx, d.cli, "answer_dialog", request)
	return err
}

// merge takes over what coder committed.
func (d *demo) merge(ctx context.Context) error {
	if !d.repository || d.cli.out.json {
		return nil
	}
	return stopping{d.cli}.finish(ctx, demoCoder, url.Values{"merge": {"true"}, "keep": {"true"}})
}

func (d *demo) printSuccess() error {
	if d.cli.out.json {
		return nil
	}

	total := 0
	for _, n := range demoDeliveries {
		total += n
	}

	return d.cli.out.printLine(d.cli.out.paint(green, fmt.Sprintf("All %d deliveries were proven.", total)))
}

// unprovenDeliveries lists the deliveries of the script that are not proven yet.
func unprovenDeliveries(proven map[string]map[string]bool) string {
	var list []string
	for pair, n := range demoDeliveries {
		if left := n - len(proven[pair]); left > 0 {
			list = append(list, fmt.Sprintf("%d %s", left, pair))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// end stops the agents and the daemon, waits until they have ended, and removes the
// workspace.
func (d *demo) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, daemon.EndWithin+daemon.StartWithin)
	defer cancel()

	if isTerminal(d.cli.out.err) {
		fmt.Fprintln(d.cli.out.err, "Ending the demo…")
	}

	at, err := d.cli.at.place()
	if err != nil {
		return err
	}

	if _, err = (stopping{d.cli}).shutDown(ctx, at, url.Values{}); err != nil {
		return fmt.Errorf("end the demo, which is left in %s: %w", d.dir, err)
	}
	if err := os.RemoveAll(d.dir); err != nil {
		return fmt.Errorf("remove the demo's workspace: %w", err)
	}

	return nil
}
