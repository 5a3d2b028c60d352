package tmux

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"
)

// A directory of sockets that tmux refuses is named at once.
func TestSocketDirectoryOfSomebodyElse(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"open to others": func(t *testing.T,
			dir string) {
			must.Do(t, os.Mkdir(dir, 0o700))
			must.Do(t, os.Chmod(dir, 0o777))
		},
		"a file": func(t *testing.T, dir string) { must.Do(t, os.WriteFile(dir, nil, 0o600)) },
		"of another user": func(t *testing.T, dir string) {
			must.Do(t, os.Mkdir(dir, 0o700))
			if os.Chown(dir, os.Getuid()+1, -1) != nil {
				t.Skip("only root can give a directory away")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			env := []string{"TMUX_TMPDIR=" + base}
			if err := CheckSocketDir(socketDir(env)); err != nil {
				t.Errorf("a directory that tmux is to make: %v", err)
			}

			spoil(t, filepath.Join(base, fmt.Sprintf("tmux-%d", os.Getuid())))
			_, err := Open(t.Context(), Options{Name: "x", Env: env, Dir: t.TempDir()})
			if !errors.Is(err, ErrSocketDir) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
