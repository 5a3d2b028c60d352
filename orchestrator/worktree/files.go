package worktree

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"parley"
)

// files returns the files that a diff is about, and how far each is on its way. words print them as git's --numstat
// does with -z: the numbers and a path, or, for a renamed file, the numbers, the path before and the path now.
func (r *repo) files(ctx context.Context, words, untracked []string) ([]parley.ChangedFile, error) {
	out, err := r.git(ctx, words...)
	if err != nil {
		return nil, err
	}
	open, err := (&repo{dir: r.dir, guard: r.guard}).status(ctx, "--untracked-files=no")
	if err != nil {
		return nil, err
	}

	states := map[string]parley.FileState{}
	for _, c := range open {
		states[c.path] = parley.FileUnstaged
		if c.code[1] == ' ' {
			states[c.path] = parley.FileStaged
		}
	}

	var all []parley.ChangedFile
	for rest := out; rest != ""; {
		var entry string
		entry, rest, _ = strings.Cut(rest, "\x00")
		f, ok := changedFile(entry)
		if !ok {
			continue
		}
		if f.Path == "" {
			f.From, rest, _ = strings.Cut(rest, "\x00")
			f.Path, rest, _ = strings.Cut(rest, "\x00")
		}

		f.State = parley.FileCommitted
		if s, ok := states[f.Path]; ok {
			f.State = s
		}
		if slices.Contains(untracked, f.Path) {
			f.State = parley.FileNew
		}
		all = append(all, f)
	}

	return all, nil
}

// changedFile reads the numbers of a file, and its path unless that follows. Binary files have no numbers.
func changedFile(entry string) (f parley.ChangedFile, ok bool) {
	parts := strings.SplitN(entry, "\t", 3)
	if len(parts) < 3 {
		return f, false
	}
	f.Binary = parts[0] == "-"
	f.Added, _ = strconv.Atoi(parts[0])
	f.Removed, _ = strconv.Atoi(parts[1])
	f.Path = parts[2]
	return f, true
}
