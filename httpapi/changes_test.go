package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
)

// shown is a service whose needs, team and terminals a test changes.
type shown struct {
	*stub
	mu      sync.Mutex
	needs   []parley.Need
	team    []parley.AgentStatus
	screens map[string][]string
}

func (s *shown) Do(ctx context.Context, operation string, request any) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r := request.(type) {
	case parley.GetNeedsRequest:
		return &parley.GetNeedsResult{Answer: parley.OK, Needs: s.needs}, nil
	case parley.AgentStatusRequest:
		return &parley.AgentStatusResult{Answer: parley.OK, Agents: slices.Clone(s.team)}, nil
	case parley.ReadTerminalRequest:
		lines, ok := s.screens[r.Agent]
		if !ok {
			return nil, parley.Errorf(parley.AgentNotFound, "%s has no terminal", r.Agent).Suggest("Launch it.")
		}
		return &parley.ReadTerminalResult{Answer: parley.OK, Name: r.Agent, Lines: lines, At: time.Now()}, nil
	}
	return s.stub.Do(ctx, operation, request)
}

func (s *shown) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// pageOf serves a service, whose quiet streams have a heartbeat each second, to sessions of the page.
func pageOf(t *testing.T, s parley.Service) *daemon {
	o := pageOptions(nil)
	o.Service = s
	o.Authenticate = func(context.Context, string) (parley.Caller, bool) {
		session := operator
		session.Session = "1"
		return session, true
	}
	a := newAPI(o)
	a.events.heartbeat, a.events.looks.age = 1, 0
	return serve(t, a.handler())
}

func TestAPageHearsWhatNoEventTells(t *testing.T) {
	t.Parallel()
	s := &shown{stub: record()}
	lines, _ := pageOf(t, s).open("/api/events", sse)
	expectLines(t, lines, ":parley", ":")
	for _, test := range []struct {
		change func()
		want   []string
	}{
		{func() { s.needs = []parley.Need{{Kind: parley.NeedDraft}} }, []string{"needs"}},
		{func() { s.team = []parley.AgentStatus{{Context: 5}} }, []string{"team"}},
		{func() { s.needs, s.team = nil, []parley.AgentStatus{} }, []string{"needs", "team"}},
		// That the operator looks at the page is nothing new on it.
		{func() {
			s.team = []parley.AgentStatus{{Agent: parley.Agent{Kind: parley.KindHuman, LastActive: time.Now()}}}
		}, nil},
	} {
		s.change(test.change)
		if test.want == nil {
			expectLines(t, lines, ":", ":", ":")
			return
		}
		var got []string
		for len(got) < len(test.want) { // a change between the reads of one look is told by two
			var told struct{ Changed []string }
			line := next(t, lines)
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				if err := json.Unmarshal([]byte(data), &told); err != nil {
					t.Fatalf("the stream says %s: %v", line, err)
				}
			} else if line != ":" { // it beat before the change
				t.Fatalf("the stream says %s", line)
			}
			got = append(got, told.Changed...)
		}
		if slices.Sort(got); !slices.Equal(got, test.want) {
			t.Fatalf("the stream says that %q have changed, want %q", got, test.want)
		}
	}
}

func TestATerminalIsAStreamOfItsChangedLines(t *testing.T) {
	t.Parallel()
	s := &shown{stub: &stub{}, screens: map[string][]string{"coder": {"a", "b", "c"}}}
	lines, _ := pageOf(t, s).open("/api/read_terminal?agent=coder,tester", sse)
	for _, test := range []struct {
		change func()
		want   []string // of the lines that follow, in any order
	}{
		{func() {}, []string{`{"agent":"coder","count":3,"changed":{"0":"a","1":"b","2":"c"}`,
			`"gone":"tester has no terminal"`}},
		{func() { s.screens["coder"] = []string{"a", "B", "c"} }, []string{`{"agent":"coder","count":3,"changed":{"1":"B"}`}},
		{func() { s.screens["coder"] = []string{"B", "c", "d"} },
			[]string{`{"agent":"coder","up":1,"count":3,"changed":{"2":"d"}`}},
		{func() { s.screens["coder"] = []string{"B", "c"} }, []string{`{"agent":"coder","count":2,"changed":{}`}},
		{func() { s.screens["tester"] = []string{"x"} }, []string{`{"agent":"tester","count":1,"changed":{"0":"x"}`}},
	} {
		s.change(test.change)
		var got []string
		for len(got) < len(test.want) {
			if line := next(t, lines); strings.HasPrefix(line, "data: ") {
				got = append(got, line)
			}
		}
		for _, want := range test.want {
			if !slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, want) }) {
				t.Fatalf("want %s among %q", want, got)
			}
		}
	}
}

func TestWorkspacesAreAStreamOfTheirChanges(t *testing.T) {
	t.Parallel()
	o := pageOptions(&stub{})
	var needs atomic.Int64
	o.Page.Workspaces = func(context.Context) []parley.KnownWorkspace {
		now := time.Now() // another one at each look, which is no change
		return []parley.KnownWorkspace{{Workspace: "/home/dm/other", Needs: int(needs.Load()), LastUsed: &now}}
	}
	o.Authenticate = func(context.Context, string) (parley.Caller, bool) { return operator, true }
	lines, _ := serve(t, New(o)).open("/workspaces", sse)
	for want := range int64(3) {
		needs.Store(want)
		line := next(t, lines)
		for ; !strings.HasPrefix(line, "data: "); line = next(t, lines) {
		}
		if !strings.Contains(line, fmt.Sprintf(`"needs":%d`, want)) {
			t.Fatalf("the stream says %s, want %d needs", line, want)
		}
	}
}

// A change makes the lines before into those that are now, whatever they are.
func TestAChangeMakesTheLinesThatAreNow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func() (lines []string) {
		for range r.IntN(12) {
			lines = append(lines, fmt.Sprint(r.IntN(4)))
		}
		return lines
	}
	for range 2000 {
		before, now := some(), some()
		c := changeOf(before, now)
		got := make([]string, c.Count)
		for i := range got {
			line, ok := c.Lines[i]
			if !ok {
				line = before[i+c.Up]
			}
			got[i] = line
		}
		if !slices.Equal(got, now) && len(now) > 0 {
			t.Fatalf("%q became %q by %+v, want %q", before, got, c, now)
		}
	}
}
