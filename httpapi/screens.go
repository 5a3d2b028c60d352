package httpapi

import (
	"context"
	"net/url"
	"strings"

	"parley"
	"parley/op"
)

// mostScreens is how many terminals one stream has.
const mostScreens = 64

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

// screens is what was told of the terminals of some agents.
type screens struct {
	service parley.Service
	reads   map[string]*op.Invocation // by agent
	told    map[string]*parley.ReadTerminalResult
	gone    map[string]string
}

// screensOf returns the terminals of the agents that `agent` names, apart by commas, before anything was told of them.
func screensOf(service parley.Service, q url.Values) (*screens, error) {
	s := &screens{service: service, reads: map[string]*op.Invocation{},
		told: map[string]*parley.ReadTerminalResult{}, gone: map[string]string{}}
	for i, name := range strings.Split(q.Get("agent"), ",") {
		one := url.Values{"agent": {name}, "colours": {"true"}}
		if q.Has("history") {
			one.Set("history", q.Get("history"))
		}
		inv, err := op.ReadTerminal.DecodeQuery(one)
		switch {
		case err != nil:
			return nil, err
		case i >= mostScreens:
			return nil, parley.Errorf(parley.InvalidArgument, "a stream has %d terminals at most", mostScreens).
				Suggest("Ask for fewer at once.")
		}
		s.reads[name] = inv
	}
	return s, nil
}

// changes returns what has changed: everything at first, then the lines that did.
func (s *screens) changes(ctx context.Context) (all []any) {
	for name, inv := range s.reads {
		if change, ok := s.look(ctx, name, inv); ok {
			all = append(all, change)
		}
	}
	return all
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
