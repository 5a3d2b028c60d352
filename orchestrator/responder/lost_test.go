package responder

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley"
)

func TestForeignPageDiffersFromABrokenAnswer(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>It works!</html>")
	}))

	t.Cleanup(s.Close)
	_, c := start(t)
	_, err := c.Answer(t.Context(),
		parley.ModelQuestion{Model: "m", BaseURL: s.URL, Turns: []parley.ModelTurn{{Text: "hi"}}})

	e := parley.AsError(err)
	if parley.ReasonOf(err) != parley.ModelMalformed || !strings.Contains(e.Message, "text/html") ||
		!strings.Contains(e.Action, "base_url") {
		t.Errorf("got %v, action %q", e, e.Action)
	}
}

func TestUnansweredRequestIsUnmeasured(t *testing.T) {
	t.Parallel()
	came, done := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(came)
		<-done
	}))

	t.Cleanup(s.Close)
	t.Cleanup(func() { close(done) })
	_, c := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	go func() { <-came; cancel() }()

	a, err := c.Answer(ctx, parley.ModelQuestion{Model: "m", BaseURL: s.URL, Turns: []parley.ModelTurn{{Text: "hi"}}})
	if parley.ReasonOf(err) != parley.ModelCancelled || !a.Usage.Unmeasured || a.Usage.Requests != 1 {
		t.Errorf("got %+v, %v", a.Usage, err)
	}
}
