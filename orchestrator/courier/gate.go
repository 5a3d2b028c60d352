package courier

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// obstacle is why nothing may be typed now. A brief one is expected to pass by
// itself, and is reported only when it does not.
type obstacle struct {
	reason string // "": the way is free
	brief  bool
	work   bool // it is only that the program works, and its composer is free
	mode   bool // it is only that someone scrolls
	draft  bool // it is only that something stands in its composer
	left   bool // a person has left something in its terminal, and does not seem to be there
	block  bool // it is only that the program cannot go on by itself; its composer is free
}

var free obstacle

// lookWithin bounds one look at a terminal, which takes milliseconds.
const lookWithin = 10 * time.Second

const inputOff = "its pane takes no input (tmux select-pane -e lets it)"

const shared = "what is typed there goes to every pane of its window (tmux set-option -w synchronize-panes off ends that)"

// way is how a message goes into a terminal.
type way struct {
	key   tmux.Key
	leave bool      // throw the person out of copy mode
	since time.Time // nobody has typed in it since then, and nobody may until the key
	note  string    // for the evidence: what it was typed into
}

// gate decides whether it is safe to type a message now, and how. What can change
// between this look and the paste is looked at again inside tmux, in the command
// that pastes.
func (c *courier) gate(ctx context.Context, t *team.Terminal, job store.Job) (w way, o obstacle) {
	// tmux tells whole seconds, and the gate refuses for typingPause after a key.
	since := c.o.Now().Add(-time.Second)
	defer func() { w.since = since }()

	o = c.obstacle(ctx, t)
	c.m.NoteLeftover(o.reason, o.left, c.o.Now())
	if o == free {
		return way{key: tmux.Key(t.Profile.Key)}, c.o.stagger(t.Profile, job)
	}

	interrupts := team.IsUrgent(job) && c.m.Agent().Interruptible
	switch p := job.Message.Priority; {
	case o.mode && interrupts:
		return way{key: tmux.Key(t.Profile.Key), leave: true}, free
	case o.block && c.m.Insists(job.Message.ID):
		return way{key: tmux.Key(t.Profile.Key), note: " although it was blocked, as the operator asked"}, free
	case o.work && interrupts:
		return way{key: tmux.Key(t.Profile.Key), note: " while it worked, as its operator allows"}, free
	case o.work && t.Profile.QueueKey != "" && (p == parley.PriorityHigh || p == parley.PriorityUrgent):
		return way{key: tmux.Key(t.Profile.QueueKey), note: " into its own queue while it worked"}, free
	}

	return way{}, o
}

func (c *courier) obstacle(ctx context.Context, t *team.Terminal) obstacle {
	switch {
	case c.o.Paused() != nil:
		return obstacle{reason: c.o.Paused().Words()}
	case t == nil:
		return noTerminal(c.m.Agent())
	case t.Ended.Load():
		return obstacle{reason: "it is being stopped", brief: true}
	case t.Instance != t.Server.Instance():
		return obstacle{reason: "its tmux server is gone", brief: true}
	}

	if o := otherProgram(t); o != free {
		return o
	}
	if o := unread(t); o != free {
		return o
	}
	if t.Profile.Instant() && !c.cautious {
		return free
	}

	ctx, cancel := context.WithTimeout(ctx, lookWithin) // a stop waits for this
	defer cancel()

	screen, err := t.Pane.Screen(ctx, tmux.ScreenOptions{})
	switch {
	case err != nil:
		return obstacle{reason: "its terminal cannot be read: " + parley.CleanLine(err.Error()), brief: true}
	case screen.Dead:
		return obstacle{reason: "its program has ended; " + comeback(c.m.Agent())}
	case screen.InputOff:
		return obstacle{reason: inputOff}
	case screen.Shared:
		return obstacle{reason: shared}
	}

	o := c.readiness(t, screen)
	if screen.InMode && (o == free || o.work || o.draft) {
		return obstacle{reason: "someone is scrolling in its terminal (copy mode)", mode: o == free, left: true}
	}
	if o == free || o.work || o.draft {
		return cmp.Or(touched(c.o.Now(), screen), o)
	}

	return o
}

