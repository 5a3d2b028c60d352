package notify

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/internal/wait"
)

func optionsOf(t *testing.T, change func(*Settings)) Options {
	return Options{
		Settings: *settingsOf(change), Workspace: filepath.Join(t.TempDir(), "shop"), Host: "box",
		Getenv: func(name string) string { return map[string]string{"TOKEN": "s3cret\n"}[name] },
		Env:    os.Environ(), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon.Add(time.Hour) },
	}
}

// request is what a server was sent.
type request struct {
	header http.Header
	body   string
}

// serve starts a server that gives all requests the same status.
func serve(t *testing.T, status int) (address string, got chan request) {
	got = make(chan request, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- request{r.Header, string(body)}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/topic-that-is-a-secret", got
}

// running runs a notifier until the test ends.
func running(t *testing.T, opts Options) *Notifier {
	n := New(opts)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); n.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return n
}

func receive(t *testing.T, from chan request) request {
	t.Helper()
	select {
	case r := <-from:
		return r
	case <-time.After(must.Patience):
		t.Fatal("nothing came")
		return request{}
	}
}

var question = parley.Need{
	Kind: parley.NeedDialog, AgentID: "id", Agent: "coder", Since: noon, Text: "a dialog is open in its terminal",
	Command: "parley attach coder", Action: "Answer it there.", Screen: []string{"the secret on the screen"},
	Dialog: &parley.Dialog{Question: "May I?", Lines: []string{"the secret above it"},
		Options: []parley.DialogOption{{Choice: "1", Label: "Yes"}, {Choice: "no", Label: "no"}}},
}

func TestWebhookGetsTheNoticeAsJSON(t *testing.T) {
	address, got := serve(t, http.StatusNoContent)
	opts := optionsOf(t, func(s *Settings) { s.Webhook, s.WebhookTokenEnv = address, "TOKEN" })
	n := running(t, opts)
	n.Look([]parley.Need{question})

	r := receive(t, got)
	if token := r.header.Get("Authorization"); token != "Bearer s3cret" {
		t.Errorf("Authorization: %q", token)
	}
	want := `{"workspace":` + string(must.Have(json.Marshal(opts.Workspace))(t)) + `,"host":"box","at":"` +
		noon.Add(time.Hour).UTC().Format(time.RFC3339) + `","title":"shop: coder: dialog",` +
		`"text":"coder: a dialog is open in its terminal\nMay I? 1. Yes / no\n→ parley attach coder","needs":[{"kind":"dialog",` +
		`"agent":"coder","since":"` + noon.Format(time.RFC3339) + `","text":"a dialog is open in its terminal",` +
		`"command":"parley attach coder","suggested_action":"Answer it there.",` +
		`"question":"May I?","options":["1. Yes","no"]}]}`
	if diff := cmp.Diff(want, r.body); diff != "" {
		t.Error(diff)
	}
}

func TestNtfyGetsTitleAndText(t *testing.T) {
	address, got := serve(t, http.StatusOK)
	n := running(t, optionsOf(t, func(s *Settings) { s.Ntfy, s.NtfyTokenEnv = address, "TOKEN" }))
	n.Look([]parley.Need{question})

	r := receive(t, got)
	if r.body != "coder: a dialog is open in its terminal\nMay I? 1. Yes / no\n→ parley attach coder" {
		t.Errorf("body: %q", r.body)
	}
	if title := r.header.Get("Title"); title != "shop: coder: dialog" {
		t.Errorf("title: %q", title)
	}
	if token := r.header.Get("Authorization"); token != "Bearer s3cret" {
		t.Errorf("Authorization: %q", token)
	}
}

