package courier

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/tmux"
)

// The simulated tmux runs the very lines that package tmux composes, with the formats of
// their guards.

// simHandle names a pane, as the real Pane does.
type simHandle struct {
	d  *daemon
	id string
}

// Target implements tmux.Runner.
func (h simHandle) Target() (string, bool) { return h.id, h.d.w.story.Traits.Joined }

// Load implements tmux.Runner.
func (h simHandle) Load(text string) (tmux.Buffer, error) {
	h.d.w.buffer++
	name := "b" + strconv.Itoa(h.d.w.buffer)
	h.d.w.buffers[name] = text
	return tmux.Buffer{Name: name, Load: "set-buffer -b " + name}, nil
}

// Submit types with the real loop.
func (h simHandle) Submit(ctx context.Context, s tmux.Submission) (tmux.Outcome, error) {
	return tmux.Submit(ctx, h, s)
}

// ReleaseKeys lets go of keys with the real line.
func (h simHandle) ReleaseKeys(ctx context.Context) (bool, error) { return tmux.ReleaseKeys(ctx, h) }

// Info implements tmux.Runner.
func (h simHandle) Info(ctx context.Context) (info tmux.PaneInfo, err error) {
	err = h.d.w.command(ctx, "info", func() error {
		p := h.find()
		if p.gone {
			return fmt.Errorf("look at pane %s: %w", p.id, tmux.ErrNoPane)
		}
		info = p.info()
		h.d.w.watch.foreign = info.Owner != agentID
		return nil
	})
	return info, err
}

// Screen implements tmux.Runner.
func (h simHandle) Screen(ctx context.Context, opts tmux.ScreenOptions) (s tmux.Screen, err error) {
	err = h.d.w.command(ctx, "screen", func() error {
		p := h.find()
		if p.gone {
			return fmt.Errorf("read pane %s: %w", p.id, tmux.ErrNoPane)
		}
		s = p.screen()
		if styled := p.program.shown.styled; opts.Colours && styled != nil {
			s.Lines = styled
		}
		h.d.w.watch.look()
		return nil
	})
	h.d.w.watch.answered()
	return s, err
}

// Run implements tmux.Runner.
func (h simHandle) Run(ctx context.Context, compose func(string) string) (out string, err error) {
	line := compose("TOKEN")
	issued, known, by, on := time.Now(), h.d.w.watch.seen(), h.d, h.d.claimedOn
	err = h.d.w.command(ctx, kindOf(line), func() error {
		h.d.w.watch.issued, h.d.w.watch.known, h.d.w.watch.by, h.d.w.watch.on = issued, known, by, on
		commands, err := parseLine(line, h.d.w.formats)
		if err != nil {
			return err
		}
		var failed bool
		if out, failed = h.find().run(commands); failed {
			return &tmux.CommandError{Text: "unknown command: parley-refuses"}
		}
		return nil
	})
	if _, behind, ok := strings.Cut(out, "TOKEN"); ok {
		out = behind
	}
	return out, err
}

// Pause implements tmux.Runner.
func (h simHandle) Pause(ctx context.Context, d time.Duration) error {
	return h.d.w.sleep(ctx, h.d.w.pause(d))
}

func kindOf(line string) string {
	switch {
	case strings.HasPrefix(line, "set-buffer"):
		return "paste"
	case strings.Contains(line, "send-keys"):
		return "key"
	}
	return "run"
}

// find returns the pane with that id on the server that runs now.
func (h simHandle) find() *simPane {
	if p := h.d.w.pane; p != nil && p.id == h.id {
		return p
	}
	return &simPane{w: h.d.w, id: h.id, gone: true}
}

// simPane is a pane of the simulated tmux.
type simPane struct {
	w        *world
	id       string
	gone     bool
	options  map[string]string // of the pane and of its session
	program  *program
	dead     bool
	inputOff bool
	shared   bool
	mode     bool
	attached bool
	viewed   bool      // by anybody, ever
	came     time.Time // when a person attached
	activity time.Time // a person's last key
	drawn    time.Time // the last output
	held     []func()  // a person's keys that wait
	leaves   int       // counts a person's visits
}

// watchedAt reports whether the person who is attached was so at a time. Of one who had left then, tmux did
// not tell.
func (p *simPane) watchedAt(at time.Time) bool { return p.attached && !p.came.After(at) }

