package door

import (
	"context"
	"path/filepath"
	"strings"
)

// Doing is what a program says that it does. The zero value says that it rests, or tells nothing.
type Doing struct {
	Asks     bool   // a person is to answer something
	Works    bool   // on a turn
	Evidence string // a clause: "its own door says that it asks for a permission: bash"
}

// tellers ask programs what they do, of the kinds that tell it.
var tellers = map[string]func(context.Context, Program) (Doing, error){
	"claude":   whatClaudeDoes,
	"opencode": whatOpencodeDoes,
}

// Does asks what a program does now. Nothing goes in, so neither its version nor its session counts. It is ErrClosed if
// there is no door.
func Does(ctx context.Context, p Program) (Doing, error) {
	ask, tells := tellers[p.Kind]
	if !tells {
		return Doing{}, nil
	}
	return ask(ctx, p)
}

// whatClaudeDoes reads it in the registry. Earlier versions call a turn that asks busy.
func whatClaudeDoes(_ context.Context, p Program) (Doing, error) {
	if _, err := readLaunch(p.Dir); err != nil {
		return Doing{}, err
	}
	var now claudeSession
	if _, err := readRegistry(filepath.Join(claudeHome(p.PID), "sessions"), p.PID, &now); err != nil {
		return Doing{}, err
	}

	switch now.Status {
	case "waiting":
		return Doing{Asks: true, Evidence: "its registry says that it waits: " + clean(now.Awaits)}, nil
	case "busy":
		return Doing{Works: true, Evidence: "its registry says that it works"}, nil
	}
	return Doing{}, nil
}

// whatOpencodeDoes asks its server. Each question is asked anew: one whose answer nobody has told would keep it waiting
// for ever.
func whatOpencodeDoes(ctx context.Context, p Program) (Doing, error) {
	o, err := callOpencode(p)
	if err != nil {
		return Doing{}, err
	}

	var asked []struct {
		Permission string
		Patterns   []string
	}
	if err := o.get(ctx, "/permission", &asked); err != nil {
		return Doing{}, err
	}
	if len(asked) > 0 {
		what := clean(asked[0].Permission + " " + strings.Join(asked[0].Patterns, ", "))
		return Doing{Asks: true, Evidence: "its own door says that it asks for a permission: " + what}, nil
	}

	var questions []struct{}
	if err := o.get(ctx, "/question", &questions); err != nil {
		return Doing{}, err
	}
	if len(questions) > 0 {
		return Doing{Asks: true, Evidence: "its own door says that it asks a question"}, nil
	}

	var states map[string]struct{ Type string }
	if err := o.get(ctx, "/session/status", &states); err != nil {
		return Doing{}, err
	}
	for _, s := range states {
		if s.Type == "busy" || s.Type == "retry" {
			return Doing{Works: true, Evidence: "its own door says that it works"}, nil
		}
	}

	return Doing{}, nil
}