func TestCommandGetsTheNotice(t *testing.T) {
	to := filepath.Join(t.TempDir(), "notice")
	script := `{ cat; echo; echo "$PARLEY_NOTICE_TITLE|$PARLEY_NOTICE_KIND|$PARLEY_NOTICE_AGENT|$PARLEY_NOTICE_COMMAND"; } > "$0"`
	opts := optionsOf(t, func(s *Settings) { s.Command = []string{"sh", "-c", script, to} })
	must.Do(t, os.Mkdir(opts.Workspace, 0o700))
	n := New(opts)
	if ways := n.Test(t.Context()); !ways[0].Works || ways[0].Sent != 1 {
		t.Fatalf("%+v", ways)
	}

	body, line, _ := strings.Cut(string(must.Have(os.ReadFile(to))(t)), "\n")
	var got parley.Notice
	must.Do(t, json.Unmarshal([]byte(body), &got))
	if !got.Test || line != "shop: a test|||parley needs\n" {
		t.Errorf("got %q, %q", body, line)
	}
}

// A way that fails says why, without its address, until a notice goes.
func TestAFailureIsSeenUntilItIsOver(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Settings)
		want   string
	}{
		"program": {func(s *Settings) { s.Command = []string{"/no/such/program"} },
			"it cannot be run: no such file or directory"},
		"status": {func(s *Settings) { s.Command = []string{"sh", "-c", "echo no display >&2; exit 3"} },
			"exit status 3: no display"},
		"token": {func(s *Settings) { s.Webhook, s.WebhookTokenEnv = "http://127.0.0.1:1/x", "MISSING" },
			"$MISSING is not set where the daemon runs"},
		"refused":  {func(s *Settings) { s.Ntfy = "http://127.0.0.1:1/secret" }, "connect: connection refused"},
		"variable": {func(s *Settings) { s.Ntfy = "$MISSING" }, "$MISSING is not set where the daemon runs"},
		"secret": {func(s *Settings) { s.Ntfy = "$TOKEN" },
			"$TOKEN is not an address such as https://example.org/notices"},
	} {
		opts := optionsOf(t, test.change)
		must.Do(t, os.Mkdir(opts.Workspace, 0o700))
		if ways := New(opts).Test(t.Context()); ways[0].Works || ways[0].Problem != test.want || ways[0].Since == nil {
			t.Errorf("%s: got %+v, want %q", name, ways[0], test.want)
		}
	}

	var status atomic.Int64
	status.Store(http.StatusForbidden)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
	}))
	defer server.Close()
	n := New(optionsOf(t, func(s *Settings) { s.Ntfy = server.URL + "/topic" }))
	if ways := n.Test(t.Context()); ways[0].Problem != "it answered 403 Forbidden" {
		t.Errorf("got %+v", ways[0])
	}
	status.Store(http.StatusOK)
	if ways := n.Test(t.Context()); !ways[0].Works || ways[0].Since != nil {
		t.Errorf("after it is over: %+v", ways[0])
	}
}

// A server that never answers holds up nobody: what comes meanwhile is queued, and then dropped.
func TestAHangingWebhookDelaysNothing(t *testing.T) {
	asked, release := make(chan struct{}, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-release
	}))
	defer server.Close()
	defer close(release)

	opts := optionsOf(t, func(s *Settings) { s.Webhook, s.AtMostEvery = server.URL, 0 })
	w := newWay(wayWebhook, webhook{&opts, http.DefaultClient}, opts.Now, opts.Log)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.run(ctx) }()

	w.offer(parley.Notice{})
	<-asked
	for range 3 * maxQueue {
		w.offer(parley.Notice{}) // returns at once, or the test hangs
	}
	if len(w.queue) != maxQueue {
		t.Errorf("%d notices wait, want %d", len(w.queue), maxQueue)
	}

	stop()
	<-ended
}

// An attempt that takes too long is cut.
func TestAnAttemptIsCut(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)

	opts := optionsOf(t, func(s *Settings) { s.Webhook = server.URL })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := (webhook{&opts, http.DefaultClient}).send(ctx, parley.Notice{}); err == nil ||
		err.Error() != "no answer within 10s" {
		t.Errorf("got %v", err)
	}

	slow := command{[]string{"sh", "-c", "sleep 600 & wait"}, t.TempDir(), os.Environ()}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := slow.send(ctx, parley.Notice{}); err == nil || err.Error() != "not finished within 10s" {
		t.Errorf("got %v", err)
	}
}

