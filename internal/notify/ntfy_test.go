package notify

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"parley"
	"parley/internal/must"
)

// The buttons of a notice answer the one question that it is about, and its link leads there.
func TestNtfyGetsButtonsAndALink(t *testing.T) {
	for name, test := range map[string]struct {
		needs   []parley.Need
		wanted  bool
		buttons int
		click   string
	}{
		"one question": {[]parley.Need{question}, true, 2, "https://team.example/#/needs/coder"},
		"not wanted":   {[]parley.Need{question}, false, 0, "https://team.example/#/needs/coder"},
		"two needs": {[]parley.Need{question, {Kind: parley.NeedLost, Agent: "b", Since: noon}}, true, 0,
			"https://team.example/#/needs"},
		"about a message": {[]parley.Need{{Kind: parley.NeedUndelivered, Agent: "b", MessageID: "m-1", Since: noon}},
			true, 0, "https://team.example/#/needs/m-1"},
	} {
		address, got := serve(t, http.StatusOK)
		opts := optionsOf(t, func(s *Settings) { s.Ntfy, s.NtfyAnswers = address, test.wanted })
		opts.Page = "https://team.example"
		opts.Code = func(need *parley.Need, choice string) string { return "code-" + need.Agent + "-" + choice }
		running(t, opts).Look(test.needs)

		r := receive(t, got)
		var all []action
		if text := r.header.Get("Actions"); text != "" {
			must.Do(t, json.Unmarshal([]byte(text), &all))
		}
		if click := r.header.Get("Click"); click != test.click || len(all) != test.buttons {
			t.Errorf("%s: it leads to %q, with the buttons %+v", name, click, all)
		}
		if len(all) > 0 && (all[0].Label != "Yes" || all[0].Body != `{"code":"code-coder-1"}` || all[0].URL != "https://team.example/answer") {
			t.Errorf("%s: the first button is %+v", name, all[0])
		}
	}
}

func TestAHeaderIsASCII(t *testing.T) {
	if got, want := asciiJSON([]byte(`"grün 😀"`)), `"gr\u00fcn \ud83d\ude00"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// ntfy makes a file of a longer text, which no phone shows in its notice.
func TestNtfyGetsNoLongText(t *testing.T) {
	var long []parley.Need
	for i := range maxTold {
		n := question
		n.Agent, n.Dialog = fmt.Sprintf("agent%d", i), &parley.Dialog{Question: strings.Repeat("ü", maxQuestion)}
		for range maxOptions {
			n.Dialog.Options = append(n.Dialog.Options, parley.DialogOption{Choice: "1", Label: strings.Repeat("漢",
				maxOption)})
		}
		long = append(long, n)
	}
	address, got := serve(t, http.StatusOK)
	running(t, optionsOf(t, func(s *Settings) { s.Ntfy = address })).Look(long)

	text := receive(t, got).body
	if len(text) > maxNtfyText || len(text) < maxNtfyText-4 || !utf8.ValidString(text) || !strings.HasSuffix(text,
		"…") {
		t.Errorf("ntfy gets %d bytes, which end in %q", len(text), text[max(0, len(text)-9):])
	}
}
