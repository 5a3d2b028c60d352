package tui

import (
	"encoding/json"
	"testing"
)

func TestAnswersAreWords(t *testing.T) {
	for answer, want := range map[string]string{
		`{"success":true,"error":null}`: "Done.",
		`{"success":true,"agent_id":"5f0c","auto_respond":false,"note":"two\nlines"}`: "agent id: 5f0c\n" +
			"auto respond: no\nnote: two\n  lines",
		`{"agents":[{"name":"coder","queued":2},{"name":"tester","groups":["a","b"]}]}`: "agents:\n  · name: coder\n" +
			"    queued: 2\n" +
			"  · name: tester\n    groups:\n      · a\n      · b",
		`[1,2]`: "· 1\n· 2",
		`{}`:    "Done.",
	} {
		if got, err := answerWords(json.RawMessage(answer)); err != nil || got != want {
			t.Errorf("%s: got\n%s\n%v, want\n%s", answer, got, err, want)
		}
	}
}
