package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

// notice is what a server of ntfy was sent.
type notice struct {
	header http.Header
	text   string
}

// button is one of its actions.
type button struct {
	Action, Label, URL, Method, Body string
	Headers                          map[string]string
}

// A phone gets the question with its options as buttons by ntfy, and a press answers it: once, and only while it
// stands.
func TestAnAnswerFromANotice(t *testing.T) {
	t.Parallel()
	got := make(chan notice, 20)
	ntfy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- notice{r.Header, string(b)}
	}))
	defer ntfy.Close()

	h := testhome.New(t)
	own := filepath.Join(h.Dir, "h", ".config", "parley")
	must.Do(t, os.MkdirAll(own, 0o700))
	const name = "team.example:8443" // as the phone knows the machine
	must.Do(t, os.WriteFile(filepath.Join(own, "parley.yaml"),
		[]byte("web: {url: 'http://"+name+"'}\nnotify: {ntfy: '"+ntfy.URL+
			"/a-topic', ntfy_answers: true, after: 1s, at_most_every: 1s, kinds: [dialog]}\n"), 0o600))
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "asker", "--", "parley", "demo-agent", "--dialog-at-start",
		"--dialog-on", "delete", "--work", "10ms")
	here := testhome.Run[parley.OpenPageResult](t, h, "web").Address

	first := buttonsOf(t, got)
	if first[0].Label != "Yes" || !strings.HasPrefix(first[0].URL, "http://"+name+"/") || first[0].Action != "http" {
		t.Fatalf("the first button is %+v", first[0])
	}
	if code := press(t, here, name, first[0]); code != http.StatusOK {
		t.Fatalf("a press is answered with %d", code)
	}
	must.Become(t, "the question no longer stands", func() bool {
		return len(testhome.Run[parley.GetNeedsResult](t, h, "needs").Needs) == 0
	})
	for i, b := range first { // it was pressed; the others are of a question that is over
		if code := press(t, here, name, b); code == http.StatusOK {
			t.Errorf("button %d answers a second time", i+1)
		}
	}

	// The next question is answered elsewhere before the press.
	testhome.Run[parley.SendMessageResult](t, h, "send", "asker", "delete it")
	second := buttonsOf(t, got)
	must.Become(t, "the question is answered here", func() bool {
		return h.Command("answer", "asker", "2", "--yes").Run() == nil
	})
	if code := press(t, here, name, second[0]); code == http.StatusOK {
		t.Error("a button answers a question that is over")
	}
	if log := string(must.Have(h.Command("log").Output())(t)); strings.Count(log, "answered") < 2 {
		t.Errorf("the record lacks an answer:\n%s", log)
	}
}

// buttonsOf waits for a notice with buttons.
func buttonsOf(t *testing.T, got chan notice) []button {
	t.Helper()
	late := time.After(testhome.Patience)
	for {
		select {
		case n := <-got:
			var all []button
			if text := n.header.Get("Actions"); text != "" {
				must.Do(t, json.Unmarshal([]byte(text), &all))
			}
			if len(all) > 3 { // ntfy refuses the notice
				t.Fatalf("%d buttons", len(all))
			}
			if len(all) > 0 {
				return all
			}
		case <-late:
			t.Fatal("no notice has buttons")
		}
	}
}

// press does what a phone's app of ntfy does for a button; here is where the name leads.
func press(t *testing.T, here, name string, b button) int {
	t.Helper()
	u := must.Have(url.Parse(b.URL))(t)
	req := must.Have(http.NewRequest(b.Method, here+u.Path, strings.NewReader(b.Body)))(t)
	req.Host = name
	for k, v := range b.Headers {
		req.Header.Set(k, v)
	}
	res := must.Have(http.DefaultClient.Do(req))(t)
	defer res.Body.Close()
	return res.StatusCode
}
