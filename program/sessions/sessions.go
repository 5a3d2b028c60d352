// Package sessions finds the conversations that the agent programs of this machine keep, and what was said in them.
// Profiles say where a program keeps them and in which form. The programs' own files are only read.
package sessions

import (
	"cmp"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/program/opencode"
	"parley/program/profile"
	"parley/program/transcript"
)

// Options are where an archive looks, and where it keeps its index.
type Options struct {
	Profiles profile.Set
	Home     string                   // the user's home directory
	Env      func(name string) string // the environment of programs
	Index    string                   // the file of the index; "": nothing is found by its words
	Log      *slog.Logger
}

// Archive is all conversations that the programs keep. Safe for concurrent use.
type Archive struct {
	opts    Options
	sources []source
	index   *index
	heads   heads
}

// source is where one program keeps its conversations.
type source struct {
	program *profile.Profile
	kept    *transcript.Kept
	base    string
	lately  *lately
}

// New returns the archive. Its index is filled while Run runs.
func New(opts Options) *Archive {
	a := &Archive{opts: opts, index: newIndex(opts.Index)}
	known, err := profile.Builtin()
	if err != nil {
		known = opts.Profiles
	}

	// A profile of the user's that extends another one means the same files.
	seen := map[string]bool{}
	for _, name := range append(known.Names(), opts.Profiles.Names()...) {
		p, err := opts.Profiles.Find(name)
		if err != nil || p.Kept.Files == "" || opts.Home == "" {
			continue
		}
		base := filepath.Join(opts.Home, p.Kept.Home)
		if own := opts.Env(p.Kept.Env); p.Kept.Env != "" && filepath.IsAbs(own) {
			base = own
		}
		if files := filepath.Join(base, p.Kept.Files); !seen[files] {
			seen[files] = true
			a.sources = append(a.sources, source{p, &p.Kept, base, &lately{}})
		}
	}
	return a
}

// Programs returns the profiles of the programs whose conversations are found.
func (a *Archive) Programs() (names []string) {
	for _, s := range a.sources {
		names = append(names, s.program.Name)
	}
	return names
}

// entry is a conversation as its directory, or the list in a database, shows it.
type entry struct {
	from *source
	path string // of the transcript or the database
	id   string // or its beginning
	at   time.Time
	size int64
	row  *opencode.Conversation // in a database
}

// key names the conversation among all.
func (e *entry) key() string {
	if e.row != nil {
		return e.path + "#" + e.id
	}
	return e.path
}

// scan lists what a program keeps, "" for all, the newest first.
func (a *Archive) scan(ctx context.Context, program string) (all []entry) {
	for i := range a.sources {
		s := &a.sources[i]
		if program != "" && program != s.program.Name {
			continue
		}
		if s.kept.Kind == transcript.Opencode {
			all = append(all, a.rows(ctx, s)...)
			continue
		}

		all = append(all, s.files(time.Now())...)
	}
	slices.SortStableFunc(all, newestFirst)
	return all
}

const (
	// atOnce is how many files are looked at together.
	atOnce = 4
	// wholeLook is how long it is enough to look at new files and at the newest ones: ten thousand take a tenth of a
	// second. What goes on in an old one is seen after that.
	wholeLook = 15 * time.Second
	// newest is how many count as the newest.
	newest = 200
)

// lately is what the last looks at the transcripts of a program have found.
type lately struct {
	mu    sync.Mutex
	whole time.Time        // when all were looked at
	all   map[string]entry // by their paths
	since time.Time        // the newest ones are not older
}

// files lists the transcripts of a program.
func (s *source) files(now time.Time) []entry {
	s.lately.mu.Lock()
	defer s.lately.mu.Unlock()
	old := s.lately.all
	if age := now.Sub(s.lately.whole); age < 0 || age > wholeLook {
		old, s.lately.whole = nil, now
	}

	paths, _ := fs.Glob(os.DirFS(s.base), s.kept.Files) // a directory that is missing has none
	all := make([]entry, len(paths))
	var looking sync.WaitGroup
	for first := range atOnce {
		looking.Go(func() {
			for i := first; i < len(paths); i += atOnce {
				if was, ok := old[paths[i]]; ok && was.at.Before(s.lately.since) {
					all[i] = was
					continue
				}
				path := filepath.Join(s.base, paths[i])
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					all[i] = entry{
						from: s, path: path, id: s.kept.IDIn(path), at: info.ModTime(), size: info.Size(),
					}
				}
			}
		})
	}
	looking.Wait()

	s.lately.all = make(map[string]entry, len(paths))
	for i := range all {
		s.lately.all[paths[i]] = all[i]
	}
	all = slices.DeleteFunc(all, func(e entry) bool { return e.from == nil })
	slices.SortStableFunc(all, newestFirst)
	if len(all) > 0 {
		s.lately.since = all[min(newest, len(all))-1].at
	}
	return all
}

