package door

import (
	"context"
	"maps"
	"slices"
)

// openers open the doors of each kind. The kinds are those of package profile.
var openers = map[string]func(context.Context, Program) (Door, error){
	"claude":    openClaude,
	"extension": openExtension,
	"opencode":  openOpencode,
	"qwen":      openQwen,
}

// Kinds returns the kinds of doors, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(openers)) }

// OfSession reports whether a door of a kind is that of one session. Any other stays the same when its program
// begins or resumes a session, and hears what becomes of the letters before that.
func OfSession(kind string) bool { return kind == "opencode" }

// Open returns the door of a program that runs. It is ErrClosed if there is none, or if it is not one that this
// room has learned to use.
func Open(ctx context.Context, p Program) (Door, error) {
	open, ok := openers[p.Kind]
	if !ok {
		return nil, closed("no door of kind %q is known", p.Kind)
	}
	return open(ctx, p)
}

// WasGiven reports whether a letter may have gone in through a door that an earlier version of parley used, of
// which dir has a record.
func WasGiven(dir string, l Letter) bool {
	r, _, err := records{dir}.of(l)
	return err != nil || r.ID != ""
}
