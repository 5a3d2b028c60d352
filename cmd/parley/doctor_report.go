package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/program/profile"
)

// level is the severity of a finding.
type level string

const (
	fine    level = "ok"
	warning level = "warning"
	problem level = "problem" // parley or one of its agents will not work
)

// finding is one result of a check.
type finding struct {
	Check  string `json:"check"`
	Level  level  `json:"level"`
	Detail string `json:"detail"`
	Action string `json:"suggested_action,omitempty"` // not with ok
}

// findings collects the results of one check.
type findings []finding

func (f *findings) ok(check, format string, args ...any) {
	*f = append(*f, finding{check, fine, fmt.Sprintf(format, args...), ""})
}

func (f *findings) warn(check, action, format string, args ...any) {
	*f = append(*f, finding{check, warning, fmt.Sprintf(format, args...), action})
}

func (f *findings) bad(check, action, format string, args ...any) {
	*f = append(*f, finding{check, problem, fmt.Sprintf(format, args...), action})
}

// fail adds a problem from an error and its next step.
func (f *findings) fail(check string, err error) {
	e := parley.AsError(err)
	f.bad(check, forPeople(e.Action), "%s", strings.TrimRight(e.Message, "\n"))
}

// check is one thing to check. run must end with its context.
type check struct {
	name   string
	within time.Duration // how long it may take
	run    func(context.Context) findings
}

func (c check) examine(ctx context.Context) findings {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()

	found := make(chan findings, 1)
	go func() { found <- c.run(ctx) }()
	var late findings
	select {
	case f := <-found:
		return f
	case <-ctx.Done():
	}

	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		late.bad(c.name, "Let it finish.", "interrupted")
		return late
	}

	late.warn(c.name, "Check whether its disk, its network or the machine is stuck, and try again.",
		"not finished within %s", c.within)

	return late
}

// Time limits of the checks. Reading a large database takes longest. An agent program
// may take seconds to print its version on a busy machine.
const (
	promptly   = 10 * time.Second
	patiently  = 20 * time.Second
	thoroughly = 60 * time.Second
)

// told is a check that has been made.
func told(f findings) func(context.Context) findings {
	return func(context.Context) findings { return f }
}

// every calls f every d until stop, which waits for the last call.
func every(d time.Duration, f func()) (stop func()) {
	ticker, end, ended := time.NewTicker(d), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)

		for {
			select {
			case <-ticker.C:
				f()
			case <-end:
				return
			}
		}
	}()

	return func() { ticker.Stop(); close(end); <-ended }
}

// doctor is one run of the checks.
type doctor struct {
	cli  *cli
	at   place.Place
	team *daemon.Team // nil if parley.yaml cannot be read
	set  profile.Set

	repaired *repaired // what was repaired before, for --json; nil for nothing
}

func problems(found []finding) int { return countOf(found, problem) }

func countOf(found []finding, l level) (n int) {
	for _, f := range found {
		if f.Level == l {
			n++
		}
	}
	return n
}

// report prints the findings, each with its next step below.
func (d *doctor) report(found []finding) error {
	if d.cli.out.json {
		return d.cli.out.printJSON(struct {
			parley.Answer
			Healthy  bool      `json:"healthy"` // no problem was found
			Problems int       `json:"problems"`
			Warnings int       `json:"warnings"`
			Findings []finding `json:"findings"`
			Repaired *repaired `json:"repaired,omitempty"`
		}{parley.OK, problems(found) == 0, problems(found), countOf(found, warning), found, d.repaired})
	}

	style := map[level]string{fine: green, warning: yellow, problem: red}
	var t table
	for _, f := range found {
		detail := f.Detail
		if f.Action != "" {
			detail += "\n" + d.cli.out.paint(faint, "→") + " " + f.Action
		}
		t.add(d.cli.out.paint(style[f.Level], string(f.Level)), f.Check, detail)
	}

	t.print(d.cli.out)

	return d.cli.out.printLine(summary(problems(found), countOf(found, warning)))
}

func summary(problems, warnings int) string {
	switch {
	case problems+warnings == 0:
		return "All is well."
	case problems == 0:
		return "No problem, " + count(warnings, "warning") + "."
	case warnings == 0:
		return count(problems, "problem") + "."
	}
	return count(problems, "problem") + ", " + count(warnings, "warning") + "."
}
