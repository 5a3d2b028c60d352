package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"parley"
	"parley/orchestrator/sight"
	"parley/program/profile"
)

// hookScript stands for parley where a program's hooks are tried, beside the files of its name: it keeps what the
// program says, and prints what the trial has for that hook.
const hookScript = `#!/bin/sh
[ "$1" = hook ] || exit 0
cat > "$0.said.$2.$$"
[ "$3" = --wait ] && mv "$0.give.$2" "$0.given" 2>/dev/null && cat "$0.given"
exit 0
`

// standInFor returns what stands for parley in what is handed over, in a directory of the trial. Without hooks to try,
// the program's MCP server and its reports end at once. parley itself would start a daemon for the directory.
func (o *Options) standInFor(dir string) (path string, err error) {
	if o.Model == "" || o.Profile.Door.Hooks.End.Event == "" {
		return "true", nil
	}
	path = filepath.Join(dir, "parley")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(path, []byte(hookScript), 0o700)); err != nil {
		return "", fmt.Errorf("write what stands for parley: %w", err)
	}
	return path, nil
}

// hooked gives the program a message by the hook at the end of its turn, which has to go on with that.
func (w *modelWalk) hooked(ctx context.Context) error {
	hooks := &w.walk.opts.Profile.Door.Hooks
	if hooks.End.Event == "" {
		w.walk.note(Hooks, NotTried, "no hook of it is known that takes messages")
		return nil
	}
	base, err := w.walk.opts.standInFor(w.walk.private)
	if err != nil {
		return err
	}
	const given = "msg 5f0c21bc"
	prints, err := hooks.End.Print(w.walk.message("and this", given))
	if err == nil {
		err = os.WriteFile(base+".give."+hooks.End.Event, []byte(prints), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write what a hook prints: %w", err)
	}

	if ok, err := w.submit(ctx, Hooks, work, mark, w.walk.opts.Profile.Key); !ok || err != nil {
		return err
	}
	if ok, err := w.works(ctx, Hooks); !ok || err != nil {
		return err
	}
	has, called, rested := false, false, w.rested()
	_, _, ok, err := w.stands(ctx, w.walk.opts.Patience, func(s *sight.Standing, at *seen) bool {
		_, waits := os.Stat(base + ".give." + hooks.End.Event)
		called, has = waits != nil, has || hasGiven(hooks, base, given)
		return rested(s, at) && (has || !called)
	})
	switch {
	case err != nil:
		return err
	case !called:
		w.walk.note(Hooks, NotTried, "the program called none")
	case !has:
		w.walk.note(Hooks, Fails, "nothing that it writes names the message that its hook printed")
	case !ok:
		w.walk.note(Hooks, Fails, "it does not rest after what its hook printed")
		w.walk.left = "what came before did not hold"
	default:
		w.walk.note(Hooks, Holds, "")
	}
	return nil
}

// hasGiven reports whether the program says that a turn has the message: in its transcript, or in what it reports.
func hasGiven(hooks *profile.Hooks, base, mark string) bool {
	said, _ := filepath.Glob(base + ".said.*") // the pattern is well formed, unless the directory's name is not
	if hooks.End.IsReported() {
		return slices.ContainsFunc(said, func(name string) bool {
			text, err := os.ReadFile(name)
			var prompt struct{ Prompt string }
			return err == nil && json.Unmarshal(text, &prompt) == nil && len(parley.FindTyped(prompt.Prompt)) > 0 &&
				bytes.Contains(text, []byte(mark))
		})
	}
	return slices.ContainsFunc(said, func(name string) bool {
		text, err := os.ReadFile(name)
		var at struct {
			Path string `json:"transcript_path"`
		}
		if err != nil || json.Unmarshal(text, &at) != nil || at.Path == "" {
			return false
		}
		if hooks.File != "" {
			at.Path = filepath.Join(filepath.Dir(at.Path), hooks.File)
		}
		lines, _ := os.ReadFile(at.Path) // the program may write it later
		return slices.ContainsFunc(bytes.Split(lines, []byte("\n")), func(line []byte) bool {
			return bytes.Contains(line, []byte(mark)) && hooks.End.Read.Match(line)
		})
	})
}
