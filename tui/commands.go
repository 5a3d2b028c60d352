package tui

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// callTimeout bounds one call of the service: after it the person is told.
const callTimeout = 30 * time.Second

// What commands report. Each carries what the model cannot ask for itself: the
// time.
type (
	feedMsg struct {
		events []parley.Event
		err    error // the daemon is away, as far as the stream's last word goes
		at     time.Time
	}
	tickMsg   time.Time
	agentsMsg struct {
		soon      bool // asked for at once, not at leisure
		asked     time.Time
		agents    []parley.AgentStatus
		workspace *parley.WorkspaceStatusResult
		err       error
	}
	needsMsg struct {
		list []parley.Need
		err  error
	}
	detailMsg struct {
		id     string
		result *parley.MessageStatusResult
		err    error
	}
	sentMsg struct {
		draft      draft
		id         string
		deliveries []parley.Delivery
		err        error
	}
	readMsg    struct{ err error }
	threadsMsg struct {
		list  []parley.Thread
		total int
		err   error
	}
	doneMsg struct {
		text string // what was done
		undo *undo
		page string
		err  error
	}
	attachMsg struct {
		name string
		cmd  *exec.Cmd
		err  error
	}
	besideMsg struct {
		name string
		err  error
	}
	returnedMsg struct {
		name string
		err  error
	}
)

// commands are all that the screen does besides deciding and drawing. None of
// them touches the model.
type commands struct {
	next      tea.Cmd                                                // what the stream said
	tick      func(time.Duration) tea.Cmd                            // the time, after a while
	agents    func(wait time.Duration, soon bool) tea.Cmd            // who is there
	needs     func() tea.Cmd                                         // what wants the operator
	threads   func() tea.Cmd                                         // what is discussed
	deed      func(deed) tea.Cmd                                     // change something
	operation func(string, url.Values, *parley.Invocation) tea.Cmd   // any of them
	edit      func(draft) tea.Cmd                                    // write in an editor
	terminal  func(id string, turn int, after time.Duration) tea.Cmd // what stands there
	page      func(of pageOf, at int64) tea.Cmd                      // another part of the record
	standings func(ids []string) tea.Cmd                             // how far messages have come
	details   func(id string, after time.Duration) tea.Cmd           // what became of a message
	send      func(parcel) tea.Cmd                                   // say something
	read      func(id string) tea.Cmd                                // the operator has read it
	attach    func(name string) tea.Cmd                              // find the way to a terminal
	show      func(name string, cmd *exec.Cmd) tea.Cmd               // be in that terminal

	call  func(func(context.Context, parley.Service) tea.Msg) tea.Cmd                // whatever else a screen asks for
	later func(time.Duration, func(context.Context, parley.Service) tea.Msg) tea.Cmd // the same, after a while
}

