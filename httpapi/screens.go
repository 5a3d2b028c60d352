package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley"
	"parley/op"
)

// How often the terminals of a stream are read: while any of them changes, and else.
const (
	screenMoves = 250 * time.Millisecond
	screenRests = time.Second
	screenCalms = 3 * time.Second // after the last change
	mostScreens = 64              // of one stream
)

// screenChange is how a terminal differs from what was told of it last.
type screenChange struct {
	Agent string         `json:"agent"`
	Gone  string         `json:"gone,omitempty"` // why it cannot be read now
	Up    int            `json:"up,omitempty"`   // so many lines have left at the top
	Count int            `json:"count"`          // its lines
	Lines map[int]string `json:"changed"`        // those that are others than before, after some have left

	// Screen is the rest of it, without lines.
	Screen *parley.ReadTerminalResult `json:"screen,omitempty"`
}

// screens is a stream of the terminals of some agents.
type screens struct {
	*stream
	service parley.Service
	reads   map[string]*op.Invocation // by agent
	told    map[string]*parley.ReadTerminalResult
	gone    map[string]string
}

// serveScreens streams the terminals of the agents that `agent` names, apart by commas: whole at first, then the lines
// that change, until the client or the server ends the stream.
func (e *eventStreams) serveScreens(w http.ResponseWriter, r *http.Request, o *op.Op, q url.Values) {
	s := &screens{service: e.service, reads: map[string]*op.Invocation{},
		told: map[string]*parley.ReadTerminalResult{}, gone: map[string]string{}}
	for i, name := range strings.Split(q.Get("agent"), ",") {
		one := url.Values{"agent": {name}, "colours": {"true"}}
		if q.Has("history") {
			one.Set("history", q.Get("history"))
		}
		inv, err := o.DecodeQuery(one)
		if err == nil && i >= mostScreens {
			err = parley.Errorf(parley.InvalidArgument, "a stream has %d terminals at most", mostScreens).
				Suggest("Ask for fewer at once.")
		}
		if err != nil {
			e.fail(w, r, err)
			return
		}
		s.reads[name] = inv
	}

	ctx := r.Context()
	s.stream = e.openStream(w, mayPack(r, parley.CallerFrom(ctx)))
	defer s.end()
	var spoke, moved time.Time
	for s.err == nil {
		if err := e.callers.recheck(r, nil); err != nil {
			s.failure(ctx, parley.AsError(err))
			return
		}
		switch now := time.Now(); {
		case s.tell(ctx):
			spoke, moved = now, now
		case now.Sub(spoke) >= time.Duration(e.heartbeat)*time.Second:
			s.comment("")
			spoke = now
		}

		rest := screenRests
		if time.Since(moved) < screenCalms {
			rest = screenMoves
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(rest):
		}
	}
}

// tell writes what has changed, and reports whether anything has.
func (s *screens) tell(ctx context.Context) (any bool) {
	for name, inv := range s.reads {
		change, ok := s.look(ctx, name, inv)
		if !ok {
			continue
		}
		any = true
		data, _ := json.Marshal(change) // cannot fail: strings, numbers and times
		s.write(fmt.Sprintf("data: %s\n\n", data))
	}
	if any {
		s.flush()
	}
	return any
}

// look reads a terminal; ok is false if it is as it was told last.
func (s *screens) look(ctx context.Context, name string, inv *op.Invocation) (c screenChange, ok bool) {
	answer, err := inv.Call(ctx, s.service)
	now, is := answer.(*parley.ReadTerminalResult)
	if err != nil || !is {
		words := parley.AsError(err).Message
		ok = s.gone[name] != words
		s.gone[name] = words
		return screenChange{Agent: name, Gone: words}, ok
	}

	before := s.told[name]
	if before == nil {
		before = &parley.ReadTerminalResult{}
	}
	c = changeOf(before.Lines, now.Lines)
	rest := *now
	c.Agent, rest.Lines = name, nil
	c.Screen = &rest
	ok = s.gone[name] != "" || s.told[name] == nil || len(c.Lines) > 0 || c.Count != len(before.Lines) ||
		!sameBut(before, now)
	s.told[name], s.gone[name] = now, ""

	return c, ok
}

// sameBut reports whether two looks at a terminal differ in nothing but their lines and when they were.
func sameBut(a, b *parley.ReadTerminalResult) bool {
	return a.Width == b.Width && a.Height == b.Height && a.CursorX == b.CursorX && a.CursorY == b.CursorY &&
		a.Hidden == b.Hidden && a.Keys == b.Keys && a.Title == b.Title
}

// mostUp is how many lines may leave a screen between two looks for the others to be known again.
const mostUp = 60

// changeOf returns what makes lines of others: how many leave at the top, so that most of the rest are the same, and
// those that are not.
func changeOf(before, now []string) screenChange {
	others := func(up int) (lines map[int]string) {
		lines = map[int]string{}
		for i, line := range now {
			if up+i >= len(before) || before[up+i] != line {
				lines[i] = line
			}
		}
		return lines
	}

	c := screenChange{Count: len(now), Lines: others(0)}
	for up := 1; up <= min(mostUp, len(before)) && len(c.Lines) > 1; up++ {
		if lines := others(up); len(lines) < len(c.Lines) {
			c.Up, c.Lines = up, lines
		}
	}

	return c
}
