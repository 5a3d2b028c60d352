package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

func (p *palette) keys() []kit.Binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { p.move(n); return nil }
	}

	return []kit.Binding{
		verb.Accept.To("run it, or go there", p.choose).Hinted("go"),
		verb.LineDown.To("next; scroll the arguments", by(1)).
			Hinted("next").Unless(func() bool { return p.op != nil }),
		verb.LineUp.To("previous; scroll back", by(-1)),
		verb.Complete.To("choose it; then the next argument", p.complete).Hinted("complete"),
		verb.Close.To("back, then close", p.leave).Hinted("back"),
	}
}

// choices returns the actions of the shown screen and the shell, then the
// operations.
func (p *palette) choices() []choice {
	var all []choice
	for _, s := range []kit.Scope{room.ScreenScope(p.room.At), kit.InShell} {
		for _, b := range p.keymap.In(s) {
			if b.Name != "" {
				key, _, _ := strings.Cut(b.Show, " ")
				all = append(all, choice{name: b.Name, about: b.Does, key: key, run: b.Run})
			}
		}
	}

	for _, op := range op.All {
		if !op.Program {
			all = append(all, choice{name: op.Name, about: op.Summary, op: op})
		}
	}

	return all
}

func (p *palette) start() tea.Cmd { return p.startWith(false) }

func (p *palette) startWith(names bool) tea.Cmd {
	p.reset(nil, "")
	p.goes = names
	p.seek()
	return nil
}

// startHandoff lists the programs that may go on for the agent under the marker.
func (p *palette) startHandoff() tea.Cmd {
	agent := p.room.About().Agent
	if agent == nil || agent.Kind != parley.KindTerminal {
		p.room.Lacks("Choose an agent with a terminal first (2).")
		return nil
	}
	p.reset(nil, "")
	p.hands = agent
	p.seek()
	return p.room.Do.Programs
}

// programs returns those that may go on, once they are read.
func (p *palette) programs() (found []choice) {
	agent := p.hands
	for _, name := range p.room.Team.Installed {
		if name == agent.Profile || p.line != "" && kit.Fuzzy(string(p.line), name) == 0 {
			continue
		}
		hand := room.ActSaying(name+" goes on for "+agent.Name+".", op.HandoffAgent,
			parley.HandoffAgentRequest{Agent: agent.ID, To: name, Record: true})
		question := fmt.Sprintf("Hand %s over to %s? Its program ends; its messages, threads and directory are kept.",
			agent.Name, name)
		found = append(found, choice{name: name, about: "goes on with the work of " + agent.Name,
			run: func() tea.Cmd { return p.acts.AskTo(question, hand) }})
	}
	return found
}

// reset opens the palette, at the choice or at an operation's arguments.
func (p *palette) reset(op *op.Op, text string) {
	*p = palette{
		room: p.room, acts: p.acts, keymap: p.keymap, names: p.names, allRead: p.allRead,
		open: true, op: op, line: kit.Line(text),
	}
}

// seek finds what the line means, the best match first.
func (p *palette) seek() {
	p.found, p.sel, p.err = nil, 0, nil
	query := string(p.line)
	scores := map[string]int{}
	if p.goes {
		p.found = p.named()
		return
	}
	if p.hands != nil {
		p.found = p.programs()
		return
	}
	for _, c := range p.choices() {
		if n := kit.Fuzzy(query, c.name); n > 0 {
			scores[c.name] = n
		} else if !strings.Contains(strings.ToLower(c.about), strings.ToLower(query)) {
			continue
		}
		p.found = append(p.found, c)
	}

	slices.SortStableFunc(p.found, func(a, b choice) int { return scores[b.name] - scores[a.name] })
	if strings.TrimSpace(query) != "" {
		p.found = append(p.found, p.agentsLike(query)...)
	}

	// What is named in full comes first.
	at := slices.IndexFunc(p.found, func(c choice) bool { return strings.EqualFold(c.name, strings.TrimSpace(query)) })
	if at > 0 {
		named := p.found[at]
		p.found = slices.Insert(slices.Delete(p.found, at, at+1), 0, named)
	}
}

// move goes n rows down, or scrolls the arguments.
func (p *palette) move(n int) {
	if p.op != nil {
		p.top += n
		return
	}
	p.sel = kit.Clamp(p.sel+n, 0, max(0, len(p.found)-1))
}

// choose does what is under the marker, or asks for its arguments.
func (p *palette) choose() tea.Cmd {
	if p.op != nil {
		return p.callOp()
	}
	if p.sel >= len(p.found) {
		return nil
	}

	c := p.found[p.sel]
	if c.op == nil {
		p.open = false
		return c.run()
	}

	p.openOp(c.op)

	return nil
}

// openOp asks for an operation's arguments. Required ones are filled in from the
// subject under the marker.
func (p *palette) openOp(op *op.Op) {
	s := p.room.About()
	var text strings.Builder
	for _, f := range op.Fields {
		value := ""
		switch f.Name {
		case "message_id", "message_ids":
			value = s.Message
		case "agent", "conversation_with", "agent_id_to_add", "agent_id_to_remove":
			if s.Agent != nil {
				value = s.Agent.Name
			}
		case "to":
			if op.Name != "handoff_agent" { // where it is a program
				value = s.Partner
			}
		case "thread_id":
			if s.Thread != nil {
				value = s.Thread.ID
			}
		}

		if f.Required && value != "" {
			text.WriteString(f.Name + "=" + value + " ")
		}
	}

	p.reset(op, text.String())
}

// leave goes back to the choice, or away.
func (p *palette) leave() tea.Cmd {
	if p.op == nil {
		p.open = false
		return nil
	}
	return p.start()
}

// press takes a key that is text.
func (p *palette) press(key tea.KeyPressMsg) {
	if p.line.Press(key); p.op == nil {
		p.seek()
	}
}

func (p *palette) insert(text string) {
	if p.line.Insert(text); p.op == nil {
		p.seek()
	}
}

// complete chooses what is under the marker, or writes the name of the next
// argument.
func (p *palette) complete() tea.Cmd {
	if p.op == nil {
		return p.choose()
	}
	for _, f := range p.op.Fields {
		if p.addArgument(f) {
			break
		}
	}
	return nil
}

// addArgument writes the name of an argument, unless it is there already.
func (p *palette) addArgument(f op.Field) bool {
	if strings.Contains(" "+string(p.line), " "+f.Name+"=") {
		return false
	}
	p.line = kit.Line(strings.TrimRight(string(p.line), " "))
	if p.line != "" {
		p.line += " "
	}
	p.line += kit.Line(f.Name + "=")
	return true
}

// palette lists everything that can be done: the keys of the screen, and every
// operation with its arguments.
type palette struct {
	acts    *room.Actions
	room    *room.Shared
	keymap  *kit.Keymap
	names   func() []room.Named // all that one can go to by its name
	allRead func() bool         // reports whether all of these were read
	goes    bool                // only names are listed
	hands   *parley.AgentStatus // only the programs that may go on for it are listed
	known   int                 // how much could be gone to when the names were listed
	open    bool
	line    kit.Line
	found   []choice
	sel     int
	top     int // the first row, or line of the arguments, in view
	height  int
	op      *op.Op // whose arguments are being written; nil while one chooses
	busy    bool
	err     error
}

// choice is something that can be done.
type choice struct {
	name  string
	about string
	key   string // does it as well; the kind of what one goes to; "" for an operation
	run   func() tea.Cmd
	op    *op.Op
}