// flaky fails a number of times.
type flaky struct{ failures *int }

func (f flaky) send(context.Context, parley.Notice) error {
	if *f.failures--; *f.failures >= 0 {
		return errors.New("not now")
	}
	return nil
}

func TestANoticeIsTriedAgain(t *testing.T) {
	failures := len(retries)
	w := newWay("flaky", flaky{&failures}, time.Now, slog.New(slog.DiscardHandler))
	w.retries = make([]time.Duration, len(retries))
	w.deliver(t.Context(), parley.Notice{})
	if s := w.status(); !s.Works || s.Sent != 1 {
		t.Errorf("%+v", s)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	elsewhere, got := serve(t, http.StatusOK)
	server := httptest.NewServer(http.RedirectHandler(elsewhere, http.StatusTemporaryRedirect))
	defer server.Close()
	ways := New(optionsOf(t, func(s *Settings) {
		s.Webhook, s.WebhookTokenEnv = server.URL,
			"TOKEN"
	})).Test(t.Context())
	if len(got) != 0 || ways[0].Problem != "it answered 307 Temporary Redirect" {
		t.Errorf("%d requests elsewhere, %+v", len(got), ways[0])
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Settings){
		"quiet_hours": func(s *Settings) { s.QuietHours = "night" },
		"kinds":       func(s *Settings) { s.Kinds = []string{"dialog", "dialogue"} },
		"webhook":     func(s *Settings) { s.Webhook = "example.org" },
		"ntfy":        func(s *Settings) { s.Ntfy = "https://me:pass@ntfy.sh/x" },
		"ntfy_token_env": func(s *Settings) {
			s.NtfyTokenEnv = "tk_live-token"
		},
		"after": func(s *Settings) { s.After = -time.Second },
		"":      func(s *Settings) { s.Webhook, s.Kinds = "$HOOK", []string{"owes_answer"} },
	} {
		err := settingsOf(change).Check("here")
		if want == "" && err != nil || want != "" && (err == nil || parley.AsError(err).Details["setting"] != want) {
			t.Errorf("%s: %v", want, err)
		}
		if err != nil && strings.Contains(err.Error()+parley.AsError(err).Action, "tk_live") {
			t.Error("a token is shown")
		}
	}
}

func TestNoWayNoNotifier(t *testing.T) {
	if New(optionsOf(t, nil)) != nil {
		t.Error("there is one")
	}
}

func TestRunEndsWhileANoticeIsTriedAgain(t *testing.T) {
	n := New(optionsOf(t, func(s *Settings) { s.Webhook = "$MISSING" }))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); n.Run(ctx) }()
	n.Look([]parley.Need{question})
	must.Do(t, wait.Until(t.Context(), time.Millisecond, func() (bool, error) { return !n.Ways()[0].Works, nil }))
	stop()
	<-ended
}

// Hundreds of needs are a sentence: those that press most in full, the others counted.
func TestHundredsOfNeedsAreASentence(t *testing.T) {
	n := New(optionsOf(t, func(s *Settings) { s.Ntfy = "https://example.org/topic" }))
	due := []parley.Need{question}
	for i := range 400 {
		kind := parley.NeedHeld
		if i%4 == 0 {
			kind = parley.NeedOverdue
		}
		due = append(due, parley.Need{Kind: kind, Agent: "a", Text: "waits", Command: "parley conversation"})
	}
	text := n.notice(due, noon).Text
	if lines := strings.Count(text, "\n") + 1; lines > 12 || !strings.Contains(text, "May I?") {
		t.Errorf("got %d lines:\n%s", lines, text)
	}
	if want := "and 396 more (297 held, 99 overdue): parley needs"; !strings.HasSuffix(text, want) {
		t.Errorf("got:\n%s\nwant at its end: %s", text, want)
	}
}
