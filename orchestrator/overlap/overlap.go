// Package overlap notices when two agents change one file, in one directory or in worktrees apart. It
// says only what git and the programs' own transcripts show, and changes nothing.
package overlap

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"time"

	"parley"
	"parley/internal/plainfile"
	"parley/store"
)

// file names a file in all checkouts of a repository, or one outside of any by its path.
type file struct{ repository, name string }

// change is how an agent changes a file.
type change struct {
	path   string
	top    string    // of the checkout; "" outside of any
	edited time.Time // by the agent's own transcript; zero: git shows it in the agent's own worktree
}

type touched map[file]change

// candidate is a file that two agents change, as far as is known without a closer look.
type candidate struct {
	agents  [2]string
	file    file
	changes [2]change
}

// candidates returns the files that any two agents change, sorted.
func candidates(all map[string]touched) (found []candidate) {
	for a, ofA := range all {
		for b, ofB := range all {
			if a >= b {
				continue
			}
			for f, ours := range ofA {
				if theirs, ok := ofB[f]; ok {
					found = append(found, candidate{[2]string{a, b}, f, [2]change{ours, theirs}})
				}
			}
		}
	}

	slices.SortFunc(found, func(x, y candidate) int {
		return cmp.Or(slices.Compare(x.agents[:], y.agents[:]), cmp.Compare(x.file.repository, y.file.repository),
			cmp.Compare(x.file.name, y.file.name))
	})

	return found
}

func (c *candidate) overlap(now time.Time) store.Overlap {
	return store.Overlap{
		Agents: c.agents, Repository: c.file.repository, Name: c.file.name,
		Paths: [2]string{c.changes[0].path, c.changes[1].path}, Since: now,
	}
}

// lull is how long two agents are left in peace after they were told of an overlap, also of one that ends and comes
// back.
const lull = 10 * time.Minute

// follow returns the overlaps of now: those that were found, since when they are so, and those that are
// over and not yet forgotten.
func follow(before, found []store.Overlap, now time.Time) (after []store.Overlap) {
	isSame := func(x store.Overlap) func(store.Overlap) bool {
		return func(y store.Overlap) bool {
			return x.Agents == y.Agents && x.Repository == y.Repository && x.Name == y.Name && x.Paths == y.Paths
		}
	}

	for _, o := range found {
		if i := slices.IndexFunc(before, isSame(o)); i >= 0 {
			last := &before[i]
			if last.Gone.IsZero() {
				o.Since = last.Since
			}
			if last.Gone.IsZero() || now.Sub(last.Gone) < lull {
				o.Told = last.Told
			}
		}
		after = append(after, o)
	}

	var over []store.Overlap
	for _, o := range before {
		if slices.ContainsFunc(found, isSame(o)) {
			continue
		}
		if o.Gone.IsZero() {
			o.Gone = now
		}
		over = append(over, o)
	}

	return append(after, forget(over, now)...)
}

// due returns, by pair, the positions of the overlaps that the pair is to be told of now.
func due(list []store.Overlap, now time.Time) map[[2]string][]int {
	last := map[[2]string]time.Time{}
	for _, o := range list {
		if o.Told.After(last[o.Agents]) {
			last[o.Agents] = o.Told
		}
	}

	pairs := map[[2]string][]int{}
	for i, o := range list {
		if o.Gone.IsZero() && o.Told.IsZero() && now.Sub(last[o.Agents]) >= lull {
			pairs[o.Agents] = append(pairs[o.Agents], i)
		}
	}

	return pairs
}

// maxCompared is the size up to which the content of files is compared, in bytes.
const maxCompared = 8 << 20

// same reports whether two copies of a file are equal, or neither exists: then nothing is at odds.
func same(a, b string) bool {
	infoA, errA := os.Lstat(a)
	infoB, errB := os.Lstat(b)
	if errA != nil || errB != nil {
		return os.IsNotExist(errA) && os.IsNotExist(errB)
	}
	if infoA.Mode().Type() != infoB.Mode().Type() {
		return false
	}
	if infoA.Mode().Type() == os.ModeSymlink {
		toA, errA := os.Readlink(a)
		toB, errB := os.Readlink(b)
		return errA == nil && errB == nil && toA == toB
	}
	if !infoA.Mode().IsRegular() || infoA.Size() != infoB.Size() || infoA.Size() > maxCompared {
		return false
	}

	contentA, errA := plainfile.Read(a, maxCompared)
	contentB, errB := plainfile.Read(b, maxCompared)
	return errA == nil && errB == nil && bytes.Equal(contentA, contentB)
}

const (
	// remembered is how long an overlap is kept after it is over: as far back as a history goes.
	remembered = 7 * 24 * time.Hour
	// mostRemembered bounds the overlaps that are over.
	mostRemembered = 500
)

// forget returns of overlaps that are over those that are remembered, the newest first.
func forget(over []store.Overlap, now time.Time) []store.Overlap {
	over = slices.DeleteFunc(over, func(o store.Overlap) bool { return now.Sub(o.Gone) >= remembered })
	slices.SortStableFunc(over, func(a, b store.Overlap) int { return b.Gone.Compare(a.Gone) })
	return over[:min(len(over), mostRemembered)]
}

// Shared returns the files that agents of any host changed at one time, and that were open after since; the newest
// first.
func (w *Watcher) Shared(ctx context.Context, since time.Time) ([]parley.SharedFile, error) {
	if w.opts.Mode == Off {
		return []parley.SharedFile{}, nil
	}
	list, err := w.opts.Store.Workspace.Overlaps(ctx, true)
	if err != nil {
		return nil, err
	}

	all, at := []parley.SharedFile{}, map[file]int{}
	for _, o := range list {
		if !o.Gone.IsZero() && o.Gone.Before(since) {
			continue
		}
		names := w.names(o.Agents)
		if len(names) < len(o.Agents) {
			continue
		}

		f := file{o.Repository, o.Name}
		i, ok := at[f]
		if !ok {
			i = len(all)
			at[f] = i
			all = append(all, parley.SharedFile{Name: clean(o.Name), Since: o.Since, Until: o.Gone})
		}
		join(&all[i], &o, names)
	}

	slices.SortStableFunc(all, func(a, b parley.SharedFile) int {
		return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// join adds what two agents change to what is known of a file.
func join(s *parley.SharedFile, o *store.Overlap, names []string) {
	for _, name := range names {
		if !slices.Contains(s.Agents, name) {
			s.Agents = append(s.Agents, name)
		}
	}
	slices.Sort(s.Agents)

	s.Apart = s.Apart || o.Paths[0] != o.Paths[1]
	if o.Since.Before(s.Since) {
		s.Since = o.Since
	}
	if o.Gone.IsZero() || !s.Until.IsZero() && o.Gone.After(s.Until) {
		s.Until = o.Gone
	}
}

// names returns the names of agents that are still known.
func (w *Watcher) names(ids [2]string) (names []string) {
	for _, id := range ids {
		if m := w.opts.Roster.ByID(id); m != nil {
			names = append(names, m.Name)
		}
	}
	return names
}
