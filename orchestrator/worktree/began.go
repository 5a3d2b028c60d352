package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/plainfile"
)

// beganFile is where a worktree's beginning is kept, in the directory that git has of the worktree. It goes away
// with that.
const beganFile = "parley-began.json"

// The bounds of a beginning. A file beyond them counts as the agent's work.
const (
	maxBegan      = 4 << 20  // bytes of its record
	maxBeganFiles = 5000     // files that are recorded
	maxBeganFile  = 16 << 20 // bytes of one of them
)

// beginning is what a worktree had when its agent began, besides what was checked out: what was copied into it,
// and what its set-up made or changed. An agent can change the record, and harms only its own files by that.
type beginning struct {
	Files map[string]string `json:"files"` // fingerprints by path, below the worktree
	Made  []string          `json:"made"`  // directories that git ignores and the set-up made, with a slash at the end
}

// record keeps the beginning of a worktree. before is what git listed before its set-up.
func (r *repo) record(ctx context.Context, copied []string, before []change) error {
	after, err := r.status(ctx, "--untracked-files=all", "--ignored=matching")
	if err != nil {
		return err
	}

	b := beginning{Files: map[string]string{}}
	for _, c := range after {
		switch {
		case !strings.HasSuffix(c.path, "/"):
			copied = append(copied, c.path)
		case c.ignored() && !slices.Contains(before, c):
			b.Made = append(b.Made, c.path)
		}
	}
	for _, name := range copied[:min(len(copied), maxBeganFiles)] {
		if state, ok := fingerprint(filepath.Join(r.dir, name)); ok {
			b.Files[name] = state
		}
	}

	text, err := json.Marshal(b)
	if err != nil || len(text) > maxBegan {
		return err
	}
	own, err := r.line(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(own, beganFile), text, 0o600)
}

// began reads the beginning of a worktree, which is empty if it has none.
func (r *repo) began(ctx context.Context) beginning {
	var b beginning
	own, err := r.line(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return b
	}
	text, err := plainfile.Read(filepath.Join(own, beganFile), maxBegan)
	if err == nil && json.Unmarshal(text, &b) != nil {
		return beginning{}
	}
	return b
}

// kept is a worktree with what tells its agent's work from the rest.
type kept struct {
	beginning
	top  string // the worktree's directory
	main string // the repository's own checkout; "" if the worktree is not known to be of one
}

// isWork reports whether a file or directory that git lists is the agent's work, and in no other place: not as it
// was when the agent began, and not the same as in the repository's own checkout.
func (k *kept) isWork(c change) bool {
	if !strings.HasSuffix(c.path, "/") {
		return !k.known(c.path, !c.tracked())
	}
	if c.ignored() && (slices.Contains(k.Made, c.path) || isCache(filepath.Join(k.top, c.path))) {
		return false
	}

	work := false
	err := filepath.WalkDir(filepath.Join(k.top, c.path), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && c.ignored() && isCache(path):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		name, err := filepath.Rel(k.top, path)
		if work = err != nil || !k.known(filepath.ToSlash(name), true); work {
			return fs.SkipAll
		}
		return nil
	})

	return work || err != nil
}

// known reports whether a file is as it was when the agent began, or, with alike, the same as in the repository's
// own checkout.
func (k *kept) known(name string, alike bool) bool {
	state, ok := fingerprint(filepath.Join(k.top, name))
	if !ok {
		return false
	}
	if began, is := k.Files[name]; is && began == state {
		return true
	}
	if !alike || k.main == "" {
		return false
	}
	there, ok := fingerprint(filepath.Join(k.main, name))
	return ok && there == state
}

// fingerprint returns what tells two states of a file apart. It is not ok for what is neither a file nor a link,
// and for a long file.
func fingerprint(path string) (state string, ok bool) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "none", os.IsNotExist(err)
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		return "link " + to, err == nil
	case !info.Mode().IsRegular() || info.Size() > maxBeganFile:
		return "", false
	}

	f, _, err := plainfile.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, maxBeganFile+1))

	return fmt.Sprintf("%d %s", n, hex.EncodeToString(sum.Sum(nil))), err == nil && n <= maxBeganFile
}

// cacheTag begins the file by which a directory says that it is a cache (https://bford.info/cachedir).
const cacheTag = "Signature: 8a477f597d28d172789f06886806bc55"

// isCache reports whether the content of a directory can be made again at any time.
func isCache(dir string) bool {
	switch filepath.Base(dir) {
	case "node_modules", "__pycache__":
		return true
	}
	f, _, err := plainfile.Open(filepath.Join(dir, "CACHEDIR.TAG"))
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(cacheTag))
	_, err = io.ReadFull(f, begin)

	return err == nil && string(begin) == cacheTag
}
