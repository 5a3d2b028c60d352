package demoagent

import (
	"maps"
	"regexp"
	"slices"

	"parley"
)

// The tools that an act calls.
const (
	send      = "send_message"
	broadcast = "broadcast_message"
	inbox     = "check_inbox"
	status    = "get_agent_status"
	reply     = "reply" // send_message to the sender, or to the thread of the post, in_reply_to it
)

// act is one step of a script.
type act struct {
	tool, to, text string
}

// rule says how to answer a message. The first rule that matches applies.
type rule struct {
	from string         // the sender's name; "": anyone
	on   *regexp.Regexp // searched in the message's text
	acts []act
}

// script is the role of one agent.
type script struct {
	needs []string
	start []act
	rules []rule
}

// roles returns the scripts of the demo. Their messages form a chain with an end:
// planner to all, coder to planner and reviewer, reviewer to coder, coder to planner,
// planner to all. No rule matches that last one.
func roles() map[string]script {
	on := regexp.MustCompile

	return map[string]script{
		"planner": {
			needs: []string{"coder", "reviewer"},
			start: []act{
				{tool: broadcast,
					text: "Plan: coder writes the date parser, reviewer reads it, then coder reports to me."},
			},
			rules: []rule{
				{from: "coder", on: on(`(?i)\breviewed\b`), acts: []act{
					{tool: broadcast, text: "Done: the date parser is in. Nobody needs to answer this."},
					{tool: inbox}}},
			},
		},
		"coder": {
			rules: []rule{
				{from: "planner", on: on(`^Plan:`), acts: []act{
					{tool: reply, text: "On it: date parser first, tests with it."},
					{tool: send, to: "reviewer",
						text: "Please review dates.go: it now takes ISO 8601 with and without a zone."}}},
				{from: "reviewer", on: on(`(?i)\bleap\b`), acts: []act{
					{tool: send, to: "planner",
						text: "The date parser is written and reviewed; 29 February has a test now."}}},
			},
		},
		"reviewer": {
			rules: []rule{
				{from: "coder", on: on(`(?i)please review`), acts: []act{
					{tool: reply, text: "Reads well. One thing: a test for leap days is missing."}}},
			},
		},
	}
}

func roleNames() []string { return slices.Sorted(maps.Keys(roles())) }

// actsFor returns the acts of the first rule that matches m, nil if none does.
func actsFor(rules []rule, m parley.Typed) []act {
	for _, r := range rules {
		if (r.from == "" || r.from == m.Sender) && r.on.MatchString(m.Text) {
			return r.acts
		}
	}
	return nil
}
