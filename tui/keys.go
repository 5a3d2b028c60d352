package tui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/plain"
	"parley/tui/kit"
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
	for i, s := range m.room.Screens {
		add(room.ScreenScope(room.Place(i)), s.Keys())
	}

	add(room.InCompose, m.compose.Keys())
	add(room.InTo, m.compose.ToKeys())
	add(room.InPalette, m.palette.keys())
	add(room.InFilter, m.traffic.Filter.Keys())
	add(room.InList, m.finding.listFilterKeys())
	add(room.InHelp, m.room.Keys.HelpKeys())
	add(room.InConfirm, m.room.ConfirmKeys())
	add(room.InPrompt, m.room.PromptKeys())
	add(room.InAnswer, m.needs.Answer.Keys())
	add(room.InTiles, m.tiles.Keys())
	add(room.InReview, m.review.Keys())
	add(room.InMerge, m.review.Merge.Keys())
	add(room.InLaunch, m.form.keys())
	add(room.InWorkspaces, m.workspaces.keys())
	add(room.InPast, m.finding.past.keys())
	add(room.InPlanned, m.finding.planned.keys())

	return all
}

func (m *model) shellKeys() []kit.Binding {
	noMessage := func() bool { return m.room.About().Message == "" }
	noAgent := func() bool { return m.room.About().Agent == nil }
	alone := func() bool { return len(m.room.Team.List) == 0 }

	return []kit.Binding{
		verb.Choose.At("1", "traffic: every message as it happens", m.room.Going(room.AtTraffic)).Named("show traffic"),
		verb.Choose.At("2", "agents: the team, problems first", m.room.Going(room.AtAgents)).Named("show agents"),
		verb.Choose.At("3", "threads: group discussions", m.room.Going(room.AtThreads)).Named("show threads"),
		verb.Choose.At("4", "needs you: everything that waits for you", m.room.Going(room.AtNeeds)).Named("show needs"),
		verb.Choose.At("5", "health: the daemon and its figures", m.room.Going(room.AtHealth)).Named("show health"),
		verb.Next.To("next screen", m.room.Next),
		verb.Previous.To("previous screen", m.room.Previous),
		verb.Write.To("write to the agent", m.compose.WriteTo).Hinted("write").Named("write").Unless(alone),
		verb.WriteTo.To("write to several, a group, or all", m.compose.WriteNew).Named("write to several"),
		verb.Reply.To("reply to the message", m.compose.Reply).Hinted("reply").Named("reply").Unless(noMessage),
		verb.Broadcast.To("broadcast to all, or to those selected", m.compose.Broadcast).
			Hinted("broadcast").Rarely().Named("broadcast").Unless(alone),
		verb.Steer.To("steer the agent: guidance it must see", m.compose.Steer).
			Hinted("steer").Rarely().Named("steer").Unless(noAgent),
		verb.Attach.To("attach to the agent's terminal",
			m.acts.Attach).Hinted("attach").Named("attach").Unless(noAgent),
		verb.Review.To("what the agent has changed: comment, merge", m.review.Start).
			Hinted("review").Named("review").Unless(noAgent),
		verb.Tiles.To("tiles: live terminals, who needs you first", m.tiles.Start).
			Hinted("tiles").Rarely().Named("tiles").Unless(alone),
		verb.Pause.To("pause or resume all, or those selected", m.acts.PauseOrResume).Named("pause or resume"),
		verb.Launch.To("launch an agent", m.form.start).Named("launch").
			Hinted("launch").Unless(func() bool { return !alone() }),
		verb.Handoff.To("let another program go on with its work", m.palette.startHandoff).Named("hand over"),
		verb.Workspaces.To("your workspaces, also of other machines", m.workspaces.start).Named("show workspaces"),
		verb.Past.To("conversations from before: take one up", m.finding.past.start).Named("show conversations"),
		verb.Planned.To("messages that are planned", m.finding.planned.start).Named("show schedules"),
		verb.Run.To("run any command", m.palette.start).Hinted("run").Rarely(),
		verb.Filter.To("filter the list that is shown", m.finding.filterList).
			Hinted("filter").Named("filter").Unless(func() bool { return m.room.At == room.AtHealth }),
		verb.Find.To("find messages: words, from: state: …", m.finding.findMessages).Named("find messages"),
		verb.GoTo.To("go to an agent, thread, need… by name", m.finding.startNames).Hinted("go to").Named("go to"),
		verb.OpenText.To("open it in your editor or pager", m.acts.OpenText).Named("open text"),
		verb.CopyText.To("copy the message's text, or the terminal", m.clipboard.copyText).Named("copy text"),
		verb.CopyID.To("copy the id, or the agent's name", m.clipboard.copyName).Named("copy id"),
		verb.Undo.To("undo the last action", m.acts.UndoLast).Named("undo"),
		verb.Up.To("up", m.room.Moving(kit.LineUp)),
		verb.Down.To("down", m.room.Moving(kit.LineDown)),
		verb.PageUp.To("a page up", m.room.Moving(kit.PageUp)),
		verb.PageDown.To("a page down", m.room.Moving(kit.PageDown)),
		verb.Top.To("to the top", m.room.Moving(kit.ToTop)),
		verb.Bottom.To("to the bottom, the newest", m.room.Moving(kit.ToBottom)),
		verb.Help.To("all keys", m.room.OpenHelp).Hinted("help").Named("help"),
		verb.Leave.To("quit; agents keep running", m.quit).Hinted("quit").Named("quit"),
	}
}

