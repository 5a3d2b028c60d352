package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// find and log take one language: each word of a filter, and each flag by the name that the other has.
func TestFindAndLogTakeOneLanguage(t *testing.T) {
	commands := map[string]func() *cobra.Command{
		"find": func() *cobra.Command { return findCommand{}.declare(newCLI(program{})) },
		"log":  func() *cobra.Command { return new(logCommand).declare(newCLI(program{})) },
	}
	for name, c := range map[string]struct{ flag, value, word string }{
		"a state": {"--states", "failed", "is:failed"}, "a state by log's name": {"--is", "failed", "state:failed"},
		"a group": {"--states", "failed,unconfirmed,expired", "is:problem"},
		"a type":  {"--type", "request", "type:request"}, "types": {"--types", "request,query", "type:request,query"},
		"an agent": {"--agent", "coder", "agent:coder"}, "agents": {"--agents", "coder", "agent:coder"},
		"you": {"--from", "operator", "from:you"}, "a thread": {"--thread", "parser", "thread:parser"},
	} {
		for command, make := range commands {
			given, typed := make(), make()
			if err := given.Flags().Parse([]string{c.flag, c.value}); err != nil {
				t.Errorf("%s: %s: %v", name, command, err)
			}
			text, err := takeTerms(typed, []string{c.word, "some words"})
			if err != nil || strings.Join(text, " ") != "some words" {
				t.Errorf("%s: %s: %q, %v", name, command, text, err)
			}
			flag, _, _ := termOf(typed, c.word)
			if got, want := typed.Flag(flag).Value.String(), given.Flag(flag).Value.String(); got != want || got == "" {
				t.Errorf("%s: %s: got %s, want %s", name, command, got, want)
			}
		}
	}

	for name, make := range commands {
		if _, err := takeTerms(make(), []string{"until:1h", "priority:high"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := takeTerms(commands["find"](), []string{"since:never"}); err == nil ||
		!strings.Contains(err.Error(), "since:never is not known: give 10m") {
		t.Errorf("got %v", err)
	}
}