// stagger lets the texts of broadcasts and threads pass one at a time for each profile, as far
// apart as it asks for.
func (o *Couriers) stagger(p *profile.Profile, job store.Job) obstacle {
	if p.Stagger == 0 || job.Message.Kind != parley.KindBroadcast && job.Message.ThreadID == "" {
		return free
	}
	o.turns.Lock()
	defer o.turns.Unlock()
	now := o.Now()
	if last := o.turns.last[p.Name]; now.Sub(last) < p.Stagger {
		return obstacle{reason: "others of its kind have just been given a message for many", brief: true}
	}
	o.turns.last[p.Name] = now
	return free
}

func noTerminal(a parley.Agent) obstacle {
	switch a.State {
	case parley.StateTerminated:
		return obstacle{reason: "it is stopped; " + comeback(a)}
	case parley.StateExited, parley.StateUnreachable:
		return obstacle{reason: fmt.Sprintf("it is %s (%s); %s", a.State, a.Evidence, comeback(a))}
	}
	return obstacle{reason: "its terminal is not there yet", brief: true}
}

// otherProgram stands in the way when what has the terminal would take the text for
// commands: a shell would run it, a pager or an editor would take it for keys.
func otherProgram(t *team.Terminal) obstacle {
	argv, err := tmux.Foreground(t.PID)
	switch {
	case stranger(t, argv, err) != "":
		return obstacle{reason: stranger(t, argv, err)}
	case err != nil:
		return free
	case tmux.IsShell(argv):
		return obstacle{
			reason: fmt.Sprintf("a bare shell (%s) has its terminal and would run the text as commands", argv[0]),
		}
	case tmux.TakesKeys(argv) != "":
		return obstacle{
			reason: fmt.Sprintf("%s has its terminal and would take the text for keys", tmux.TakesKeys(argv)),
		}
	}

	return free
}

// unread stands in the way of a further message when the program has not read
// the last: it would get several as one, and nothing could be proven.
func unread(t *team.Terminal) obstacle {
	if n, err := tmux.Unread(t.TTY); err == nil && n > 0 {
		return obstacle{
			reason: fmt.Sprintf("its program is not reading its terminal (%d bytes wait there)", n),
			brief:  true,
		}
	}
	return free
}

// readiness reads the screen: by markers where the profile has them, and
// otherwise by its being quiet.
func (c *courier) readiness(t *team.Terminal, screen tmux.Screen) obstacle {
	if !t.Profile.HasMarkers() {
		now := c.o.Now()
		if now.Sub(t.Started) < t.Profile.Startup {
			return obstacle{reason: "it is starting", brief: true}
		}
		if now.Sub(c.still.Since(now, screen)) < t.Profile.Quiet {
			return obstacle{reason: "the output in its terminal does not pause", brief: true}
		}

		if text, ok := t.Profile.Composer(shown(screen)); ok && parley.HoldsTyped(text) {
			return obstacle{
				reason: "an unsent message stands in its terminal; press Enter there, or clear the line",
				draft:  true,
				left:   true,
			}
		}

		return free
	}

	said, _ := c.m.LastReport()
	s := ReadStanding(t, c.o.Now(), screen, said)

	return c.beginning(t, s, said, s.obstacle(t.Profile.Quiet))
}

func shown(s tmux.Screen) profile.Screen {
	return profile.Screen{Lines: s.Lines, Width: s.Width, CursorX: s.CursorX, CursorY: s.CursorY}
}

// stranger is what has the terminal of an adopted agent in place of its program, as
// far as a shell or a pager is not told otherwise. Not to know is as bad.
func stranger(t *team.Terminal, argv []string, err error) string {
	switch {
	case t.Runs == nil || err == nil && (t.Runs(argv) || tmux.IsShell(argv) || tmux.TakesKeys(argv) != ""):
		return ""
	case !tmux.Alive(t.PID):
		return "its program has ended; started again in its pane, it gets what waits"
	case err != nil:
		return "it cannot be told what has its terminal"
	}
	return fmt.Sprintf("another program (%s) has its terminal", profile.ProgramOf(argv))
}

// comeback is what delivers the messages of an agent whose program has ended.
func comeback(a parley.Agent) string {
	if a.Adopted() {
		return fmt.Sprintf(
			"its program, started again in its pane, gets what waits, or another one: parley adopt %s --pane ID",
			a.Name,
		)
	}
	return fmt.Sprintf("parley restart %s delivers what waits", a.Name)
}
