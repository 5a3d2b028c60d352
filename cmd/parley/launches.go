package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/internal/wait"
	"parley/plain"
)

// launches start agents, and report what became of them.
type launches struct{ cli *cli }

// launch completes and sends a request.
func (c launches) launch(
	ctx context.Context, r parley.LaunchAgentRequest, base, size string,
) (*parley.LaunchAgentResult, error) {
	r, err := c.completed(r, base, size)
	if err != nil {
		return nil, err
	}
	return call[parley.LaunchAgentResult](ctx, c.cli, "launch_agent", r)
}

// completed makes the working directory of a request absolute, relative to base, and adds this
// process's environment below its own, and the size. What runs on another machine has the environment
// there.
func (c launches) completed(
	r parley.LaunchAgentRequest, base, size string,
) (parley.LaunchAgentRequest, error) {
	r.OwnEnv = slices.Sorted(maps.Keys(r.Env))
	if r.Host == "" {
		if r.Session == "" || r.Dir != "" {
			r.Dir = dirOf(r.Dir, base)
		}
		env := c.cli.at.env.Scrubbed().Map()
		maps.Copy(env, r.Env)
		r.Env = env
	}

	var err error
	r.Width, r.Height, err = daemon.ParseSize(size)

	return r, err
}

// declaredEnv returns the variables that the workspace's parley.yaml names for an agent, none if the
// user does not trust the file.
func (c launches) declaredEnv(name string) map[string]string {
	at, err := c.cli.at.place()
	if err != nil {
		return nil
	}
	t, err := daemon.LoadTeam(at.TeamFile(), false)
	if err != nil || !daemon.TrustOf(c.cli.at.env).Has(t) {
		return nil
	}

	for _, a := range t.Agents {
		if strings.EqualFold(a.Name, name) {
			return a.Env
		}
	}

	return nil
}

// declareWorktree adds what the workspace's parley.yaml says of new worktrees, if the launch asks
// for one and the user trusts the file.
func (c launches) declareWorktree(r *parley.LaunchAgentRequest) {
	if r.Worktree == "" {
		return
	}
	at, err := c.cli.at.place()
	if err != nil {
		return // the launch says what is wrong
	}
	t, err := daemon.Load(at, c.cli.at.env)
	if err != nil {
		return
	}

	t.Prepare(r)
	if slices.ContainsFunc(t.Withheld, func(claim daemon.Claim) bool { return claim.Key == "worktrees" }) {
		fmt.Fprintln(c.cli.out.err,
			"parley.yaml is not trusted, so its worktrees: part was left out; see parley trust.")
	}
}

// wordless is an agent that was launched with a program of which nobody has said that it takes messages.
type wordless struct {
	c       launches
	agent   string
	warning string
}

// wordPatience is how long the word is given again to a program whose screen changes under it.
const wordPatience = 10 * time.Second

// wordChoice is the option by which the operator says that what reads a terminal takes messages.
const wordChoice = "messages"

// ask asks at a terminal whether the program takes messages; Enter says no. A program that does not read its terminal
// soon, or whose word is not the caller's to give, leaves the warning.
func (w wordless) ask(ctx context.Context) error {
	a := &answering{c: w.c.cli, lines: bufio.NewReader(w.c.cli.program.in)}
	seen := w.look(ctx, a)
	if seen == nil {
		return w.warn()
	}

	line, err := a.ask("%s parley would type them in there. [y/N] ", seen.Question)
	if err != nil {
		return err
	}
	if !strings.EqualFold(line, "y") && !strings.EqualFold(line, "yes") {
		return w.warn()
	}

	ctx, stop := context.WithTimeout(ctx, wordPatience)
	defer stop()
	// What the program draws meanwhile changes the screen, and not what was asked.
	for now := seen; now != nil && now.Question == seen.Question; now = w.look(ctx, a) {
		word := parley.AnswerDialogRequest{Agent: w.agent, Choice: wordChoice, Dialog: now.ID}
		res, err := call[parley.AnswerDialogResult](ctx, w.c.cli, "answer_dialog", word)
		if parley.ErrorCode(err) == parley.DialogChanged {
			continue
		}
		if err != nil {
			return err
		}
		return w.c.cli.out.printLine(res.Message)
	}
	return w.warn()
}

// look waits for the question whether what reads the terminal takes messages; nil if it does not come.
func (w wordless) look(ctx context.Context, a *answering) (question *parley.Dialog) {
	ctx, stop := context.WithTimeout(ctx, startWatch)
	defer stop()
	_ = wait.Until(ctx, startLook, func() (bool, error) {
		seen, err := a.look(ctx, w.agent)
		if err != nil || seen.Dialog == nil {
			return false, err
		}
		isWord := func(o parley.DialogOption) bool { return o.Choice == wordChoice }
		if slices.ContainsFunc(seen.Dialog.Options, isWord) {
			question = seen.Dialog
		}
		return true, nil
	})
	return question
}

func (w wordless) warn() error {
	return w.c.cli.out.printLine(w.c.cli.out.paint(yellow, "warning") + ": " + w.warning)
}

const (
	// startWatch is how long a new agent is watched. Agent CLIs that cannot start say so and end within a second;
	// what they ask first, as whether a directory is trusted, comes within three.
	startWatch = 5 * time.Second
	startLook  = 100 * time.Millisecond
	// restarted is what happened to an agent that ran, or was stopped, before.
	restarted = "restarted"
	// lastWords is the number of lines shown from an ended program's screen.
	lastWords = 5
)

