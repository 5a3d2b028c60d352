package trial

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"parley/internal/errand"
	"parley/program/profile"
)

// versionWithin bounds how long a program may take to tell its version: one that does not know the question may wait
// for input.
const versionWithin = 10 * time.Second

// VersionOf asks a profile's program for its version, and once more if that takes too long: on a busy machine the first
// start of a large program does. What starts it may be several words, such as those of a script:
// see profile.Starts.
func VersionOf(ctx context.Context, p *profile.Profile, starts []string, env []string) (string, error) {
	version, err := askVersion(ctx, p, starts, env)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		version, err = askVersion(ctx, p, starts, env)
	}
	return version, err
}

func askVersion(ctx context.Context, p *profile.Profile, starts []string, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, starts[0], slices.Concat(starts[1:], p.Version)...)
	cmd.Env = env
	errand.Prepare(cmd)
	out, err := cmd.Output()
	if version := profile.VersionIn(string(out)); version != "" {
		return version, nil
	}
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("it took too long: %w", ctx.Err())
	case err == nil:
		err = errors.New("there is none in its output")
	}
	return "", err
}
