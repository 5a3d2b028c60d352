package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// question is how a branch is to be merged.
type question struct {
	id      string
	preview *parley.PreviewMergeResult
	remove  bool   // the worktree goes afterwards
	Key     string // that was pressed last
}

// ways are the ways to merge, in the order of their digits.
var ways = []parley.MergeWay{parley.MergedFast, parley.MergedCommit, parley.MergedSquash}

// merging merges the branch of the agent that is shown, or removes its worktree.
type merging struct {
	room     *room.Shared
	shell    shell
	changes  *changes
	read     func() tea.Cmd // reads the changes
	question *question      // how to merge; nil unless that is asked
	removal  reading        // of what a removal would take away
}

// finishedMsg is what came of finishing a worktree.
type finishedMsg struct {
	request parley.FinishWorktreeRequest
	result  *parley.FinishWorktreeResult
	name    string
	err     error
}

// removalMsg is what a removal would take away.
type removalMsg struct {
	preview *parley.PreviewMergeResult
	err     error
}

// askMerge shows what a merge would do, as things are now.
func (m *merging) askMerge() tea.Cmd {
	if m.changes.unmergeable() {
		m.room.Lacks(m.changes.name + " has no worktree: there is no branch to merge.")
		return nil
	}
	m.question = &question{id: m.changes.id, preview: m.changes.loaded.preview}
	return m.read()
}

// Keys returns the keys while it is asked how to merge.
func (m *merging) Keys() []kit.Binding {
	blocked := func() bool { return m.question == nil || m.question.preview.Refused != "" }
	return []kit.Binding{
		verb.Choose.To("merge in that way", m.mergePressed).Hinted("merge").Unless(blocked),
		verb.Keep.To("", m.keeping(false)).Hinted("keep it").Unless(blocked),
		verb.Remove.To("stop it, and remove the worktree after it", m.keeping(true)).
			Hinted("remove it").Unless(blocked),
		verb.Steer.To("steer it, such as to solve a conflict", m.steer),
		verb.No.To("merge nothing", m.leaveMerge, verb.Back, verb.Leave).Hinted("merge nothing"),
	}
}

// Pressed notes the key that chooses a way.
func (r *Room) Pressed(key string) {
	if r.Merge.question != nil {
		r.Merge.question.Key = key
	}
}

func (m *merging) keeping(remove bool) func() tea.Cmd {
	return func() tea.Cmd {
		m.question.remove = remove
		if remove {
			m.room.Tell("After the merge " + m.changes.name + " is stopped, and its worktree removed.")
		} else {
			m.room.Tell("After the merge " + m.changes.name + " goes on.")
		}
		return nil
	}
}

func (m *merging) steer() tea.Cmd {
	m.question = nil
	return m.shell.Do(verb.Steer)
}

func (m *merging) leaveMerge() tea.Cmd {
	m.question = nil
	m.room.Tell("Nothing was merged.")
	return nil
}

// impossible says why the branch cannot be merged in a way; "" if it can.
func (q *question) impossible(how parley.MergeWay) string {
	switch {
	case how == parley.MergedFast && q.preview.Behind > 0:
		return "not possible: " + q.preview.Worktree.Base + " has gone on"
	case how == parley.MergedSquash && !q.remove:
		return "only with D: a branch that was squashed cannot be merged again"
	}
	return ""
}

// mergePressed merges in the way that the pressed digit chooses.
func (m *merging) mergePressed() tea.Cmd {
	q := m.question
	i := strings.Index("123", q.Key)
	switch {
	case q.preview.Refused != "":
		m.room.Tell("It cannot be merged now. " + m.room.Key("s") + " steers " + m.changes.name + ".")
		return nil
	case i < 0:
		m.room.Tell(q.Key + " is no way to merge.")
		return nil
	}
	if why := q.impossible(ways[i]); why != "" {
		m.room.Tell(kit.SafeLine(why) + ".")
		return nil
	}

	m.question = nil
	m.room.Tell("Merging…")
	return m.finish(parley.FinishWorktreeRequest{
		Agent: q.id, Merge: true, How: ways[i], Keep: !q.remove, Remove: q.remove,
	})
}

// finish asks the daemon to merge or remove.
func (m *merging) finish(req parley.FinishWorktreeRequest) tea.Cmd {
	name := m.changes.name
	return m.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.FinishWorktree.Call(ctx, s, req)
		return finishedMsg{request: req, result: res, name: name, err: err}
	})
}

// finished tells what was done. What only the worktree has goes once that is agreed to.
func (m *merging) finished(msg finishedMsg) tea.Cmd {
	e, ok := errors.AsType[*parley.Error](msg.err)
	switch {
	case ok && e.Details[parley.NeedsForce] != nil && !msg.request.Force:
		again := msg.request
		again.Force = true
		return m.room.Keys.Ask(kit.SafeLine(e.Message)+". Remove it all the same?",
			func() tea.Cmd { return m.finish(again) })
	case msg.err != nil:
		m.room.Failed(msg.err)
		return m.read()
	}

	w := msg.result.Worktree
	var words []string
	switch msg.result.Merged {
	case "":
	case parley.MergedNothing:
		words = append(words, w.Branch+" had nothing that "+w.Base+" lacks")
	default:
		words = append(words, w.Branch+" merged into "+w.Base+" ("+string(msg.result.Merged)+")")
	}
	if msg.result.Removed {
		words = append(words, msg.name+" stopped", "its worktree removed")
	} else {
		words = append(words, msg.name+" goes on")
	}
	m.room.Tell(kit.SafeLine(strings.Join(words, ", ")) + ".")

	return tea.Batch(m.room.Link.LookSoon(), m.read())
}

