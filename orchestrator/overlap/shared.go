package overlap

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley"
	"parley/store"
)

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
