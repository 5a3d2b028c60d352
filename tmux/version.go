package tmux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"
)

// Version is a tmux release such as 3.3a. Builds without a number (master,
// OpenBSD's) count as newer than every release.
type Version struct {
	Major, Minor int
	Text         string // as tmux prints it, without the word "tmux"
}

// String returns the version as tmux prints it.
func (v Version) String() string { return v.Text }

// AtLeast reports whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// The oldest supported version is 3.3. 3.2 and 3.2a have all that parley asks of tmux, but
// crash with every agent in them, and lose keys (tried).
const oldestMajor, oldestMinor = 3, 3

func (v Version) check() error {
	if v.AtLeast(oldestMajor, oldestMinor) {
		return nil
	}
	return fmt.Errorf("%w: found %s", ErrTooOld, v.Text)
}

// CheckVersion runs `binary -V` (binary "" is "tmux") and returns the version. It
// fails with ErrNotInstalled or ErrTooOld.
func CheckVersion(ctx context.Context, binary string) (Version, error) {
	if binary == "" {
		binary = "tmux"
	}

	out, err := exec.CommandContext(ctx, binary, "-V").Output()
	if err != nil {
		if ctx.Err() != nil {
			return Version{}, fmt.Errorf("ask %s for its version: %w", binary, context.Cause(ctx))
		}

		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return Version{}, fmt.Errorf("%w: %s -V failed: %w", ErrNotInstalled, binary, err)
		}

		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			return Version{}, fmt.Errorf("%w: %w", ErrNotInstalled, err)
		}
		return Version{}, fmt.Errorf("tmux cannot be started: %w", err)
	}

	v := parseVersion(string(out))

	return v, v.check()
}

func parseVersion(text string) Version {
	text = strings.TrimPrefix(strings.TrimSpace(text), "tmux ")
	v := Version{Text: text}
	number := strings.TrimPrefix(text, "next-")
	major, rest, _ := strings.Cut(number, ".")
	var err error
	if v.Major, err = strconv.Atoi(major); err != nil {
		v.Major = 1 << 20 // "master", "openbsd-7.4": not a release number of tmux
		return v
	}

	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}

	v.Minor, _ = strconv.Atoi(rest[:end]) // "" is 0

	return v
}
