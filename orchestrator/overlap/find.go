package overlap

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"parley/orchestrator/worktree"
	"parley/store"
)

// look is a look at an agent's own worktree.
type look struct {
	top, base string
	at        time.Time
	changed   []string // below top
}

// place is where an agent works.
type place struct {
	id     string
	tree   worktree.Tree
	base   string    // the branch that its worktree came from; "": not known
	output time.Time // of its terminal, the last
	own    bool      // it has a worktree in which no other agent works
}

// places returns where the agents work that have a terminal. Two in one worktree have none of their own.
func (w *Watcher) places() (all []place) {
	tops := map[string]int{}
	for _, m := range w.opts.Roster.All() {
		a, t := m.Agent(), m.Terminal()
		if t == nil || !a.State.Live() {
			continue
		}

		p := place{id: m.ID, output: time.Unix(0, t.LastOutput.Load())}
		p.tree, _ = worktree.TreeOf(a.Dir)
		if a.Worktree != nil {
			if own, ok := worktree.TreeOf(a.Worktree.Path); ok && own == p.tree {
				p.base = a.Worktree.Base
			}
		}
		tops[p.tree.Top]++
		all = append(all, p)
	}

	for i := range all {
		all[i].own = all[i].tree.Linked && tops[all[i].tree.Top] == 1
	}

	return all
}

// find returns the files that two agents change now.
func (w *Watcher) find(ctx context.Context, edits map[string]map[string]time.Time) (found []store.Overlap) {
	all := map[string]touched{}
	places := w.places()
	for _, p := range places {
		all[p.id] = touched{}
		for path, at := range edits[p.id] {
			all[p.id].edit(&p, path, at)
		}
	}

	for _, p := range places {
		if p.own && isShared(&p, places, all) {
			w.addWorktree(ctx, &p, all[p.id])
		}
	}

	now, open := w.opts.Now(), openFiles{}
	for _, c := range candidates(all) {
		if c.changes[0].path != c.changes[1].path && same(c.changes[0].path, c.changes[1].path) {
			continue
		}
		if open.lacks(ctx, &c.changes[0], c.file.name) || open.lacks(ctx, &c.changes[1], c.file.name) {
			continue
		}
		found = append(found, c.overlap(now))
	}

	return found
}

// edit adds a file that the agent itself has edited. Git knows better what was changed in its own
// worktree.
func (t touched) edit(p *place, path string, at time.Time) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return
	}
	path = filepath.Join(dir, filepath.Base(path))

	tree, ok := worktree.TreeOf(dir)
	name, err := filepath.Rel(tree.Top, path)
	switch {
	case !ok || err != nil:
		t[file{"", path}] = change{path: path, edited: at}
	case !p.own || tree.Top != p.tree.Top:
		t[file{tree.Common, name}] = change{path: path, top: tree.Top, edited: at}
	}
}

// isShared reports whether another agent works, or has edited something, in the repository.
func isShared(p *place, places []place, all map[string]touched) bool {
	return slices.ContainsFunc(places, func(other place) bool {
		if other.id == p.id {
			return false
		}
		if other.tree.Common == p.tree.Common {
			return true
		}
		for f := range all[other.id] {
			if f.repository == p.tree.Common {
				return true
			}
		}
		return false
	})
}

// addWorktree adds what git shows in an agent's own worktree. While the agent is silent, what was seen
// last counts, unless something is at odds: then it may be over.
func (w *Watcher) addWorktree(ctx context.Context, p *place, to touched) {
	last, ok := w.looks[p.id]
	if !ok || last.top != p.tree.Top || last.base != p.base || !p.output.Before(last.at) || w.isOpen(p.id) {
		last = look{top: p.tree.Top, base: p.base, at: w.opts.Now()}
		var err error
		if last.changed, err = worktree.Changed(ctx, p.tree.Top, p.base); err != nil {
			w.opts.Log.Debug("see what was changed in a worktree", "worktree", p.tree.Top, "error", err)
		}
		w.looks[p.id] = last
	}

	for _, name := range last.changed {
		name = filepath.FromSlash(name)
		to[file{p.tree.Common, name}] = change{path: filepath.Join(last.top, name), top: last.top}
	}
}

// isOpen reports whether an agent changes a file that another one changes.
func (w *Watcher) isOpen(id string) bool {
	return slices.ContainsFunc(w.current(), func(o store.Overlap) bool {
		return o.Gone.IsZero() && slices.Contains(o.Agents[:], id)
	})
}

// openFiles are the files of checkouts that are not committed, by the checkout.
type openFiles map[string][]string

// lacks reports whether an edit is committed, or undone: then it is at odds with nothing.
func (f openFiles) lacks(ctx context.Context, c *change, name string) bool {
	if c.top == "" || c.edited.IsZero() {
		return false
	}

	open, ok := f[c.top]
	if !ok {
		open, _ = worktree.Changed(ctx, c.top, "") // without git nothing is known to be open
		f[c.top] = open
	}
	if !slices.Contains(open, filepath.ToSlash(name)) {
		return true
	}

	committed, err := worktree.Committed(ctx, c.top, name)
	return err != nil || c.edited.Before(committed)
}
