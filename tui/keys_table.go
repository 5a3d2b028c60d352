package tui

import (
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/room"
)

// bindings makes the table of keys.
func (m *model) bindings() []kit.Binding {
	var all []kit.Binding
	add := func(s kit.Scope, keys []kit.Binding) {
		for i := range keys {
			keys[i].Scope = s
		}
		all = append(all, keys...)
	}

	add(kit.InShell, m.shellKeys())
	for i, s := range m.Screens {
		add(room.ScreenScope(room.Place(i)), s.Keys())
	}

	add(room.InCompose, m.compose.Keys())
	add(room.InTo, m.compose.ToKeys())
	add(room.InPalette, m.palette.keys())
	add(room.InFilter, m.traffic.Filter.Keys())
	add(room.InList, finding{m}.listFilterKeys())
	add(room.InHelp, m.HelpKeys())
	add(room.InConfirm, m.ConfirmKeys())
	add(room.InPrompt, m.PromptKeys())
	add(room.InAnswer, needs.Answering{Screen: m.needs}.AnswerKeys())
	add(room.InTiles, m.tiles.Keys())
	add(room.InLaunch, m.form.keys())
	add(room.InWorkspaces, m.workspaces.keys())

	return all
}

func (m *model) shellKeys() []kit.Binding {
	noMessage := func() bool { return m.About().Message == "" }
	noAgent := func() bool { return m.About().Agent == nil }
	noAttach := func() bool { return m.At == room.AtAgents || noAgent() } // enter does it on that screen

	return []kit.Binding{
		kit.Bind("1 T", "traffic: every message as it happens", m.Going(room.AtTraffic)).Named("show traffic"),
		kit.Bind("2 A", "agents: the team, problems first", m.Going(room.AtAgents)).Named("show agents"),
		kit.Bind("3 D", "threads: group discussions", m.Going(room.AtThreads)).Named("show threads"),
		kit.Bind("4 N n", "needs you: everything that waits for you", m.Going(room.AtNeeds)).Named("show needs"),
		kit.Bind("5 H", "health: the daemon and its figures", m.Going(room.AtHealth)).Named("show health"),
		kit.Bind("→ ]", "next screen", m.Next),
		kit.Bind("← [", "previous screen", m.Previous),
		kit.Bind("c", "write to the agent", m.compose.WriteTo).Hinted("write").Named("write"),
		kit.Bind("w", "write to several, a group, or all", m.compose.WriteNew).Named("write to several"),
		kit.Bind("r", "reply to the message", m.compose.Reply).Hinted("reply").Named("reply").Unless(noMessage),
		kit.Bind("b", "broadcast to all, or to those selected", m.compose.Broadcast).Hinted("broadcast").Named("broadcast"),
		kit.Bind("s", "steer the agent: guidance it must see", m.compose.Steer).
			Hinted("steer").Named("steer").Unless(noAgent),
		kit.Bind("a", "attach to the agent's terminal", m.Attach).Hinted("attach").Named("attach").Unless(noAttach),
		kit.Bind("t", "tiles: live terminals, who needs you first", m.tiles.Start).Hinted("tiles").Named("tiles"),
		kit.Bind("p", "pause or resume all, or those selected", m.PauseOrResume).Named("pause or resume"),
		kit.Bind("L", "launch an agent", m.form.start).Named("launch"),
		kit.Bind("W", "your workspaces, also of other machines", m.workspaces.start).Named("show workspaces"),
		kit.Bind(": ctrl+p", "run any command", m.palette.start).Hinted("run"),
		kit.Bind("/", "filter the list that is shown", finding{m}.filterList).
			Hinted("filter").Named("filter").Unless(func() bool { return m.At == room.AtHealth }),
		kit.Bind("f", "find messages: words, from: state: …", finding{m}.findMessages).Named("find messages"),
		kit.Bind("'", "go to an agent, thread, need… by name", finding{m}.startNames).Hinted("go to").Named("go to"),
		kit.Bind("e", "open it in your editor or pager", m.OpenText).Named("open text"),
		kit.Bind("y", "copy the message's text, or the terminal", m.copyText).Named("copy text"),
		kit.Bind("Y", "copy the id, or the agent's name", m.copyName).Named("copy id"),
		kit.Bind("u", "undo the last action", m.UndoLast).Named("undo"),
		kit.Bind("↑ k", "up", m.Moving(kit.LineUp)),
		kit.Bind("↓ j", "down", m.Moving(kit.LineDown)),
		kit.Bind("pgup ctrl+u", "a page up", m.Moving(kit.PageUp)),
		kit.Bind("pgdn ctrl+d", "a page down", m.Moving(kit.PageDown)),
		kit.Bind("g home", "to the top", m.Moving(kit.ToTop)),
		kit.Bind("G end", "to the bottom, the newest", m.Moving(kit.ToBottom)),
		kit.Bind("?", "all keys", m.OpenHelp).Hinted("help").Named("help"),
		kit.Bind("q ctrl+c", "quit; agents keep running", m.quit).Hinted("quit").Named("quit"),
	}
}
