package demoagent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/program/typed"
)

func TestPromptIsParsedAndItsSenderAnswered(t *testing.T) {
	t.Parallel()
	const direct = "[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: "
	from := typed.Message{
		Kind: parley.KindDirect, SenderID: "1a2b3c4d", RecipientID: "5e6f7a8b",
		Sender: "coder", ID: "5f0c21aa", Text: "hi",
	}
	short := from
	short.Sender = ""

	for _, test := range []struct {
		prompt  string
		want    typed.Message
		replyTo string
	}{
		{direct + "hi\n(coder · msg 5f0c21aa)", from, "coder"},
		{direct + "hi\n(msg 5f0c21aa)", short, "1a2b3c4d"},
		{"a draft\n" + direct + "hi\n(coder · msg 5f0c21aa)", from, "coder"},
		{"[AGENT 1a2b3c4d BROADCAST]: Plan: x (plan-er · msg 5f0c21aa · re 00000001 · urgent)",
			typed.Message{Kind: parley.KindBroadcast, SenderID: "1a2b3c4d", Sender: "plan-er", ID: "5f0c21aa",
				Text: "Plan: x"},
			"plan-er"},
		{"[AGENT 1a2b3c4d IN THREAD 00000002 \"dates\"]: x\n(coder · msg 5f0c21aa)",
			typed.Message{Kind: parley.KindThread, SenderID: "1a2b3c4d", ThreadID: "00000002", ThreadTitle: "dates",
				Sender: "coder", ID: "5f0c21aa", Text: "x"}, "coder"},
		{"[GUARDIAN GUIDANCE - STUCK]: go on\n(operator · msg 5f0c21aa)",
			typed.Message{Kind: parley.KindSteering, Guidance: "STUCK", Sender: "operator", ID: "5f0c21aa",
				Text: "go on"},
			"operator"},
		{"[PARLEY]: coder left\n(parley · msg 5f0c21aa)",
			typed.Message{Kind: parley.KindNotice, Sender: "parley", ID: "5f0c21aa", Text: "coder left"}, ""},
		{" typed by hand (coder · msg 5f0c21aa)", typed.Message{Text: "typed by hand (coder · msg 5f0c21aa)"}, ""},
	} {
		got := parsePrompt(test.prompt)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.prompt, diff)
		}
		if got := replyTo(got); got != test.replyTo {
			t.Errorf("%q: answers %q, want %q", test.prompt, got, test.replyTo)
		}
	}
}
