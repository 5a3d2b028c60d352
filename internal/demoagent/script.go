package demoagent

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley"
	"parley/program/typed"
)

// The tools that an act calls.
const (
	send      = "send_message"
	broadcast = "broadcast_message"
	inbox     = "check_inbox"
	reply     = "reply"  // send_message to the sender, or to the thread of the post, in_reply_to it
	commit    = "commit" // a file with a text, in the directory of the agent
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

// roles returns the scripts of the demo. Most of their messages form a chain with an end:
// planner to all, coder to planner and reviewer, reviewer to coder, coder to planner,
// planner to all. No rule matches that last one. Tester and reviewer thank each other until
// they are stopped.
func roles() map[string]script {
	on := regexp.MustCompile

	return map[string]script{
		"planner": {
			needs: []string{"coder", "reviewer", "tester"},
			start: []act{
				{tool: broadcast,
					text: "Plan: coder writes the date parser, reviewer reads it, tester tries it."},
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
					{tool: commit, to: "dates.go",
						text: "package dates\n\n// Layouts are the forms of a date.\nvar Layouts = " +
							"[]string{\"2006-01-02\"}\n"},
					{tool: send, to: "reviewer",
						text: "Please review dates.go: it now takes ISO 8601 with and without a zone."}}},
				{from: parley.OperatorName, on: on(`^Review of your changes`), acts: []act{
					{tool: commit, to: "zone.go",
						text: "package dates\n\n// Zoned is the form of a date with a zone.\nconst Zoned = " +
							"\"2006-01-02Z07:00\"\n"},
					{tool: reply, text: "Done as you say, and committed."}}},
				{from: "reviewer", on: on(`(?i)\bleap\b`), acts: []act{
					{tool: commit, to: "dates_test.go",
						text: "package dates\n\n// Leap has a day that only some years have.\nconst Leap = " +
							"\"2028-02-29\"\n"},
					{tool: send, to: "planner",
						text: "The date parser is written and reviewed; 29 February has a test now."}}},
			},
		},
		"tester": {
			rules: []rule{
				{from: "planner", on: on(`^Plan:`), acts: []act{
					{tool: send, to: "reviewer", text: "Thank you for reading with me."}}},
				{from: "reviewer", on: on(`(?i)\bthank`), acts: []act{{tool: reply, text: "And thank you for that."}}},
			},
		},
		"reviewer": {
			rules: []rule{
				{from: "tester", on: on(`(?i)\bthank`), acts: []act{{tool: reply, text: "No, I thank you."}}},
				{from: "coder", on: on(`(?i)please review`), acts: []act{
					{tool: reply, text: "Reads well. One thing: a test for leap days is missing."}}},
			},
		},
	}
}

func roleNames() []string { return slices.Sorted(maps.Keys(roles())) }

// actsFor returns the acts of the first rule that matches m, nil if none does.
func actsFor(rules []rule, m typed.Message) []act {
	for _, r := range rules {
		if (r.from == "" || r.from == m.Sender) && r.on.MatchString(m.Text) {
			return r.acts
		}
	}
	return nil
}

// parsePrompt returns the first message of parley's in a prompt. A prompt without one
// is all text.
func parsePrompt(prompt string) typed.Message {
	if found := typed.Find(prompt); len(found) > 0 {
		return found[0]
	}
	return typed.Message{Text: strings.TrimSpace(prompt)}
}

// replyTo returns the agent to answer, "" if the prompt names none. A notice is from
// parley itself, which reads no answers.
func replyTo(m typed.Message) string {
	switch {
	case m.Kind == parley.KindNotice:
		return ""
	case m.Sender != "":
		return m.Sender
	}
	return m.SenderID
}
