package main

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/plain"
)

// logFilter selects events: those that match every part of it.
type logFilter struct {
	*logFlags
	pattern  *regexp.Regexp
	messages map[string]*announced // by message id; nil for an unknown one
}

// announced is what a message is, of which only the event that announced it tells.
type announced struct {
	kind     parley.MessageKind
	kindOf   parley.MessageType
	priority parley.Priority
	has      []string
}

// announcedBy returns what an event announced, without the message's files.
func announcedBy(e *parley.Event) *announced {
	m := &announced{kind: e.Kind, kindOf: e.MessageType, priority: e.Priority}
	if e.RequiresResponse {
		m.has = append(m.has, parley.HasQuestion)
	}
	if e.InReplyTo != "" {
		m.has = append(m.has, parley.HasReply)
	}
	return m
}

// keptAnnouncements bounds the announcements in memory when the log is followed for days.
const keptAnnouncements = 10_000

// logFlags are the flags of a filter as they are given. Agents and threads are named by their name, their id, or the
// beginning of that.
type logFlags struct {
	agent, from, to, thread, grep string
	types, kinds, states          []string
	priorities, has               []string
	since, until                  timeFlag
}

// The values that --type and --kind accept.
func eventTypes() []string { return plain.Strings(parley.MessageTypes()) }
func eventKinds() []string { return plain.Strings(parley.MessageKinds()) }

// listFlag is a flag that takes several of the values that there are.
type listFlag struct {
	name, doc string
	given     *[]string
	known     []string
}

func (f *logFlags) lists() []listFlag {
	of := func(words string, known []string) string { return words + " (" + strings.Join(known, ", ") + ")" }
	priorities := plain.Strings(parley.Priorities())
	return []listFlag{
		{"type", of("only messages of these types", eventTypes()), &f.types, eventTypes()},
		{"kind", of("only messages of these kinds", eventKinds()), &f.kinds, eventKinds()},
		{"is", "only changes to one of these states, such as failed or held", &f.states, parley.EventStates()},
		{"priority", of("only messages of these priorities", priorities), &f.priorities, priorities},
		{"has", of("only messages with all of these", parley.HasTerms()), &f.has, parley.HasTerms()},
	}
}

func (f *logFlags) add(cmd *cobra.Command, c completer) {
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "only events about this agent: name or id")
	flags.StringVar(&f.from, "from", "", "only messages from this sender")
	flags.StringVar(&f.to, "to", "", "only messages to this recipient")
	flags.StringVar(&f.thread, "thread", "", "only this thread: id or title")
	flags.Var(&f.since, "since", "only since then: "+timeForms)
	flags.Var(&f.until, "until", "only until then")
	flags.StringVar(&f.grep, "grep", "", "only lines that match this pattern; lower case matches capitals too")

	for _, l := range f.lists() {
		flags.StringSliceVar(l.given, l.name, nil, l.doc)
		_ = cmd.RegisterFlagCompletionFunc(l.name,
			cobra.FixedCompletions(l.known, cobra.ShellCompDirectiveNoFileComp))
	}
	for _, flag := range []string{"agent", "from", "to"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, c.completeAgents)
	}
}

// filter checks the flags. A value that no event can have is an error, not an empty log.
func (f *logFlags) filter(cmd *cobra.Command) (*logFilter, error) {
	for _, l := range f.lists() {
		for _, value := range *l.given {
			if err := knownValue(cmd, l.name, value, l.known); err != nil {
				return nil, err
			}
		}
	}

	l := &logFilter{logFlags: f, messages: map[string]*announced{}}
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
		if _, err := call[parley.AgentStatusResult](ctx, c, "get_agent_status", of); err != nil {
			return err
		}
	}

	if f.thread == "" {
		return nil
	}
	list, err := call[parley.ListThreadsResult](ctx, c, "list_threads", url.Values{"limit": {"100"}})
	if err != nil || list.TotalCount > len(list.Threads) {
		return err
	}
	if slices.ContainsFunc(list.Threads, func(th parley.Thread) bool { return names(f.thread, th.Title, th.ID) }) {
		return nil
	}
	return parley.Errorf(parley.ThreadNotFound, "there is no thread %q", plain.CleanLine(f.thread)).
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
	if near := plain.Nearest(value, known); near != "" {
		return misused(cmd, fmt.Errorf("--%s is %q; did you mean %q?", flag, value, near))
	}
	return misused(cmd, fmt.Errorf("--%s is %q; it can be %s", flag, value, strings.Join(known, ", ")))
}

// narrow reports whether the filter selects by anything but time.
func (l *logFilter) narrow() bool {
	return l.agent+l.from+l.to+l.thread != "" || l.pattern != nil || len(l.states) > 0 || l.ofMessages() ||
		!l.until.at.IsZero()
}

func (l *logFilter) ofMessages() bool {
	return len(l.types)+len(l.kinds)+len(l.priorities)+len(l.has) > 0
}

// names reports whether ref is the name, the id, or the beginning of the id.
func names(ref, name, id string) bool {
	return strings.EqualFold(ref, name) && name != "" ||
		len(ref) >= parley.ShortID && id != "" && strings.HasPrefix(id, strings.ToLower(ref))
}

// passes reports whether an event matches. line is the event as the log shows it;
// announcement returns the event that announced the event's message.
func (l *logFilter) passes(e *parley.Event, line string, announcement func(*parley.Event) *announced) bool {
	about := func(ref string) bool {
		return names(ref, e.Agent, e.AgentID) || names(ref, e.Sender, e.SenderID) ||
			names(ref, e.Recipient, e.RecipientID)
	}

	switch {
	case e.Time.Before(l.since.at), !l.until.at.IsZero() && e.Time.After(l.until.at):
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
	case !l.ofMessages():
		return true
	case e.MessageID == "":
		return false
	}

	m := announcement(e)

	return m != nil && among(l.types, string(m.kindOf)) && among(l.kinds, string(m.kind)) &&
		among(l.priorities, string(m.priority)) &&
		!slices.ContainsFunc(l.has, func(what string) bool { return !slices.Contains(m.has, what) })
}

// among reports whether a value is one of those that are wanted, if any are.
func among(wanted []string, value string) bool {
	return len(wanted) == 0 || slices.Contains(wanted, value)
}
