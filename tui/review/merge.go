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

// Merging is what the room does to merge a branch, or to remove a worktree.
type Merging struct{ *Room }

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
func (r Merging) askMerge() tea.Cmd {
	if r.unmergeable() {
		r.Lacks(r.name + " has no worktree: there is no branch to merge.")
		return nil
	}
	r.merge = &question{id: r.id, preview: r.loaded.preview}
	return r.read()
}

// MergeKeys returns the keys while the room asks how to merge.
func (r Merging) MergeKeys() []kit.Binding {
	blocked := func() bool { return r.merge == nil || r.merge.preview.Refused != "" }
	return []kit.Binding{
		verb.Choose.To("merge in that way", r.mergePressed).Hinted("merge").Unless(blocked),
		verb.Keep.To("", r.keeping(false)).Hinted("keep it").Unless(blocked),
		verb.Remove.To("stop it, and remove the worktree after it", r.keeping(true)).
			Hinted("remove it").Unless(blocked),
		verb.Steer.To("steer it, such as to solve a conflict", r.steer),
		verb.No.To("merge nothing", r.leaveMerge, verb.Back, verb.Leave).Hinted("merge nothing"),
	}
}

// Pressed notes the key that chooses a way.
func (r *Room) Pressed(key string) {
	if r.merge != nil {
		r.merge.Key = key
	}
}

func (r Merging) keeping(remove bool) func() tea.Cmd {
	return func() tea.Cmd {
		r.merge.remove = remove
		if remove {
			r.Tell("After the merge " + r.name + " is stopped, and its worktree removed.")
		} else {
			r.Tell("After the merge " + r.name + " goes on.")
		}
		return nil
	}
}

func (r Merging) steer() tea.Cmd {
	r.merge = nil
	return r.shell.Do(verb.Steer)
}

func (r Merging) leaveMerge() tea.Cmd {
	r.merge = nil
	r.Tell("Nothing was merged.")
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
func (r Merging) mergePressed() tea.Cmd {
	q := r.merge
	i := strings.Index("123", q.Key)
	switch {
	case q.preview.Refused != "":
		r.Tell("It cannot be merged now. " + r.Key("s") + " steers " + r.name + ".")
		return nil
	case i < 0:
		r.Tell(q.Key + " is no way to merge.")
		return nil
	}
	if why := q.impossible(ways[i]); why != "" {
		r.Tell(kit.SafeLine(why) + ".")
		return nil
	}

	r.merge = nil
	r.Tell("Merging…")
	return r.finish(parley.FinishWorktreeRequest{
		Agent: q.id, Merge: true, How: ways[i], Keep: !q.remove, Remove: q.remove,
	})
}

// finish asks the daemon to merge or remove.
func (r Merging) finish(req parley.FinishWorktreeRequest) tea.Cmd {
	name := r.name
	return r.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.FinishWorktree.Call(ctx, s, req)
		return finishedMsg{request: req, result: res, name: name, err: err}
	})
}

// finished tells what was done. What only the worktree has goes once that is agreed to.
func (r Merging) finished(msg finishedMsg) tea.Cmd {
	e, ok := errors.AsType[*parley.Error](msg.err)
	switch {
	case ok && e.Details[parley.NeedsForce] != nil && !msg.request.Force:
		again := msg.request
		again.Force = true
		return r.Ask(kit.SafeLine(e.Message)+". Remove it all the same?", func() tea.Cmd { return r.finish(again) })
	case msg.err != nil:
		r.Failed(msg.err)
		return r.read()
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
	if msg.result.Removed && r.Opened() && r.id == msg.result.AgentID {
		r.Over, r.under, r.loaded, r.rows, r.Read = r.under, nil, loadedMsg{}, nil, false
	}
	r.Tell(kit.SafeLine(strings.Join(words, ", ")) + ".")

	return tea.Batch(r.Link.LookSoon(), r.read())
}

// askRemove looks at what a removal would take away, before it asks.
func (r Merging) askRemove() tea.Cmd {
	if r.unmergeable() {
		r.Lacks(r.name + " has no worktree. " + r.Key("S") + " on Agents stops it.")
		return nil
	}
	id := r.id
	return r.reads.removal.ask(r.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		p, err := op.PreviewMerge.Call(ctx, s, parley.PreviewMergeRequest{Agent: id})
		return removalMsg{p, err}
	}))
}

// confirmRemoval asks, and names all that would be lost.
func (r Merging) confirmRemoval(msg removalMsg) tea.Cmd {
	if msg.err != nil {
		r.Failed(msg.err)
		return nil
	}
	if r.id != msg.preview.AgentID || !r.Opened() {
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

	question := fmt.Sprintf("Stop %s, and remove its worktree? All its work is merged.", r.name)
	if len(lost) > 0 {
		question = fmt.Sprintf("Stop %s, and throw this away: %s?", r.name, strings.Join(lost, "; "))
	}
	req := parley.FinishWorktreeRequest{
		Agent: p.AgentID, Remove: true, Force: len(p.Ignored) > 0,
		Discard: len(p.Open) > 0 || p.Ahead > 0 && p.Worktree.Made,
	}

	return r.Ask(question, func() tea.Cmd { return r.finish(req) })
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

// mergeView draws what a merge would do, and the ways.
func (r Merging) mergeView(w int) []string {
	q, th := r.merge, r.Theme
	p := q.preview
	lines := []string{th.Rule("Merge "+shown(p.Worktree.Branch)+" into "+shown(p.Worktree.Base), r.name, w, true), ""}
	add := func(text string) { lines = append(lines, kit.Indent(kit.Wrap(text, w-2), 2)...) }

	base := shown(p.Worktree.Base)
	behind := r.name + " has all of " + base
	if p.Behind > 0 {
		behind = "it has " + kit.Plural(p.Behind, "commit") + " that " + r.name + " lacks"
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
	}{{"k", r.name + " goes on, and keeps its worktree", !q.remove},
		{"D", r.name + " is stopped, and its worktree removed", q.remove}} {
		lines = append(lines, kit.Marked(o.on, false)+th.Accent.Render(o.key)+kit.Fit("  "+o.text, w-4))
	}

	return lines
}