// askRemove looks at what a removal would take away, before it asks.
func (m *merging) askRemove() tea.Cmd {
	if m.changes.unmergeable() {
		m.room.Lacks(m.changes.name + " has no worktree. " + m.room.Key("S") + " on Agents stops it.")
		return nil
	}
	id := m.changes.id
	return m.removal.ask(m.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		p, err := op.PreviewMerge.Call(ctx, s, parley.PreviewMergeRequest{Agent: id})
		return removalMsg{p, err}
	}))
}

// confirmRemoval asks, and names all that would be lost.
func (m *merging) confirmRemoval(msg removalMsg) tea.Cmd {
	if msg.err != nil {
		m.room.Failed(msg.err)
		return nil
	}
	if m.changes.id != msg.preview.AgentID {
		return nil // the person has gone on
	}

	p := msg.preview
	var lost []string
	if p.Ahead > 0 && p.Worktree.Made {
		lost = append(lost, kit.Plural(p.Ahead, "commit")+" that "+kit.SafeLine(p.Worktree.Base)+" lacks")
	}
	if len(p.Open) > 0 {
		lost = append(lost, "not committed: "+named(p.Open))
	}
	if len(p.Ignored) > 0 {
		lost = append(lost, "ignored by git: "+named(p.Ignored))
	}

	question := fmt.Sprintf("Stop %s, and remove its worktree? All its work is merged.", m.changes.name)
	if len(lost) > 0 {
		question = fmt.Sprintf("Stop %s, and throw this away: %s?", m.changes.name, strings.Join(lost, "; "))
	}
	req := parley.FinishWorktreeRequest{
		Agent: p.AgentID, Remove: true, Force: len(p.Ignored) > 0,
		Discard: len(p.Open) > 0 || p.Ahead > 0 && p.Worktree.Made,
	}

	return m.room.Keys.Ask(question, func() tea.Cmd { return m.finish(req) })
}

// named names the first of some files, and counts the others.
func named(files []string) string {
	const most = 3
	var names []string
	for _, f := range files[:min(len(files), most)] {
		names = append(names, kit.Fit(kit.SafeLine(f), 40))
	}
	text := strings.Join(names, ", ")
	if more := len(files) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// view draws what a merge would do, and the ways.
func (m *merging) view(w int) []string {
	q, th := m.question, m.room.Theme
	p := q.preview
	lines := []string{th.Rule("Merge "+shown(p.Worktree.Branch)+" into "+shown(p.Worktree.Base), m.changes.name, w,
		true), ""}
	add := func(text string) { lines = append(lines, kit.Indent(kit.Wrap(text, w-2), 2)...) }

	base := shown(p.Worktree.Base)
	behind := m.changes.name + " has all of " + base
	if p.Behind > 0 {
		behind = "it has " + kit.Plural(p.Behind, "commit") + " that " + m.changes.name + " lacks"
	}
	add(fmt.Sprintf("%s that %s lacks; %s.", kit.Plural(p.Ahead, "commit"), base, behind))
	if len(p.Conflicts) > 0 {
		lines = append(lines, "", "  "+th.Bad.Render(kit.Fit("✗ Both changed these, and git cannot merge them:", w-2)))
		for _, f := range p.Conflicts {
			lines = append(lines, "    "+kit.Fit(shown(f), w-4))
		}
	}
	for _, s := range p.Shared {
		lines = append(lines, "  "+th.Warn.Render(kit.Fit("≈ "+s.Name+" changes, too: "+named(s.Files), w-2)))
	}
	if p.Refused != "" {
		lines = append(lines, "")
		add(kit.SafeLine(p.Refused))
		return lines
	}

	lines = append(lines, "")
	names := map[parley.MergeWay]string{
		parley.MergedFast:   "fast-forward",
		parley.MergedCommit: "a merge commit",
		parley.MergedSquash: "squash: all as one commit",
	}
	for i, way := range ways {
		text := fmt.Sprintf("%d  %s", i+1, names[way])
		if why := q.impossible(way); why != "" {
			for _, line := range kit.Wrap(text+" ("+kit.SafeLine(why)+")", w-2) {
				lines = append(lines, "  "+th.Dim.Render(line))
			}
			continue
		}
		lines = append(lines, "  "+th.Accent.Render(text[:1])+kit.Fit(text[1:], w-3))
	}

	lines = append(lines, "")
	for _, o := range []struct {
		key, text string
		on        bool
	}{{"k", m.changes.name + " goes on, and keeps its worktree", !q.remove},
		{"D", m.changes.name + " is stopped, and its worktree removed", q.remove}} {
		lines = append(lines, kit.Marked(o.on, false)+th.Accent.Render(o.key)+kit.Fit("  "+o.text, w-4))
	}

	return lines
}
