package main

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley"
	"parley/internal/when"
	"parley/op"
	"parley/plain"
)

type findCommand struct{}

func (findCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.SearchMessagesResult]{
		op:    "find_messages",
		use:   "find [FILTER…]",
		short: "Find messages of the team by state, people, type and words",
		example: `  parley find is:held,failed
  parley find rebase agent:coder since:3d
  parley find --types request --has file`,
		flags: []string{
			"from", "to", "agents", "thread", "states", "types", "priorities", "has", "since", "until", "before",
			"limit",
		},
		fill: func(args []string, to url.Values) error {
			if len(args) > 0 {
				to.Set("query", strings.Join(args, " "))
			}
			return nil
		},
		complete: completeTerms,
		print:    func(o *output, res *parley.SearchMessagesResult) error { return messagePrinter{o}.found(res) },
	}.declare(c)

	termAliases(cmd)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text, err := takeTerms(cmd, args)
		if err != nil {
			return err
		}
		return run(cmd, text)
	}
	for _, flag := range []string{"from", "to", "agents"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, completer{c}.completeAgents)
	}

	return cmd
}

type searchCommand struct{}

func (searchCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.SearchMessagesResult]{
		op:    "search_messages",
		use:   "search WORDS…",
		short: "Find messages by their words, newest first",
		example: `  parley search rebase
  parley search '"the build is red"' --from coder --limit 5
  parley search schema --since 3d`,
		flags: []string{"from", "to", "since", "until", "limit"},
		fill: func(args []string, to url.Values) error {
			to.Set("query", strings.Join(args, " "))
			return nil
		},
		print: func(o *output, res *parley.SearchMessagesResult) error { return messagePrinter{o}.found(res) },
	}.declare(c)

	for _, flag := range []string{"from", "to"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, completer{c}.completeAgents)
	}

	return cmd
}

// termNames are the words before a colon in a filter of messages, as in is:held agent:coder, which the screen's / has
// too. Each is another way to give a flag of find and of log.
var termNames = map[string][]string{
	"is": {"states", "is"}, "state": {"states", "is"}, "from": {"from"}, "to": {"to"}, "agent": {"agents", "agent"},
	"thread": {"thread"}, "type": {"types", "type"}, "kind": {"kind"}, "priority": {"priorities", "priority"},
	"has": {"has"}, "since": {"since"}, "until": {"until"}, "on": {"since"},
}

// termOf returns the flag that a word of a filter gives, and its value.
func termOf(cmd *cobra.Command, word string) (flag, value string, ok bool) {
	name, value, found := strings.Cut(word, ":")
	for _, flag := range termNames[strings.ToLower(name)] {
		if found && value != "" && cmd.Flags().Lookup(flag) != nil {
			return flag, value, true
		}
	}
	return "", "", false
}

// takeTerms sets the flags that the words of a filter give, and returns the words that are text.
func takeTerms(cmd *cobra.Command, args []string) (text []string, err error) {
	for word := range strings.FieldsSeq(strings.Join(args, " ")) {
		flag, value, ok := termOf(cmd, word)
		name, _, _ := strings.Cut(strings.ToLower(word), ":")

		switch {
		case ok:
			set := setTerm
			if flag == "since" || flag == "until" {
				set = setTime
			}
			if err := set(cmd, flag, name, value); err != nil {
				return nil, misused(cmd, fmt.Errorf("%s is not known: %w", word, err))
			}
		case termNames[name] != nil && strings.Contains(word, ":"):
			return nil, misused(cmd, fmt.Errorf("%s has no term %s", cmd.CommandPath(), name))
		default:
			text = append(text, word)
		}
	}
	return text, nil
}

// setTime sets the flags for time to that of a word. A day begins with its first moment, until: it has all of it, and
// on: means it alone.
func setTime(cmd *cobra.Command, flag, term, value string) error {
	at, day, ok := when.Past(strings.ToLower(value), time.Now())
	switch {
	case !ok && term == "on", ok && !day && term == "on":
		return errors.New("give a day such as today, monday or 2026-01-31")
	case !ok:
		return setTerm(cmd, flag, term, value)
	}

	if end := at.AddDate(0, 0, 1).Add(-time.Nanosecond); term == "on" {
		if err := cmd.Flags().Set("until", end.Format(time.RFC3339Nano)); err != nil {
			return err
		}
	} else if term == "until" && day {
		at = end
	}

	return cmd.Flags().Set(flag, at.Format(time.RFC3339Nano))
}

// setTerm sets a flag to the value of a word, which may be a name for several states.
func setTerm(cmd *cobra.Command, flag, _, value string) error {
	var values []string
	for v := range strings.SplitSeq(value, ",") {
		states, group := parley.DeliveryGroup(strings.ToLower(v))
		switch {
		case group && (flag == "states" || flag == "is"):
			for _, s := range states {
				values = append(values, string(s))
			}
		case strings.EqualFold(v, "you"):
			values = append(values, parley.OperatorName)
		default:
			values = append(values, v)
		}
	}

	if err := cmd.Flags().Set(flag, strings.Join(values, ",")); err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			return cause
		}
		return err
	}
	return nil
}

// termAliases lets the flags of find and log be called by the names that the other has.
func termAliases(cmd *cobra.Command) {
	aliases := map[string]string{}
	for _, flags := range termNames {
		for i, flag := range flags {
			if other := flags[len(flags)-1-i]; cmd.Flags().Lookup(flag) == nil && cmd.Flags().Lookup(other) != nil {
				aliases[flag] = other
			}
		}
	}
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if of := aliases[name]; of != "" {
			name = of
		}
		return pflag.NormalizedName(name)
	})
}

// completeTerms completes the words of a filter.
func completeTerms(c completer, cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	name, value, ok := strings.Cut(begun, ":")
	if !ok {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(termNames)) {
			if _, _, known := termOf(cmd, name+":x"); known {
				names = append(names, name+":")
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}

	values := op.FilterValues(name+":", nil)
	switch name {
	case "kind":
		values = eventKinds()
	case "type":
		values = eventTypes()
	case "is", "state":
		values = plain.Strings(parley.DeliveryStates())
	case "on", "since", "until":
		values = []string{"today", "yesterday", time.Now().Format(time.DateOnly)}
	case "agent", "from", "to":
		values, _ = c.completeAgents(cmd, nil, value)
	}
	for i, v := range values {
		values[i] = name + ":" + v
	}
	return values, cobra.ShellCompDirectiveNoFileComp
}
