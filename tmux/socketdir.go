package tmux

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// socketDir returns the directory in which tmux makes a socket that is given by its name.
func socketDir(env []string) string {
	base := "/tmp"
	for _, kv := range slices.Backward(env) {
		if dir, ok := strings.CutPrefix(kv, "TMUX_TMPDIR="); ok {
			base = cmp.Or(dir, base)
			break
		}
	}
	return filepath.Join(base, fmt.Sprintf("tmux-%d", os.Getuid()))
}

// CheckSocketDir returns ErrSocketDir for a directory of sockets that tmux refuses: it belongs to
// somebody else, or others may use it (its mask is 07). A missing one is fine, since tmux makes it.
// Without this check, every attempt to connect fails for a reason that only tmux knows.
func CheckSocketDir(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSocketDir, err)
	}

	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%w: %s is not a directory", ErrSocketDir, dir)
	case ok && int(stat.Uid) != os.Getuid():
		return fmt.Errorf("%w: %s belongs to another user", ErrSocketDir, dir)
	case info.Mode().Perm()&0o007 != 0:
		return fmt.Errorf("%w: others may use %s (%#o)", ErrSocketDir, dir, info.Mode().Perm())
	}

	return nil
}