// essentials are the keys with which everything can be done, by way of : at the
// latest. They can be learned in a minute.
var essentials = []kit.Essential{
	{Keys: []string{"1", "2", "3", "4", "5"}, Show: "1 to 5", Does: "traffic, agents, threads, needs you, health"},
	{Keys: []string{"up", "down", "g", "G"}, Show: "↑ ↓ g G", Does: "up and down; to the top, to the newest"},
	{Keys: []string{"enter"}, Show: "enter", Does: "open it, or take the best action"},
	{Keys: []string{"tab"}, Show: "tab", Does: "between a list and what it shows"},
	{Keys: []string{"esc"}, Show: "esc", Does: "back"},
	{Keys: []string{"/"}, Show: "/", Does: "filter the list that is shown"},
	{Keys: []string{"'"}, Show: "'", Does: "go to an agent, thread, need… by name"},
	{Keys: []string{"c"}, Show: "c", Does: "write to the agent, or in the thread"},
	{Keys: []string{"r"}, Show: "r", Does: "reply"},
	{Keys: []string{"s"}, Show: "s", Does: "steer the agent"},
	{Keys: []string{"a"}, Show: "a", Does: "attach to the agent's terminal"},
	{Keys: []string{":"}, Show: ":", Does: "run any command"},
	{Keys: []string{"u"}, Show: "u", Does: "undo the last action"},
	{Keys: []string{"?"}, Show: "?", Does: "all keys, listed below"},
	{Keys: []string{"q"}, Show: "q", Does: "quit; agents keep running"},
}

// actionOf returns the name by which the settings know what a key does, "" if its key is fixed.
func actionOf(b *kit.Binding) string {
	if b.Scope > room.InHealth {
		return ""
	}

	name := b.Name
	if name == "" {
		name = b.Hint
	}
	if name == "" {
		name = b.Verbs[0]
	}
	name = strings.ReplaceAll(name, " ", "-")
	if b.Scope == kit.InShell || name == "" {
		return name
	}

	return Screens[b.Scope-room.InTraffic] + "." + name
}

// CheckKeys reports what is wrong with the keys of the settings, which are given by action.
func CheckKeys(keys map[string]string) error {
	_, err := rebind(newModel(Options{}.withDefaults(), room.Commands{}).bindings(), keys)
	return err
}

// fixedKeys quit and get out whatever the settings say.
var fixedKeys = []string{"ctrl+c"}

