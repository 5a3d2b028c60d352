package parleytest

import (
	"strings"

	"parley"
)

var reportCases = []testCase{
	{"ReportStateIsForTerminals", reportWithoutTerminal},
	{"ReportStateChecksItsParameters", reportNonsense},
}

// Nobody else can say what a program does, and certainly not that it was given mail.
func reportWithoutTerminal(f *fixture) {
	id := f.planner.send("for coder", "coder").MessageID
	for _, m := range []member{f.coder, f.planner, f.operator} {
		refused(m, "report_state",
			params{"event": "UserPromptSubmit", "state": "busy", "message_ids": []string{id[:8]}}, parley.NotAuthorized)
	}
	f.coder.expectInbox("for coder")
}

func reportNonsense(f *fixture) {
	for _, args := range []params{
		{}, {"event": ""}, {"event": "Stop", "state": "sleepy"}, {"event": strings.Repeat("x", 101)},
		{"event": "Stop", "agent": "coder"}, {"event": "Stop", "at": "some day"},
		{"event": "Stop", "detail": strings.Repeat("x", 201)}, {"event": "Stop", "message_ids": make([]string, 51)},
	} {
		refused(f.coder, "report_state", args, parley.InvalidArgument)
	}
}