func (p *simPane) info() tmux.PaneInfo {
	number, digit, _ := strings.Cut(cmp.Or(p.w.environment["PARLEY_SEQ_"+p.id[1:]], p.options["@parley_seq"]), ".")
	seq, _ := strconv.ParseUint(number, 10, 64)
	phases := map[string]string{"1": "pasted", "2": "entered", "3": "entered-again"}
	return tmux.PaneInfo{
		ID: p.id, Owner: p.options["@parley_agent"], Seq: seq, Phase: phases[digit], Dead: p.dead,
		InMode: p.mode, InputOff: p.inputOff, Activity: p.drawn.Truncate(time.Second),
	}
}

func (p *simPane) screen() tmux.Screen {
	shown := &p.program.shown
	s := tmux.Screen{
		Lines: shown.lines, Width: p.program.width, Height: 50, CursorX: shown.x, CursorY: shown.y, Title: shown.title,
		CursorHidden: shown.hidden,
		InMode:       p.mode, InputOff: p.inputOff, Shared: p.shared, Dead: p.dead,
		Drawn: p.drawn.Truncate(time.Second),
	}
	s.Unviewed = !p.viewed && !p.w.story.Traits.Joined
	if p.attached {
		s.Touched = p.activity.Truncate(time.Second)
	}
	return s
}

// run runs commands and returns what was printed last. It ends at a command that fails, as one
// does that no tmux knows.
func (p *simPane) run(commands []simCommand) (out string, failed bool) {
	for _, c := range commands {
		switch c.words[0] {
		case "set-buffer": // its text is there
		case "delete-buffer":
			delete(p.w.buffers, c.flag("-b"))
		case "if-shell":
			if printed, failed := p.branch(c); failed {
				return out, true
			} else if printed != "" {
				out = printed
			}
		case "display-message":
			out = c.expanded(p, len(c.words)-1)
		case "paste-buffer":
			p.paste(c)
		case "send-keys":
			p.key(c.last())
		case "copy-mode":
			p.mode = false
		case "set-option":
			p.set(c)
		case "set-environment":
			p.w.environment[c.words[len(c.words)-2]] = c.last()
		case "run-shell":
			delay, _ := strconv.ParseFloat(c.flag("-d"), 64)
			p.w.after(time.Duration(delay*float64(time.Second)), func() { p.run(c.blocks[0]) })
		default:
			panic("the simulated tmux does not know " + c.words[0])
		}
	}
	return out, false
}

// branch runs what follows the condition of an if-shell.
func (p *simPane) branch(c simCommand) (out string, failed bool) {
	const condition = 4 // if-shell -F -t PANE CONDITION
	holds := isTrue(c.expanded(p, condition))
	switch {
	case len(c.words) > condition+1: // a command that no tmux knows
		return "", holds
	case holds:
		return p.run(c.blocks[0])
	case len(c.blocks) > 1:
		return p.run(c.blocks[1])
	}
	return "", false
}

func (p *simPane) set(c simCommand) {
	switch {
	case p.gone:
	case c.has("-u"):
		delete(p.options, c.last())
	default:
		p.options[c.words[len(c.words)-2]] = c.last()
	}
}

func (p *simPane) paste(c simCommand) {
	name := c.flag("-b")
	text := p.w.buffers[name]
	delete(p.w.buffers, name)
	p.w.watch.pasted(p, text)
	if p.gone || p.inputOff || p.dead {
		return
	}
	p.program.input(chunk{text: text, paste: true, raw: !c.has("-p") || !c.has("-r")})
}

func (p *simPane) key(key string) {
	if p.w.answering {
		p.w.watch.answers(p)
		p.program.input(chunk{key: key, who: "operator"})
		return
	}
	p.w.watch.pressed(p, key)
	if p.gone || p.inputOff || p.dead || p.mode {
		return
	}
	p.program.input(chunk{key: key})
}

// personKey gives a person's input to the program, after what waits.
func (p *simPane) personKey(give func()) {
	if stuck := time.Until(p.w.stuck); stuck > 0 {
		p.w.after(stuck, func() {
			p.w.attach(p, 4*time.Second) // their leaving is stuck behind it
			p.personKey(give)
		})
		return
	}
	p.activity = time.Now()
	if len(p.held) > 0 {
		p.held = append(p.held, give)
		return
	}
	if p.options["key-table"] == "" {
		give()
		return
	}
	p.held = append(p.held, give)
	delete(p.options, "key-table")
	p.holdKeys(50)
}

func (p *simPane) holdKeys(times int) {
	if times > 0 && p.options["@parley_hold"] != "" {
		p.w.after(100*time.Millisecond, func() { p.holdKeys(times - 1) })
		return
	}
	delete(p.options, "@parley_hold")
	for _, give := range p.held {
		give()
	}
	p.held = nil
}
