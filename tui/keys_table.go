package tui

// bindings makes the table of keys.
func (m *model) bindings() []binding {
	var all []binding
	add := func(s scope, keys []binding) {
		for i := range keys {
			keys[i].scope = s
		}
		all = append(all, keys...)
	}

	add(inShell, m.shellKeys())
	for i, s := range m.screens {
		add(screenScope(place(i)), s.keys())
	}

	add(inCompose, m.compose.keys())
	add(inTo, m.compose.toKeys())
	add(inPalette, m.palette.keys())
	add(inFilter, m.traffic.filter.keys())
	add(inHelp, m.helpKeys())
	add(inConfirm, m.confirmKeys())
	add(inPrompt, m.promptKeys())
	add(inAnswer, answering{needs: m.needs}.answerKeys())
	add(inTiles, m.tiles.keys())
	add(inLaunch, m.form.keys())
	add(inWorkspaces, m.workspaces.keys())

	return all
}

func (m *model) shellKeys() []binding {
	noMessage := func() bool { return m.about().message == "" }
	noAgent := func() bool { return m.about().agent == nil }
	noAttach := func() bool { return m.at == atAgents || noAgent() } // enter does it on that screen

	return []binding{
		bind("1 T", "traffic: every message as it happens", m.going(atTraffic)).named("show traffic"),
		bind("2 A", "agents: the team, problems first", m.going(atAgents)).named("show agents"),
		bind("3 D", "threads: group discussions", m.going(atThreads)).named("show threads"),
		bind("4 N n", "needs you: everything that waits for you", m.going(atNeeds)).named("show needs"),
		bind("5 H", "health: the daemon and its figures", m.going(atHealth)).named("show health"),
		bind("→ ]", "next screen", m.next),
		bind("← [", "previous screen", m.previous),
		bind("/", "filter messages: words, from: state: …", m.filterTraffic).
			hinted("filter").named("filter").unless(func() bool { return m.at != atTraffic }),
		bind("c", "write to the agent", m.compose.writeTo).hinted("write").named("write"),
		bind("w", "write to several, a group, or all", m.compose.writeNew).named("write to several"),
		bind("r", "reply to the message", m.compose.reply).hinted("reply").named("reply").unless(noMessage),
		bind("b", "broadcast to all, or to those selected", m.compose.broadcast).hinted("broadcast").named("broadcast"),
		bind("s", "steer the agent: guidance it must see", m.compose.steer).
			hinted("steer").named("steer").unless(noAgent),
		bind("a", "attach to the agent's terminal", m.attach).hinted("attach").named("attach").unless(noAttach),
		bind("t", "tiles: live terminals, who needs you first", m.tiles.start).hinted("tiles").named("tiles"),
		bind("p", "pause or resume all, or those selected", m.pauseOrResume).named("pause or resume"),
		bind("L", "launch an agent", m.form.start).named("launch"),
		bind("W", "your workspaces, also of other machines", m.workspaces.start).named("show workspaces"),
		bind(": ctrl+p", "run any command", m.palette.start).hinted("run"),
		bind("e", "open it in your editor or pager", m.openText).named("open text"),
		bind("y", "copy the message's text, or the terminal", m.copyText).named("copy text"),
		bind("Y", "copy the id, or the agent's name", m.copyName).named("copy id"),
		bind("u", "undo the last action", m.undoLast).named("undo"),
		bind("↑ k", "up", m.moving(lineUp)),
		bind("↓ j", "down", m.moving(lineDown)),
		bind("pgup ctrl+u", "a page up", m.moving(pageUp)),
		bind("pgdn ctrl+d", "a page down", m.moving(pageDown)),
		bind("g home", "to the top", m.moving(toTop)),
		bind("G end", "to the bottom, the newest", m.moving(toBottom)),
		bind("?", "all keys", m.openHelp).hinted("help").named("help"),
		bind("q ctrl+c", "quit; agents keep running", m.quit).hinted("quit").named("quit"),
	}
}
