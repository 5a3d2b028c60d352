package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"parley"
	"parley/plain"
)

// mark is where a sandbox shows that it is one. What runs inside cannot take it away.
const mark = "/parley-sandbox"

// Inside reports whether this process runs in a sandbox of parley's.
func Inside() bool {
	if runtime.GOOS == "darwin" {
		_, err := os.Stat(seatbelt)
		return errors.Is(err, fs.ErrPermission)
	}
	info, err := os.Stat(mark)
	return err == nil && info.IsDir()
}

// tryTime bounds the trial of a sandbox, which takes some milliseconds.
const tryTime = 10 * time.Second

// trials are the arguments by which a sandbox is tried, and its makers' names, by the system.
var trials = map[string]struct {
	maker string
	words []string
}{
	"darwin": {"sandbox-exec", []string{"-p", seatbeltBase + `(allow file-read* (subpath "/usr"))`, "/usr/bin/true"}},
	"linux": {"bubblewrap", []string{
		"--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp", "--",
		"/bin/true",
	}},
}

// Usable returns why no sandbox can be made here, nil if one can: it makes one, and runs nothing in it.
func Usable(ctx context.Context) error {
	program, err := find()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()

	trial := trials[runtime.GOOS]
	out, err := exec.CommandContext(ctx, program, trial.words...).CombinedOutput()
	if err == nil {
		return nil
	}
	said := plain.Truncate(plain.CleanLine(string(out)), 200)
	e := parley.Errorf(parley.InvalidArgument, "this system does not let %s make a sandbox: %s", trial.maker, said)
	if strings.Contains(said, "uid map") || strings.Contains(said, "RTM_NEWADDR") {
		return e.Suggest("AppArmor forbids it: install apparmor-profiles and load its profile " +
			"bwrap-userns-restrict; or launch without --sandbox.")
	}
	return e.Suggest("In a container that is usual, and the container is the boundary: launch without --sandbox there.")
}

// find returns the program that makes a sandbox. The error says how to get it.
func find() (string, error) {
	if runtime.GOOS == "darwin" {
		return seatbelt, nil
	}
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return "", parley.Errorf(parley.InvalidArgument, "a sandbox needs bubblewrap, which was not found").
			Suggest("Install it: sudo apt install bubblewrap (or your system's package), then again; or launch " +
				"without --sandbox.")
	}
	return path, nil
}