// rebind gives actions other keys. Several keys have spaces between them, and none takes an
// action's keys away.
func rebind(all []kit.Binding, keys map[string]string) ([]kit.Binding, error) {
	for _, action := range sorted(keys) {
		i := slices.IndexFunc(all, func(b kit.Binding) bool { return actionOf(&b) == action })
		if i < 0 {
			return nil, noAction(all, action)
		}

		b, text := all[i], strings.TrimSpace(keys[action])
		if (text == "none" || text == "") && (action == "quit" || action == "help") {
			return nil, wrongKey(action, text, "A key: "+action+" must stay within reach.")
		}

		changed := kit.Binding{}
		if text != "none" {
			changed = kit.Bind(text, b.Does, b.Run)
		}
		for _, key := range changed.Keys {
			if !knownKey(key) {
				return nil, wrongKey(action, text,
					"Keys such as x, X, f5, ctrl+x or alt+enter, with a space between two.")
			}
		}

		kept := slices.DeleteFunc(slices.Clone(b.Keys), func(k string) bool { return !slices.Contains(fixedKeys, k) })
		all[i].Keys, all[i].Show = append(changed.Keys, kept...), changed.Show
	}

	return all, twice(all, keys)
}

func sorted(keys map[string]string) []string {
	var actions []string
	for action := range keys {
		actions = append(actions, action)
	}
	slices.Sort(actions)
	return actions
}

func wrongKey(action, keys, instead string) error {
	return parley.Errorf(parley.InvalidArgument, "the key of %s is %q", plain.CleanLine(action),
		plain.CleanLine(keys)).
		With("setting", "keys").
		Suggest("Give %s", kit.LowerFirst(instead))
}

// noAction says that there is no such action, and which one is meant.
func noAction(all []kit.Binding, action string) error {
	e := parley.Errorf(parley.InvalidArgument, "keys has %q, which is no action", plain.CleanLine(action)).
		With("setting", "keys")

	best, score := "", 0
	for i := range all {
		if name := actionOf(&all[i]); name != "" {
			if n := kit.Fuzzy(action, name); n > score {
				best, score = name, n
			}
		}
	}
	if best == "" {
		return e.Suggest("The table of keys in docs/screen.md names the actions.")
	}

	return e.Suggest("Did you mean %s? The table of keys in docs/screen.md names the actions.", best)
}

// twice refuses a key with two meanings on one screen, if the settings bring that about.
func twice(all []kit.Binding, keys map[string]string) error {
	for i := range all {
		for j := range all[:i] {
			a, b := &all[j], &all[i]
			_, changedA := keys[actionOf(a)]
			_, changedB := keys[actionOf(b)]
			if !meet(a, b) || !changedA && !changedB {
				continue
			}

			if n := slices.IndexFunc(b.Keys, func(key string) bool { return slices.Contains(a.Keys, key) }); n >= 0 {
				return parley.Errorf(parley.InvalidArgument, "the key %s is bound twice: to %s and to %s",
					plain.CleanLine(b.Keys[n]), actionOf(a), actionOf(b)).
					With("setting", "keys").
					Suggest("Give one of them another key, or none.")
			}
		}
	}

	return nil
}

// meet reports whether two bindings hold on one screen; the first is the earlier in the table.
func meet(a, b *kit.Binding) bool {
	return a.Scope == b.Scope || a.Scope == kit.InShell && b.Scope <= room.InHealth
}

// namedKeys are the keys that are no character.
var namedKeys = []string{
	"enter", "tab", "space", "esc", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
	"backspace", "delete",
	"insert", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// knownKey reports whether a terminal can send a key.
func knownKey(key string) bool {
	for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
		if rest, ok := strings.CutPrefix(key, mod); ok && rest != "" {
			key = rest
		}
	}
	return slices.Contains(namedKeys, key) || utf8.RuneCountInString(key) == 1 && kit.SafeLine(key) == key
}