// watch reports agents that were just launched, each once it has left the state
// starting or startWatch is over, and what they ask. A program that ended is an error.
func (c launches) watch(ctx context.Context, launched []*parley.LaunchAgentResult, how string) error {
	c.cli.out.goesOn = "What was launched goes on starting: parley agents shows how far it is."
	until := c.cli.out.now().Add(startWatch)
	failed := 0
	var asking []string // ids
	for _, res := range launched {
		state, evidence, err := c.awaitStart(ctx, res.AgentID, until)
		if err == nil && state == parley.StateExited {
			err = c.ended(ctx, res, how, evidence)
		}

		if err != nil {
			failed++
			if failed == len(launched) {
				return err
			}
			c.cli.out.fail(err)
			continue
		}

		res.State = state
		if err := c.report(res, how); err != nil {
			return err
		}
		if state == parley.StateWaiting {
			asking = append(asking, res.AgentID)
		}
	}

	if len(asking) > 0 && !c.cli.out.json {
		if err := c.printAsked(ctx, asking); err != nil {
			return err
		}
	}
	if failed > 0 {
		return exitCode(1)
	}

	return nil
}

// printAsked says what agents ask, and the command that answers it.
func (c launches) printAsked(ctx context.Context, ids []string) error {
	res, err := call[parley.GetNeedsResult](ctx, c.cli, "get_needs", nil)
	if err != nil {
		return err
	}
	for _, n := range res.Needs {
		if n.Kind == parley.NeedDialog && slices.Contains(ids, n.AgentID) {
			c.cli.out.printf("%s asks: %s\n%s%s\n", c.cli.out.paint(bold, n.Agent), c.cli.out.folded(askedWords(n), 2),
				c.cli.out.paint(faint, "  → "), n.Command)
		}
	}
	return nil
}

// askedWords says what an agent asks, with the answers that it takes.
func askedWords(n parley.Need) string {
	words := questionWords(n)
	if n.Dialog != nil && len(n.Dialog.Options) > 0 {
		words += "  " + n.Dialog.Choices()
	}
	return words
}

func (c launches) report(res *parley.LaunchAgentResult, how string) error {
	if c.cli.out.json {
		return c.cli.out.printJSON(res)
	}

	profile := res.Profile
	if res.ByName {
		profile += ", by its name"
	}

	ports := ""
	if len(res.Reserved) > 0 {
		ports = "; " + res.Reserved.String()
	}

	conversation := withConversation(res, how)
	if res.Host != "" {
		how += " on " + res.Host
	}
	err := c.cli.out.printLine(fmt.Sprintf("%s %s (agent %s, %s; profile %s%s); parley attach %s shows its terminal.",
		c.cli.out.paint(bold, res.Name), how+conversation, parley.Short(res.AgentID),
		c.cli.out.paint(agentStyle(res.State), string(res.State)), profile, ports, res.Name))
	if err == nil && res.Warning != "" {
		err = c.cli.out.printLine(c.cli.out.paint(yellow, "warning") + ": " + res.Warning)
	}
	if err == nil && res.PortsMoved != "" {
		err = c.cli.out.printLine(c.cli.out.paint(yellow, "warning") + ": " + res.PortsMoved)
	}
	if err == nil && res.Hint != "" {
		err = c.cli.out.printLine(res.Hint)
	}
	if err == nil && len(res.NotCopied) > 0 {
		err = c.cli.out.printLine("Not copied, as the repository has none: " +
			plain.CleanLine(strings.Join(res.NotCopied, ", ")))
	}
	if err != nil || res.PromptMessageID == "" {
		return err
	}

	id := parley.Short(res.PromptMessageID)
	return c.cli.out.printLine(
		fmt.Sprintf("Its prompt is on the way (msg %s); parley message %s shows what became of it.", id, id))
}

// withConversation says with which conversation a program started, where it may have had one before.
func withConversation(res *parley.LaunchAgentResult, how string) string {
	switch {
	case res.Conversation == parley.ConversationResumed:
		return " with its conversation"
	case res.Conversation == parley.ConversationNew && how == restarted:
		return " with a new conversation"
	}
	return ""
}

// awaitStart returns an agent's state, and its evidence, once it has left starting or
// the time is over.
func (c launches) awaitStart(
	ctx context.Context, id string, until time.Time,
) (state parley.AgentState, evidence string, err error) {
	err = wait.Until(ctx, startLook, func() (bool, error) {
		status, err := call[parley.AgentStatusResult](ctx, c.cli, "get_agent_status", url.Values{"agent": {id}})
		if err != nil {
			return false, err
		}
		agent := status.Agents[0]
		state, evidence = agent.State, agent.Evidence
		return state != parley.StateStarting || !c.cli.out.now().Before(until), nil
	})

	return state, evidence, err
}

// ended returns the error of a program that ended at once, with its last lines.
func (c launches) ended(ctx context.Context, res *parley.LaunchAgentResult, how, evidence string) error {
	name := res.Name
	e := parley.Errorf(parley.AgentUnavailable, "%s was %s, but %s", name, how, evidence).
		Suggest("Correct the cause, then: parley restart %s; or launch %s again with another command.", name, name)
	if res.Conversation == parley.ConversationResumed {
		e = e.Suggest("parley restart %s --fresh starts it with a new conversation; parley restart %s tries again.",
			name, name)
	}
	screen, err := call[parley.ReadTerminalResult](ctx, c.cli, "read_terminal", url.Values{"agent": {name}})
	if err != nil {
		return e
	}

	lines := parley.ScreenEnd(screen.Lines, lastWords)
	if len(lines) == 0 {
		return e
	}

	e = e.With("screen", lines)
	e.Message += "; its last lines:\n  " + strings.Join(lines, "\n  ")

	return e
}
