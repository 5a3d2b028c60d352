package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The limits of opencode's door.
const (
	answerWithin = 10 * time.Second // on a machine with two cores at a load of 20 it took 2 s
	maxAnswer    = 256 << 20        // bytes: a whole session
	lastMessages = 100              // of a session, in which a letter is looked for first
	listsWithin  = 30 * time.Second // that it lists a message that it took, when it is busy
)

// opencode is the HTTP server of an opencode that runs in a terminal. It takes a message's id from outside, and takes
// no second message with it.
type opencode struct {
	program Program
	base    string // of its addresses
	secret  string
	client  *http.Client
	given   records
	view    *opencodeView

	giving sync.Mutex // one letter after the other, so that their ids are in the order of their arrival
}

// openOpencode connects to the server that the launch has told where to listen.
func openOpencode(ctx context.Context, p Program) (Door, error) {
	if p.Session == "" {
		return nil, closed("it has no session yet")
	}
	o, err := callOpencode(p)
	if err != nil {
		return nil, err
	}
	o.view = &opencodeView{session: p.Session, isChild: o.isChild}

	if err := o.greet(ctx); err != nil {
		return nil, err
	}
	if err := o.follow(ctx); err != nil {
		return nil, err
	}

	return o, nil
}

// callOpencode returns what calls the server. Nothing is called.
func callOpencode(p Program) (*opencode, error) {
	l, err := readLaunch(p.Dir)
	if err != nil {
		return nil, err
	}

	base := "http://127.0.0.1:" + strconv.Itoa(l.Port)
	o := &opencode{program: p, base: base, secret: l.Secret, given: records{p.Dir}}
	o.client = &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true, // each connection is looked at, and none is found broken only when it is used
			DialContext:       dialListener(p.PID, l.Port),
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}

	return o, nil
}

// dialListener connects to a port of loopback, and hands the connection out only if the program listens there.
func dialListener(pid, port int) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return nil, closed("%w", err)
		}
		if err := checkListener(pid, port); err != nil {
			return nil, errors.Join(closed("%w", err), conn.Close())
		}
		return conn, nil
	}
}

// greet checks that a version answers that the door was tried with, and that the session is there.
func (o *opencode) greet(ctx context.Context) error {
	var health struct{ Version string }
	if err := o.get(ctx, "/global/health", &health); err != nil {
		return closed("ask for its version: %w", err)
	}
	if err := o.program.tried(health.Version); err != nil {
		return err
	}

	var session opencodeSession
	if err := o.get(ctx, o.path(o.program.Session), &session); err != nil {
		return closed("ask for its session: %w", err)
	}

	return nil
}

// Give implements Door.
func (o *opencode) Give(ctx context.Context, l Letter) error {
	o.giving.Lock()
	defer o.giving.Unlock()

	if err := o.follow(ctx); err != nil {
		return err
	}
	if other := o.view.elsewhere(); other != "" {
		return notNow("its terminal shows the session %s", other)
	}

	r, err := o.given.note(l, func() record {
		return record{ID: messageID(time.Now(), l.ID), Session: o.program.Session}
	})
	if err != nil {
		return closed("note that a message goes in: %w", err)
	}
	o.view.expect(r.ID)

	return o.post(ctx, o.path(r.Session)+"/prompt_async", map[string]any{
		"messageID": r.ID,
		"parts":     []map[string]string{{"type": "text", "text": l.Text}},
	})
}

// Ask implements Door.
func (o *opencode) Ask(ctx context.Context, l Letter) (Answer, error) {
	r, at, err := o.given.of(l)
	if err != nil {
		return Answer{Fate: Unknown}, err
	}
	session := r.Session
	if session == "" {
		session = o.program.Session
	}

	answer, err := o.askSession(ctx, session, l)
	switch {
	case isStatus(err, http.StatusNotFound):
		return Answer{Unknown, "its session is gone"}, nil
	case err != nil || answer.Fate != Absent:
		return answer, err
	case r.ID != "" && time.Since(at) < listsWithin:
		return Answer{Unknown, "it does not list the message, which was handed over a moment ago"}, nil
	case r.ID != "":
		return answer, nil
	}

	return o.askOthers(ctx, l)
}

// askOthers looks for a letter in the sessions that were used last: it may have gone into another one, in an earlier
// launch.
func (o *opencode) askOthers(ctx context.Context, l Letter) (Answer, error) {
	var sessions []opencodeSession
	if err := o.get(ctx, "/session?roots=true&limit=20", &sessions); err != nil {
		return Answer{Fate: Unknown}, err
	}

	for _, s := range sessions {
		answer, err := o.askSession(ctx, s.ID, l)
		if err != nil || answer.Fate != Absent {
			return answer, err
		}
	}

	return Answer{Absent, "its session does not have the message"}, nil
}