// newestFirst is the order of conversations.
func newestFirst(x, y entry) int { return cmp.Or(y.at.Compare(x.at), strings.Compare(x.path, y.path)) }

// rows lists the conversations in a database.
func (a *Archive) rows(ctx context.Context, s *source) (all []entry) {
	path := filepath.Join(s.base, s.kept.Files)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	list, err := opencode.Conversations(ctx, path)
	if err != nil {
		a.opts.Log.Debug("list the conversations in a database", "path", path, "error", err)
	}
	for i := range list {
		row := &list[i]
		all = append(all, entry{from: s, path: path, id: row.ID, at: row.At, size: row.Size, row: row})
	}
	return all
}

// Query says what is looked for.
type Query struct {
	Words   string // all of them, each as the beginning of a word; "": everything
	Program string // a profile; "": all
	Limit   int
}

// Listing is what was found, the newest first.
type Listing struct {
	Sessions []parley.KeptSession
	More     bool
	Read, Of int // how many conversations the index has, and how many there are; 0 without words
}

// List finds conversations. Without words it reads no more than the heads of the newest.
func (a *Archive) List(ctx context.Context, q Query) (l Listing, err error) {
	began, all := time.Now(), a.scan(ctx, q.Program)
	among := shorts(all)
	words := splitWords(q.Words)
	if len(words) > 0 {
		l.Of = len(all)
		if all, l.Read, err = a.index.find(ctx, began, all, words); err != nil {
			return l, err
		}
	}

	seen := map[string]bool{}
	for i := range all {
		s := a.describe(ctx, &all[i])
		if s.First == "" || seen[s.Program+s.ID] { // nothing was said, or it goes on in another file
			continue
		}
		if len(l.Sessions) == q.Limit {
			l.More = true
			break
		}
		seen[s.Program+s.ID] = true
		s.Short = among.of(s.ID)
		l.Sessions = append(l.Sessions, s)
		if ctx.Err() != nil {
			return l, ctx.Err()
		}
	}
	if len(words) > 0 {
		a.excerpts(ctx, all, l.Sessions, words)
	}
	return l, nil
}

// Find returns the conversations whose id is id, or begins with it.
func (a *Archive) Find(ctx context.Context, id string) (found []parley.KeptSession) {
	all := a.scan(ctx, "")
	for i := range all {
		e := &all[i]
		if !strings.HasPrefix(e.id, id) && (e.from.kept.ID == "" || e.id == "" || !strings.HasPrefix(id, e.id)) {
			continue
		}
		s := a.describe(ctx, e)
		again := slices.ContainsFunc(found, func(f parley.KeptSession) bool {
			return f.ID == s.ID && f.Program == s.Program
		})
		if strings.HasPrefix(s.ID, id) && s.First != "" && !again {
			found = append(found, s)
		}
	}
	return found
}

// maxTurns is how many bytes of a conversation Last reads.
const maxTurns = 256 << 20

// Last returns what was said last in a conversation of a program, at most n turns, the newest last. There are none if
// it is not found.
func (a *Archive) Last(ctx context.Context, program, id string, n int) (last []transcript.Turn) {
	for _, e := range a.scan(ctx, program) {
		if e.id == "" || !strings.HasPrefix(id, e.id) {
			continue
		}
		_, _ = e.turns(ctx, maxTurns, func(t transcript.Turn, f *transcript.Facts) bool { // what was read counts
			if f.ID == "" || f.ID == id {
				last = append(last[max(0, len(last)+1-n):], t)
			}
			return true
		})
		if len(last) > 0 {
			break
		}
	}
	return last
}

// shortest is the least length of the beginning of an id that is shown.
const shortest = 12

// known are the ids of all conversations in their order.
type known []string

func shorts(all []entry) (ids known) {
	for i := range all {
		ids = append(ids, all[i].id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// of returns the beginning of an id that no other one has.
func (ids known) of(id string) string {
	n := shortest
	at, _ := slices.BinarySearch(ids, id)
	for _, i := range []int{at - 1, at, at + 1} {
		if i < 0 || i >= len(ids) || ids[i] == id || strings.HasPrefix(id, ids[i]) {
			continue
		}
		same := 0
		for same < min(len(id), len(ids[i])) && id[same] == ids[i][same] {
			same++
		}
		n = max(n, same+1)
	}
	return id[:min(n, len(id))]
}
