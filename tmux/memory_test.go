package tmux_test

import (
	"testing"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// serverMemory returns the bytes that the server holds.
func serverMemory(t testing.TB, opts tmux.Options) int64 {
	t.Helper()
	got, err := tmux.Inspect(t.Context(), opts.Binary, opts.Path, opts.Env)
	if err != nil || got.Memory == 0 {
		t.Fatalf("the server's memory: %+v, %v", got, err)
	}
	return got.Memory
}

func TestTypingLeavesNoMemoryInTheServer(t *testing.T) {
	opts := tmuxtest.Options(t)
	s := tmuxtest.StartWith(t, opts)
	info := sinks(t, s, 1)[0]
	press := func(m tmux.Moment) tmux.Step {
		switch m.Phase {
		case tmux.Unknown:
			return tmux.Step{Do: tmux.Paste}
		case tmux.Pasted:
			return tmux.Step{Do: tmux.Press}
		}
		return tmux.Step{Do: tmux.Done}
	}

	seq := uint64(0)
	submit := func(n int) {
		for range n {
			seq++
			out, err := s.Pane(info.ID).Submit(t.Context(),
				tmux.Submission{Owner: info.Owner, Seq: seq, Text: body, Next: press})
			if err != nil || out.Phase != tmux.Taken {
				t.Fatalf("%+v, %v", out, err)
			}
		}
	}

	submit(100)
	before := serverMemory(t, opts)
	const messages = 400
	submit(messages)
	if each := (serverMemory(t, opts) - before) / messages; each > 512 {
		t.Errorf("each message left %d bytes in the server, want 512 at most", each)
	}
}

// A daemon looks at its panes for months.
func TestLookingLeavesNoMemoryInTheServer(t *testing.T) {
	opts := tmuxtest.Options(t)
	s := tmuxtest.StartWith(t, opts)
	pane := s.Pane(sinks(t, s, 1)[0].ID)
	look := func(n int) {
		for range n {
			must.Have(s.Panes(t.Context()))(t)
			must.Have(pane.Screen(t.Context(), tmux.ScreenOptions{}))(t)
		}
	}

	look(500)
	before := serverMemory(t, opts)
	const looks = 2000
	look(looks)
	// The modifier q: left 327 bytes. The heap itself grows by 132 kB at a time.
	if each := (serverMemory(t, opts) - before) / looks; each > 128 {
		t.Errorf("each look left %d bytes in the server, want 128 at most", each)
	}
}
