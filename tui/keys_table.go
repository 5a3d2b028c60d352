package tui

import (
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/review"
	"parley/tui/room"
	"parley/tui/verb"
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
	add(room.InReview, m.review.Keys())
	add(room.InMerge, review.Merging{Room: m.review}.MergeKeys())
	add(room.InLaunch, m.form.keys())
	add(room.InWorkspaces, m.workspaces.keys())

	return all
}

func (m *model) shellKeys() []kit.Binding {
	noMessage := func() bool { return m.About().Message == "" }
	noAgent := func() bool { return m.About().Agent == nil }
	alone := func() bool { return len(m.Team.List) == 0 }

	return []kit.Binding{
		verb.Choose.At("1", "traffic: every message as it happens", m.Going(room.AtTraffic)).Named("show traffic"),
		verb.Choose.At("2", "agents: the team, problems first", m.Going(room.AtAgents)).Named("show agents"),
		verb.Choose.At("3", "threads: group discussions", m.Going(room.AtThreads)).Named("show threads"),
		verb.Choose.At("4", "needs you: everything that waits for you", m.Going(room.AtNeeds)).Named("show needs"),
		verb.Choose.At("5", "health: the daemon and its figures", m.Going(room.AtHealth)).Named("show health"),
		verb.Next.To("next screen", m.Next),
		verb.Previous.To("previous screen", m.Previous),
		verb.Write.To("write to the agent", m.compose.WriteTo).Hinted("write").Named("write").Unless(alone),
		verb.WriteTo.To("write to several, a group, or all", m.compose.WriteNew).Named("write to several"),
		verb.Reply.To("reply to the message", m.compose.Reply).Hinted("reply").Named("reply").Unless(noMessage),
		verb.Broadcast.To("broadcast to all, or to those selected", m.compose.Broadcast).
			Hinted("broadcast").Rarely().Named("broadcast").Unless(alone),
		verb.Steer.To("steer the agent: guidance it must see", m.compose.Steer).
			Hinted("steer").Rarely().Named("steer").Unless(noAgent),
		verb.Attach.To("attach to the agent's terminal", m.Attach).Hinted("attach").Named("attach").Unless(noAgent),
		verb.Review.To("what the agent has changed: comment, merge", m.review.Start).
			Hinted("review").Named("review").Unless(noAgent),
		verb.Tiles.To("tiles: live terminals, who needs you first", m.tiles.Start).
			Hinted("tiles").Rarely().Named("tiles").Unless(alone),
		verb.Pause.To("pause or resume all, or those selected", m.PauseOrResume).Named("pause or resume"),
		verb.Launch.To("launch an agent", m.form.start).Named("launch").
			Hinted("launch").Unless(func() bool { return !alone() }),
		verb.Workspaces.To("your workspaces, also of other machines", m.workspaces.start).Named("show workspaces"),
		verb.Run.To("run any command", m.palette.start).Hinted("run").Rarely(),
		verb.Filter.To("filter the list that is shown", finding{m}.filterList).
			Hinted("filter").Named("filter").Unless(func() bool { return m.At == room.AtHealth }),
		verb.Find.To("find messages: words, from: state: …", finding{m}.findMessages).Named("find messages"),
		verb.GoTo.To("go to an agent, thread, need… by name", finding{m}.startNames).Hinted("go to").Named("go to"),
		verb.OpenText.To("open it in your editor or pager", m.OpenText).Named("open text"),
		verb.CopyText.To("copy the message's text, or the terminal", m.clipboard.copyText).Named("copy text"),
		verb.CopyID.To("copy the id, or the agent's name", m.clipboard.copyName).Named("copy id"),
		verb.Undo.To("undo the last action", m.UndoLast).Named("undo"),
		verb.Up.To("up", m.Moving(kit.LineUp)),
		verb.Down.To("down", m.Moving(kit.LineDown)),
		verb.PageUp.To("a page up", m.Moving(kit.PageUp)),
		verb.PageDown.To("a page down", m.Moving(kit.PageDown)),
		verb.Top.To("to the top", m.Moving(kit.ToTop)),
		verb.Bottom.To("to the bottom, the newest", m.Moving(kit.ToBottom)),
		verb.Help.To("all keys", m.OpenHelp).Hinted("help").Named("help"),
		verb.Leave.To("quit; agents keep running", m.quit).Hinted("quit").Named("quit"),
	}
}
