package main

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/plain"
)

// sessionsCommand lists the conversations that programs keep.
type sessionsCommand struct{}

func (s sessionsCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.ListSessionsResult]{
		op:    "list_sessions",
		use:   "sessions [WORDS…]",
		short: "Find the conversations that programs keep on this machine",
		example: `  parley sessions
  parley sessions flaky parser              # what was said in them
  parley sessions --program codex --limit 5
  parley launch coder --session 3f0c21aa    # takes one up as an agent`,
		flags: []string{"program", "limit", "host=on"},
		fill: func(args []string, to url.Values) error {
			if len(args) > 0 {
				to.Set("query", strings.Join(args, " "))
			}
			return nil
		},
		print: s.print,
	}.declare(c)
	_ = cmd.RegisterFlagCompletionFunc("program", offer(func(*cobra.Command) []string {
		return completer{c}.profiles()
	}))
	_ = cmd.RegisterFlagCompletionFunc("on", offer(func(cmd *cobra.Command) []string {
		return completer{c}.hostsNow(cmd.Context())
	}))
	return cmd
}

func (sessionsCommand) print(o *output, res *parley.ListSessionsResult) error {
	t := table{headed: true, fits: []fit{whole, whole, brief, inner, brief, spare, prose}}
	t.add(o.heads("SESSION", "AGO", "PROGRAM", "DIRECTORY", "BRANCH", "SIZE", "FIRST WORDS")...)
	for _, s := range res.Sessions {
		words := s.First
		if found := plain.CleanLine(s.Found); found != "" && found != s.First {
			words += "\n" + o.paint(faint, found)
		}
		if note := sessionNote(&s); note != "" {
			words += "\n" + o.paint(yellow, note)
		}
		bytes := ""
		if s.Size > 0 {
			bytes = size(s.Size)
		}
		t.add(s.Short, o.ago(s.LastActive), s.Program, home(o.at.env, s.Dir), s.Branch, bytes, words)
	}

	if len(res.Sessions) > 0 {
		t.print(o)
	}
	switch {
	case len(res.Sessions) == 0 && res.Of > 0:
		o.printf("No conversation here has these words.\n")
	case len(res.Sessions) == 0:
		o.printf("No agent program keeps a conversation here.\n")
	case res.More:
		o.printf("There are older ones: --limit, or words that were said in them.\n")
	}
	if res.Read < res.Of {
		o.printf("%s of %s conversations were read so far, the newest first; ask again for the rest.\n",
			plain.FormatCount(int64(res.Read)), plain.FormatCount(int64(res.Of)))
	}
	return nil
}

// sessionNote says who has a conversation, or why nobody can take it up.
func sessionNote(s *parley.KeptSession) string {
	if s.Agent != "" {
		return "the conversation of " + s.Agent
	}
	return s.Refused
}
