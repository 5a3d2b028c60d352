package main

import (
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

func TestSessionsOfThePageAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	type sessions struct{ Sessions []parley.Key }
	list := func() (all []string) {
		for _, k := range testhome.Run[sessions](t, h, "web", "--sessions").Sessions {
			all = append(all, k.KeyID+" "+string(k.Origin))
		}
		return all
	}

	link := testhome.Run[parley.OpenPageResult](t, h, "web")
	if got := list(); len(got) != 1 || got[0] != link.KeyID+" page_code" {
		t.Errorf("before the link is opened: %q", got)
	}
	s := testpage.Enter(t, link.Address, link.Code)
	testhome.Run[parley.IssueKeyResult](t, h, "key", "issue", "operator") // which is no session
	if got := list(); len(got) != 1 || got[0] != s.KeyID+" page" {
		t.Errorf("after it: %q", got)
	}

	for id, want := range map[string]string{s.KeyID: "", "parley_nothing": "there is no session"} {
		out, err := h.Command("web", "--revoke", id).CombinedOutput()
		if (err != nil) != (want != "") || !strings.Contains(string(out), want) {
			t.Errorf("web --revoke %s: %v\n%s", id, err, out)
		}
	}
	if got := list(); len(got) != 0 {
		t.Errorf("after it was revoked: %q", got)
	}

	res := must.Have(http.DefaultClient.Do(s.Request(t, http.MethodPost, "/api/get_agent_status", "{}")))(t)
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a revoked session is answered with %s", res.Status)
	}
}

func TestQRCodeIsBlackOnWhite(t *testing.T) {
	code := must.Have(qrText("http://127.0.0.1:41093/#parley_" + strings.Repeat("x", 43)))(t)
	lines := strings.Split(strings.TrimRight(code, "\n"), "\n")
	if len(lines) > 23 {
		t.Errorf("it has %d lines", len(lines))
	}
	for i, line := range lines {
		text := strings.TrimSuffix(strings.TrimPrefix(line, "\x1b[30;107m"), "\x1b[0m")
		if len(text) == len(line) || len([]rune(text)) > 79 {
			t.Errorf("line %d is %q", i, line)
		}
		if blank := strings.Trim(text, " ") == ""; blank != (i == 0) && i < len(lines)-1 {
			t.Errorf("line %d: blank is %v", i, blank)
		}
	}
}
