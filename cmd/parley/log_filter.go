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

// logFilter selects events: those that match every part of it.
type logFilter struct {
	agent, from, to, thread string // names, ids or the beginnings of ids
	types, kinds, states    []string
	since                   time.Time
	pattern                 *regexp.Regexp

	messages map[string]*parley.Event // announcements, by message id; nil for an unknown one
}

// keptAnnouncements bounds the announcements in memory when the log is followed for days.
const keptAnnouncements = 10_000

// logFlags holds the flags of a filter as they are given.
type logFlags struct {
	agent, from, to, thread, grep string
	types, kinds, states          []string
	since                         timeFlag
}

// The values that --type and --kind accept.
func eventTypes() []string { return texts(parley.MessageTypes()) }
func eventKinds() []string { return texts(parley.MessageKinds()) }

func texts[S ~string](values []S) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

func addLogFlags(cmd *cobra.Command, c *cli) *logFlags {
	f, flags := new(logFlags), cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "only events about this agent: name or id")
	flags.StringVar(&f.from, "from", "", "only messages from this sender")
	flags.StringVar(&f.to, "to", "", "only messages to this recipient")
	flags.StringVar(&f.thread, "thread", "", "only this thread: id or title")
	flags.StringSliceVar(&f.types, "type", nil, "only messages of these types ("+strings.Join(eventTypes(), ", ")+")")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only messages of these kinds ("+strings.Join(eventKinds(), ", ")+")")
	flags.StringSliceVar(&f.states, "is", nil, "only changes to one of these states, such as failed or held")
	flags.Var(&f.since, "since", "only since then: "+timeForms)
	flags.StringVar(&f.grep, "grep", "", "only lines that match this pattern; lower case matches capitals too")

	choices := map[string][]string{"type": eventTypes(), "kind": eventKinds(), "is": parley.EventStates()}
	for flag, values := range choices {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}

	for _, flag := range []string{"agent", "from", "to"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, completer{c}.completeAgents)
	}

	return f
}

// filter parses the flags. A value that no event can have is an error, not an empty log.
func (f *logFlags) filter(cmd *cobra.Command) (*logFilter, error) {
	l := &logFilter{
		agent:    f.agent,
		from:     f.from,
		to:       f.to,
		thread:   f.thread,
		types:    f.types,
		kinds:    f.kinds,
		states:   f.states,
		since:    f.since.at,
		messages: map[string]*parley.Event{},
	}

	for _, check := range []struct {
		flag         string
		given, known []string
	}{{"type", f.types, eventTypes()}, {"kind", f.kinds, eventKinds()}, {"is", f.states, parley.EventStates()}} {
		for _, value := range check.given {
			if err := knownValue(cmd, check.flag, value, check.known); err != nil {
				return nil, err
			}
		}
	}

	if f.grep != "" {
		var err error
		if l.pattern, err = grepFlag(cmd, f.grep); err != nil {
			return nil, err
		}
	}

	return l, nil
}

// exist refuses agents and threads that have never been. A stopped agent still has its events.
func (f *logFlags) exist(ctx context.Context, c *cli) error {
	for _, name := range []string{f.agent, f.from, f.to} {
		if name == "" || strings.EqualFold(name, parley.SystemName) {
			continue
		}
		of := url.Values{"agent": {name}}
		if _, err := invoke[parley.AgentStatusResult](ctx, c, "get_agent_status", of); err != nil {
			return err
		}
	}

	if f.thread == "" {
		return nil
	}
	list, err := invoke[parley.ListThreadsResult](ctx, c, "list_threads", url.Values{"limit": {"100"}})
	if err != nil || list.TotalCount > len(list.Threads) {
		return err
	}
	if slices.ContainsFunc(list.Threads, func(th parley.Thread) bool { return names(f.thread, th.Title, th.ID) }) {
		return nil
	}
	return parley.Errorf(parley.ThreadNotFound, "there is no thread %q", parley.CleanLine(f.thread)).
		Suggest("parley thread list shows all of them.")
}

// grepFlag compiles the value of --grep. In lower case it ignores case.
func grepFlag(cmd *cobra.Command, text string) (*regexp.Regexp, error) {
	expression := text
	if expression == strings.ToLower(expression) {
		expression = "(?i)" + expression
	}

	pattern, err := regexp.Compile(expression)
	if err != nil {
		return nil, misused(
			cmd, fmt.Errorf("--grep is %q, which is not a pattern; put a backslash before ( [ * and the like", text),
		)
	}

	return pattern, nil
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

// narrow reports whether the filter selects by anything but time.
func (l *logFilter) narrow() bool {
	return l.agent+l.from+l.to+l.thread != "" || l.pattern != nil || len(l.types)+len(l.kinds)+len(l.states) > 0
}

// names reports whether ref is the name, the id, or the beginning of the id.
func names(ref, name, id string) bool {
	return strings.EqualFold(ref, name) && name != "" ||
		len(ref) >= parley.ShortID && id != "" && strings.HasPrefix(id, strings.ToLower(ref))
}

// passes reports whether an event matches. line is the event as the log shows it;
// announcement returns the event that announced the event's message.
func (l *logFilter) passes(e *parley.Event, line string, announcement func(*parley.Event) *parley.Event) bool {
	about := func(ref string) bool {
		return names(ref, e.Agent, e.AgentID) || names(ref, e.Sender, e.SenderID) ||
			names(ref, e.Recipient, e.RecipientID)
	}

	switch {
	case e.Time.Before(l.since):
		return false
	case l.agent != "" && !about(l.agent):
		return false
	case l.from != "" && !names(l.from, e.Sender, e.SenderID):
		return false
	case l.to != "" && !names(l.to, e.Recipient, e.RecipientID):
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

	m := announcement(e)

	return m != nil && (len(l.types) == 0 || slices.Contains(l.types, string(m.MessageType))) &&
		(len(l.kinds) == 0 || slices.Contains(l.kinds, string(m.Kind)))
}
