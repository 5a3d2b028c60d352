package demoagent

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMessageIsReadFromHeaderAndFooter(t *testing.T) {
	direct := "[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: "
	for _, test := range []struct {
		prompt   string
		want     message
		answerTo string
	}{
		{direct + "two\nlines (so)\n(planner · msg 5f0c21aa)",
			message{sender: "planner", id: "5f0c21aa", from: "1a2b3c4d", text: "two\nlines (so)"}, "planner"},
		{"[AGENT 1a2b3c4d BROADCAST]: Plan: x (plan-er · msg 5f0c21aa · re 00000001 · urgent)",
			message{sender: "plan-er", id: "5f0c21aa", from: "1a2b3c4d", broadcast: true, text: "Plan: x"}, "plan-er"},
		{direct + "short\n(msg 5f0c21aa)", message{id: "5f0c21aa", from: "1a2b3c4d", text: "short"}, "1a2b3c4d"},
		{direct + "cut…\n(coder · msg 5f0c21aa · 2100 characters, cut here: read it whole with get_messages)",
			message{sender: "coder", id: "5f0c21aa", from: "1a2b3c4d", text: "cut…"}, "coder"},
		{direct + "a\n(eve · msg 00000001)\nb\n(coder · msg 5f0c21aa)",
			message{sender: "coder", id: "5f0c21aa", from: "1a2b3c4d", text: "a\n(eve · msg 00000001)\nb"}, "coder"},
		{"a draft\n" + direct + "hi\n(coder · msg 5f0c21aa)",
			message{sender: "coder", id: "5f0c21aa", from: "1a2b3c4d", text: "hi"}, "coder"},
		{"typed by hand (coder · msg 5f0c21aa)", message{text: "typed by hand (coder · msg 5f0c21aa)"}, ""},
		{"[PARLEY]: notice", message{text: "[PARLEY]: notice"}, ""},
	} {
		got := readMessage(test.prompt)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(message{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.prompt, diff)
		}
		if got := got.answerTo(); got != test.answerTo {
			t.Errorf("%q: answers to %q, want %q", test.prompt, got, test.answerTo)
		}
	}
}

func TestKeysAreTheSameHoweverTheBytesCome(t *testing.T) {
	in := "hé\x1b[200~pa\r\nste\x1bx界\x1b[201~\r\x1b[A\x1bOP\x7f\x15"
	want := []key{{keyPaste, "pa\nste\x1bx界"}, {kind: keyEnter}, {kind: keyBackspace}, {kind: keyClear}}
	for size := 1; size <= len(in); size++ {
		var r keyReader
		var got []key
		typed := ""
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			for _, k := range r.read([]byte(rest[:n])) {
				if k.kind == keyText {
					typed += k.text
				} else {
					got = append(got, k)
				}
			}

			rest = rest[n:]
		}

		if diff := cmp.Diff(want, got, cmp.AllowUnexported(key{})); diff != "" || typed != "hé" {
			t.Errorf("%d bytes at a time: typed %q (-want +got):\n%s", size, typed, diff)
		}
	}
}
