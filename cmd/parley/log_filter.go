package main

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley"

	"github.com/spf13/cobra"
)

// logFilter is which events the log shows: those that pass every part of it.
type logFilter struct {
	agent, from, to, thread string // names, ids or the beginnings of ids
	types, kinds, states    []string
	since                   time.Time
	pattern                 *regexp.Regexp

	messages map[string]*parley.Event // what was announced, by the message's id; nil once asked for and unknown
}

// keptAnnouncements bounds what a filter remembers while it follows the log for days.
const keptAnnouncements = 10_000

// logFlags are a filter's values as they are given.
type logFlags struct {
	agent, from, to, thread, since, grep string
	types, kinds, states                 []string
}

// What may be asked for; the states are those of deliveries, agents and threads.
var (
	eventTypes  = []string{"information", "request", "response", "coordination"}
	eventKinds  = []string{"direct", "broadcast", "thread", "steering", "system"}
	eventStates = []string{
		"queued",
		"held",
		"typing",
		"submitted",
		"read",
		"answered",
		"failed",
		"unconfirmed",
		"expired",
		"starting",
		"idle",
		"busy",
		"waiting",
		"drafting",
		"blocked",
		"unknown",
		"exited",
		"unreachable",
		"terminated",
		"created",
		"joined",
		"added",
		"removed",
		"left",
		"paused",
		"resumed",
	}
)

func (c *cli) addLogFlags(cmd *cobra.Command) *logFlags {
	f, flags := new(logFlags), cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "only what concerns this agent: name or id")
	flags.StringVar(&f.from, "from", "", "only messages of this sender")
	flags.StringVar(&f.to, "to", "", "only messages to this recipient")
	flags.StringVar(&f.thread, "thread", "", "only this thread: its id or its title")
	flags.StringSliceVar(&f.types, "type", nil, "only messages of these types ("+strings.Join(eventTypes, ", ")+")")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only messages of these kinds ("+strings.Join(eventKinds, ", ")+")")
	flags.StringSliceVar(&f.states, "is", nil, "only what came into one of these states, such as failed or held")
	flags.StringVar(
		&f.since,
		"since",
		"",
		"only what happened since: 10m, 2h, 3d, 14:30, 2026-01-31, or a time of RFC 3339",
	)

	flags.StringVar(&f.grep, "grep", "", "only lines with this pattern; in small letters it stands for capitals too")
	for flag, values := range map[string][]string{"type": eventTypes, "kind": eventKinds, "is": eventStates} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}

	for _, flag := range []string{"agent", "from", "to"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, c.completeAgents)
	}

	return f
}

// filter reads the flags. A value that nothing can be is an error, not an empty log.
func (f *logFlags) filter(cmd *cobra.Command, now time.Time) (*logFilter, error) {
	l := &logFilter{
		agent:    f.agent,
		from:     f.from,
		to:       f.to,
		thread:   f.thread,
		types:    f.types,
		kinds:    f.kinds,
		states:   f.states,
		messages: map[string]*parley.Event{},
	}

	for flag, given := range map[string]struct{ got, known []string }{"type": {f.types, eventTypes}, "kind": {f.kinds, eventKinds}, "is": {f.states, eventStates}} {
		for _, value := range given.got {
			if err := knownValue(cmd, flag, value, given.known); err != nil {
				return nil, err
			}
		}
	}

	if f.since != "" {
		since, err := sinceWhen(f.since, now)
		if err != nil {
			return nil, misused(
				cmd,
				fmt.Errorf("--since is %q; give 10m, 2h, 3d, 14:30, 2026-01-31, or a time of RFC 3339", f.since),
			)
		}

		l.since = since
	}

	if f.grep != "" {
		pattern := f.grep
		if pattern == strings.ToLower(pattern) {
			pattern = "(?i)" + pattern
		}

		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return nil, misused(
				cmd,
				fmt.Errorf("--grep is %q, which is no pattern; put a backslash before ( [ * and the like", f.grep),
			)
		}

		l.pattern = compiled
	}

	return l, nil
}

func knownValue(cmd *cobra.Command, flag, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	if near := parley.Nearest(value, known); near != "" {
		return misused(cmd, fmt.Errorf("--%s is %q; did you mean %q?", flag, value, near))
	}
	return misused(cmd, fmt.Errorf("--%s is %q; it can be %s", flag, value, strings.Join(known, ", ")))
}

// sinceWhen reads a span back from now, a time of today, a day, or a whole time.
func sinceWhen(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if span, err := time.ParseDuration(days + "h"); err == nil && span >= 0 {
			return now.Add(-24 * span), nil
		}
	}

	if span, err := time.ParseDuration(text); err == nil && span >= 0 {
		return now.Add(-span), nil
	}
	if t, err := time.ParseInLocation("15:04", text, now.Location()); err == nil {
		return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location()), nil
	}

	for _, form := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t, nil
		}
	}

	return time.Parse(time.RFC3339Nano, text)
}

// narrow reports whether anything but the time is asked for.
func (l *logFilter) narrow() bool {
	return l.agent+l.from+l.to+l.thread != "" || l.pattern != nil || len(l.types)+len(l.kinds)+len(l.states) > 0
}

// names reports whether a reference names one: by its name, its id, or the beginning
// of that.
func names(ref, name, id string) bool {
	return strings.EqualFold(ref, name) && name != "" ||
		len(ref) >= parley.ShortID && id != "" && strings.HasPrefix(id, strings.ToLower(ref))
}

// passes reports whether an event is one to show. line is how it is shown.
func (l *logFilter) passes(e *parley.Event, line string, announced func(*parley.Event) *parley.Event) bool {
	sent := names(l.from, e.Sender, e.SenderID)
	got := names(l.to, e.Recipient, e.RecipientID)
	switch {
	case e.Time.Before(l.since):
		return false
	case l.agent != "" && !names(l.agent, e.Agent, e.AgentID) && !names(l.agent, e.Sender, e.SenderID) && !names(l.agent, e.Recipient, e.RecipientID):
		return false
	case l.from != "" && !sent, l.to != "" && !got:
		return false
	case l.thread != "" && !names(l.thread, e.Thread, e.ThreadID):
		return false
	case len(l.states) > 0 && !slices.Contains(l.states, e.State):
		return false
	case l.pattern != nil && !l.pattern.MatchString(line):
		return false
	case len(l.types)+len(l.kinds) == 0:
		return true
	case e.MessageID == "":
		return false
	}

	m := announced(e)

	return m != nil && (len(l.types) == 0 || slices.Contains(l.types, string(m.MessageType))) &&
		(len(l.kinds) == 0 || slices.Contains(l.kinds, string(m.Kind)))
}

// announced finds what is known of an event's message: what became of a message does
// not say of which type it is.
func (c *cli) announced(ctx context.Context, l *logFilter) func(*parley.Event) *parley.Event {
	return func(e *parley.Event) *parley.Event {
		if len(l.messages) > keptAnnouncements {
			clear(l.messages)
		}

		if e.Type.Announces() {
			l.messages[e.MessageID] = e
			return e
		}

		known, found := l.messages[e.MessageID]
		if !found {
			if res, err := invoke[parley.MessageStatusResult](ctx, c, "get_message_status", url.Values{"message_id": {e.MessageID}}); err == nil {
				known = &parley.Event{Kind: res.Object.Kind, MessageType: res.Object.Type}
			}
			l.messages[e.MessageID] = known
		}

		return known
	}
}
