package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"parley"
)

// Home is an agent's private home: what its program writes there stays there, from launch to launch.
type Home struct {
	Path string // absolute; made where it is missing
	User string // the user's own home

	// Copied are settings of the program that the private home gets at its first launch, Read those that it sees as
	// they are now, and Shared those that are the same inside and outside, such as a sign-in: all relative to a home.
	Copied, Read, Shared []string

	Links bool // what it sees of the user's stands there as a link: nothing can be shown at another path on macOS

	Name, Email string // of the author of its commits; "" if the user has none
}

// maxCopied bounds what is copied of one setting, in bytes.
const maxCopied = 32 << 20

// Make makes the private home, or completes it, and returns what of the user's home stands in it. The agent can put
// links into its home, so nothing here follows one.
func (h Home) Make() ([]Shared, error) {
	if err := os.MkdirAll(h.Path, 0o700); err != nil {
		return nil, fmt.Errorf("make the private home: %w", err)
	}
	root, err := os.OpenRoot(h.Path)
	if err != nil {
		return nil, fmt.Errorf("open the private home: %w", err)
	}
	defer root.Close()
	if err := place(root, "tmp", true); err != nil { // the temporary files, where /tmp cannot be its own
		return nil, fmt.Errorf("make the private home: %w", err)
	}

	if h.User == "" {
		return nil, nil
	}
	for _, name := range h.Copied {
		if err := h.seed(root, name); err != nil {
			return nil, fmt.Errorf("copy %s into the private home: %w", name, err)
		}
	}
	if err := h.author(root); err != nil {
		return nil, fmt.Errorf("write the author of its commits: %w", err)
	}

	var shared []Shared
	for i, name := range append(append([]string{}, h.Read...), h.Shared...) {
		from := filepath.Join(h.User, name)
		if real, err := filepath.EvalSymlinks(from); err == nil {
			from = real
		}
		info, err := os.Stat(from)
		if err != nil {
			continue
		}
		if err := place(root, name, info.IsDir()); err != nil {
			return nil, fmt.Errorf("make a place for %s in the private home: %w", name, err)
		}
		at := filepath.Join(h.Path, name)
		if h.Links {
			if err := errors.Join(root.RemoveAll(name), root.Symlink(from, name)); err != nil {
				return nil, fmt.Errorf("link %s into the private home: %w", name, err)
			}
			at = from
		}
		shared = append(shared, Shared{From: from, To: at, Writes: i >= len(h.Read)})
	}

	return shared, nil
}

// author writes who the author of the agent's commits is, and nothing else of the user's settings of git.
func (h Home) author(root *os.Root) error {
	const file = ".gitconfig"
	if _, err := root.Lstat(file); err == nil || h.Name == "" && h.Email == "" {
		return nil
	}
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace
	text := fmt.Appendf(nil, "[user]\n\tname = \"%s\"\n\temail = \"%s\"\n", quote(h.Name), quote(h.Email))
	return root.WriteFile(file, text, 0o600)
}

// seed copies a file or directory of the user's home, unless the private one has it.
func (h Home) seed(root *os.Root, name string) error {
	from := resolved(filepath.Join(h.User, name))
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := place(root, dir, true); err != nil {
			return err
		}
	}
	if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	left := int64(maxCopied)
	if !info.IsDir() {
		return copyFile(root, from, name, &left)
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch to := filepath.Join(name, rest); {
		case d.IsDir() && d.Name() == "node_modules":
			return filepath.SkipDir
		case d.IsDir():
			return root.MkdirAll(to, 0o700)
		case d.Type().IsRegular():
			return copyFile(root, path, to, &left)
		}
		return nil // links, sockets
	})
}

func copyFile(root *os.Root, from, to string, left *int64) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()

	out, err := root.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, *left+1))
	err = errors.Join(err, out.Close())
	if *left -= n; err == nil && *left < 0 {
		err = parley.Errorf(parley.InvalidArgument, "%s is larger than %d MB", from, maxCopied>>20).
			Suggest("Make it smaller: each sandboxed agent has a copy.")
	}
	return err
}

// place makes the file or directory over which something of the user's is shown, in place of any link on the way.
func place(root *os.Root, name string, isDir bool) error {
	at := ""
	words := strings.Split(filepath.Clean(name), string(filepath.Separator))
	for i, word := range words {
		at = filepath.Join(at, word)
		wantsDir := isDir || i < len(words)-1
		info, err := root.Lstat(at)
		if err == nil && (info.IsDir() != wantsDir || info.Mode().Type()&^fs.ModeDir != 0) {
			err = errors.Join(root.RemoveAll(at), fs.ErrNotExist)
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if wantsDir {
			err = root.Mkdir(at, 0o700)
		} else {
			err = root.WriteFile(at, nil, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// passed are the variables that a program in a sandbox gets from its launch, with * for any letters: those by which it
// finds programs, speaks the user's language and reaches the network. None of them leads out.
var passed = []string{
	"PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "EDITOR", "VISUAL", "PAGER",
	"TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PWD",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"PARLEY_AGENT", "PARLEY_SOCKET", "PARLEY_AGENT_ID", "PARLEY_KEY", "PARLEY_DIR",
}

// Environ returns the part of an environment that a program in a sandbox gets, with its private home. more has names
// besides the usual ones, of its profile and of the launch, with * for any letters.
func Environ(env []string, home string, more []string) []string {
	names := slices.Concat(passed, more)
	kept := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.ContainsFunc(names, func(pattern string) bool {
			ok, err := path.Match(pattern, name)
			return ok && err == nil
		})
	})
	temporary := "/tmp"
	if runtime.GOOS == "darwin" { // where nothing can be hidden by a mount
		temporary = home + "/tmp"
	}
	return append(kept, "HOME="+home, "TMPDIR="+temporary)
}