func newCommands(ctx context.Context, o Options, notes <-chan note) commands {
	call := func(f func(context.Context) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			return f(ctx)
		}
	}

	return commands{
		next: func() tea.Msg { return gather(ctx, notes, o.Now, frameOf(o.Still)) },
		tick: func(d time.Duration) tea.Cmd {
			return func() tea.Msg { pause(ctx, d); return tickMsg(o.Now()) }
		},
		agents: func(wait time.Duration, soon bool) tea.Cmd {
			look := call(func(ctx context.Context) tea.Msg { return lookAtAgents(ctx, o, soon) })
			return func() tea.Msg { pause(ctx, wait); return look() }
		},
		needs: func() tea.Cmd {
			return call(func(ctx context.Context) tea.Msg {
				res, err := o.Service.GetNeeds(ctx, parley.GetNeedsRequest{})
				if err != nil {
					return needsMsg{err: err}
				}
				return needsMsg{list: res.Needs}
			})
		},
		threads: func() tea.Cmd {
			return call(func(ctx context.Context) tea.Msg {
				res, err := o.Service.ListThreads(ctx, parley.ListThreadsRequest{Limit: 100})
				if err != nil {
					return threadsMsg{err: err}
				}
				return threadsMsg{list: res.Threads, total: res.TotalCount}
			})
		},
		operation: func(name string, args url.Values, invocation *parley.Invocation) tea.Cmd {
			return call(func(ctx context.Context) tea.Msg { return operate(ctx, o.Service, name, args, invocation) })
		},
		edit: func(d draft) tea.Cmd { return edit(o.Environ, d) },
		deed: func(d deed) tea.Cmd {
			return call(func(ctx context.Context) tea.Msg {
				text, err := d.call(ctx, o.Service)
				return doneMsg{text: text, undo: d.undo, page: d.page, err: err}
			})
		},
		terminal: func(id string, turn int, after time.Duration) tea.Cmd {
			look := call(func(ctx context.Context) tea.Msg {
				res, err := o.Service.ReadTerminal(ctx, parley.ReadTerminalRequest{Agent: id, Colours: !o.NoColor})
				return terminalMsg{turn: turn, screen: res, err: err}
			})
			return func() tea.Msg { pause(ctx, after); return look() }
		},
		page: func(of pageOf, at int64) tea.Cmd {
			return call(func(ctx context.Context) tea.Msg { return readPage(ctx, o.Service, of, at) })
		},
		standings: func(ids []string) tea.Cmd {
			return call(func(ctx context.Context) tea.Msg { return readStandings(ctx, o.Service, ids) })
		},
		details: func(id string, after time.Duration) tea.Cmd {
			read := call(func(ctx context.Context) tea.Msg {
				res, err := o.Service.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
				return detailMsg{id: id, result: res, err: err}
			})
			return func() tea.Msg { pause(ctx, after); return read() }
		},
		send: func(p parcel) tea.Cmd {
			return call(func(ctx context.Context) tea.Msg { return send(ctx, o.Service, p, o.Now()) })
		},
		read: func(id string) tea.Cmd {
			return call(func(ctx context.Context) tea.Msg {
				_, err := o.Service.MarkMessageRead(ctx, parley.MarkMessageReadRequest{MessageIDs: parley.Names{id}})
				return readMsg{err}
			})
		},
		attach: func(name string) tea.Cmd {
			return func() tea.Msg {
				if o.Beside == nil {
					cmd, err := o.Attach(name)
					return attachMsg{name: name, cmd: cmd, err: err}
				}

				cmd, err := o.Beside(name)
				if err == nil {
					err = runQuietly(cmd)
				}

				return besideMsg{name: name, err: err}
			}
		},
		show: show,
		call: func(f func(context.Context, parley.Service) tea.Msg) tea.Cmd {
			return call(func(ctx context.Context) tea.Msg { return f(ctx, o.Service) })
		},
		later: func(wait time.Duration, f func(context.Context, parley.Service) tea.Msg) tea.Cmd {
			ask := call(func(ctx context.Context) tea.Msg { return f(ctx, o.Service) })
			return func() tea.Msg { pause(ctx, wait); return ask() }
		},
	}
}

// gather waits for the stream's next word and takes with it what follows at
// once, so that a thousand events a second cost sixty frames and not a thousand.
func gather(ctx context.Context, notes <-chan note, now func() time.Time, within time.Duration) tea.Msg {
	var msg feedMsg
	add := func(n note) {
		msg.err = n.err
		if n.event.Seq > 0 {
			msg.events = append(msg.events, n.event)
		}
	}

	select {
	case n := <-notes:
		add(n)
	case <-ctx.Done():
		return nil
	}

	frame := time.NewTimer(within)
	defer frame.Stop()

	for len(msg.events) < feedBatch {
		select {
		case n := <-notes:
			add(n)
			continue
		case <-frame.C:
		case <-ctx.Done():
		}

		break
	}

	msg.at = now()

	return msg
}

func lookAtAgents(ctx context.Context, o Options, soon bool) tea.Msg {
	msg := agentsMsg{soon: soon, asked: o.Now()}
	agents, err := o.Service.GetAgentStatus(ctx, parley.AgentStatusRequest{})
	if err != nil {
		msg.err = err
		return msg
	}

	msg.agents = agents.Agents
	ws, err := o.Service.GetWorkspaceStatus(ctx, parley.WorkspaceStatusRequest{})
	if err != nil {
		msg.err = err
		return msg
	}

	msg.workspace = ws

	return msg
}

// show gives the terminal to cmd until it ends. What it complains about would
// be gone with the screen, so it is kept for the error.
func show(name string, cmd *exec.Cmd) tea.Cmd {
	var complaint bytes.Buffer
	if cmd.Stderr == nil {
		cmd.Stderr = &complaint
		cmd.WaitDelay = time.Second // a grandchild may keep the pipe
	}

	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		if text := strings.TrimSpace(complaint.String()); err != nil && text != "" {
			err = errors.New(text)
		}

		return returnedMsg{name: name, err: err}
	})
}

// runQuietly runs what ends at once; its complaint is the error.
func runQuietly(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if text := strings.TrimSpace(string(out)); err != nil && text != "" {
		return errors.New(text)
	}
	return err
}