func (o *opencode) askSession(ctx context.Context, session string, l Letter) (Answer, error) {
	for _, query := range []string{"?limit=" + strconv.Itoa(lastMessages), ""} {
		var messages []opencodeMessage
		if err := o.get(ctx, o.path(session)+"/message"+query, &messages); err != nil {
			return Answer{Fate: Unknown}, err
		}

		answer := fateAmong(messages, messageTail(l.ID))
		if answer.Fate != Absent || len(messages) < lastMessages {
			return answer, nil
		}
	}

	return Answer{Absent, "its session does not have the message"}, nil
}

// fateAmong finds the message whose id ends so in a session. A turn has it if it answers it, or a later one.
func fateAmong(messages []opencodeMessage, tail string) Answer {
	at := slices.IndexFunc(messages, func(m opencodeMessage) bool { return strings.HasSuffix(m.Info.ID, tail) })
	if at < 0 {
		return Answer{Absent, "its session does not have the message"}
	}

	later := map[string]bool{}
	for _, m := range messages[at:] {
		if m.Info.Role == "user" {
			later[m.Info.ID] = true
		}
		if m.Info.Role == "assistant" && later[m.Info.ParentID] {
			return Answer{Read, "its session has the message, and a turn answers it"}
		}
	}

	return Answer{Queued, "its session has the message, and no turn has answered it"}
}

// Withdraw implements Door: after a question was refused, or a turn has failed, a message lies in its session until the
// next prompt. While a turn runs, opencode deletes nothing.
func (o *opencode) Withdraw(ctx context.Context, l Letter) (back bool, err error) {
	o.giving.Lock()
	defer o.giving.Unlock()

	r, _, err := o.given.of(l)
	if err != nil || r.ID == "" {
		return false, err
	}
	answer, err := o.askSession(ctx, r.Session, l)
	if err != nil || answer.Fate != Queued {
		return false, err
	}

	within, over := context.WithTimeout(ctx, answerWithin)
	defer over()
	answered, err := o.call(within, http.MethodDelete, o.path(r.Session)+"/message/"+url.PathEscape(r.ID), nil)
	if _, refused := errors.AsType[*refusal](err); refused {
		return false, nil
	}
	if err != nil {
		return false, err
	}

	return true, errors.Join(answered.Body.Close(), o.given.forget(l))
}

// Close implements Door.
func (o *opencode) Close() error {
	o.view.stop()
	return nil
}

// The parts of opencode's answers that count here.
type (
	opencodeSession struct {
		ID       string `json:"id"`
		ParentID string `json:"parentID"`
	}

	opencodeMessage struct {
		Info opencodeInfo `json:"info"`
	}

	opencodeInfo struct {
		ID        string `json:"id"`
		SessionID string `json:"sessionID"`
		ParentID  string `json:"parentID"`
		Role      string `json:"role"`
		Time      struct {
			Created int64 `json:"created"` // in milliseconds
		} `json:"time"`
	}
)

// isChild reports whether a session belongs to a subagent, which no terminal shows by itself.
func (o *opencode) isChild(ctx context.Context, id string) bool {
	var s opencodeSession
	err := o.get(ctx, o.path(id), &s)
	return err == nil && s.ParentID != ""
}

func (o *opencode) path(session string) string { return "/session/" + url.PathEscape(session) }

// refusal is an answer that is not the one asked for.
type refusal struct {
	status int
	words  string
}

func (r *refusal) Error() string { return fmt.Sprintf("it answers %d: %.200q", r.status, r.words) }

func isStatus(err error, status int) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status == status
}

func (o *opencode) get(ctx context.Context, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()

	answer, err := o.call(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()

	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(into); err != nil {
		return fmt.Errorf("read its answer: %w", err)
	}
	return nil
}

// post sends what a program must accept. What it refuses has not gone in.
func (o *opencode) post(ctx context.Context, path string, body any) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()

	text, err := json.Marshal(body)
	if err != nil {
		return closed("write a message: %w", err)
	}

	answer, err := o.call(ctx, http.MethodPost, path, text)
	if r, refused := errors.AsType[*refusal](err); refused && r.status/100 == 4 {
		return closed("%w", err)
	}
	if err != nil {
		return err
	}

	return answer.Body.Close()
}

// call returns the answer to a request, or a refusal. It is ErrClosed if nobody was asked.
func (o *opencode) call(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, o.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, closed("%w", err)
	}
	req.SetBasicAuth("opencode", o.secret)
	req.Header.Set("Content-Type", "application/json")

	answer, err := o.client.Do(req)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 != 2 {
		words, _ := io.ReadAll(io.LimitReader(answer.Body, 1000))
		return nil, errors.Join(&refusal{answer.StatusCode, string(words)}, answer.Body.Close())
	}

	return answer, nil
}
