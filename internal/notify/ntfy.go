package notify

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"parley"
	"parley/plain"
)

// ntfy publishes notices to a topic. Its title is a header, which must be ASCII: ntfy decodes RFC 2047.
type ntfy struct {
	opts   *Options
	client *http.Client
}

func (h ntfy) send(ctx context.Context, n parley.Notice) error {
	header := http.Header{
		"Content-Type": {"text/plain; charset=utf-8"},
		"Title":        {mime.BEncoding.Encode("utf-8", n.Title)},
		"Tags":         {"speech_balloon"},
	}
	if n.URL != "" {
		header.Set("Click", n.URL)
	}
	if a := h.actions(&n); len(a) > 0 {
		b, err := json.Marshal(a)
		if err != nil {
			return err
		}
		header.Set("Actions", asciiJSON(b))
	}
	return post(ctx, h.client, h.opts, h.opts.Settings.Ntfy, h.opts.Settings.NtfyTokenEnv, []byte(inBytes(n.Text,
		maxNtfyText)), header)
}

// maxNtfyText is how many bytes of a text ntfy shows. Of a longer one it makes a file.
const maxNtfyText = 4096

// inBytes shortens a text to at most n bytes, with an ellipsis if something was cut.
func inBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	const end = "…"
	return strings.ToValidUTF8(text[:n-len(end)], "") + end
}

// action is a button of a notice, as ntfy takes it.
type action struct {
	Action  string            `json:"action"`
	Label   string            `json:"label"`
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Clear   bool              `json:"clear"`
}

// maxActions is how many buttons ntfy shows.
const maxActions = 3

// actions returns the buttons that answer the dialog of a notice about one need.
func (h ntfy) actions(n *parley.Notice) []action {
	if len(n.Needs) != 1 || h.opts.Page == "" {
		return nil
	}
	var all []action
	for _, a := range n.Needs[0].Answers[:min(len(n.Needs[0].Answers), maxActions)] {
		all = append(all, action{
			Action: "http", Label: plain.Truncate(a.Label, 40), URL: h.opts.Page + "/answer", Method: http.MethodPost,
			Headers: map[string]string{"Content-Type": "application/json"}, Body: `{"code":"` + a.Code + `"}`, Clear: true,
		})
	}
	return all
}

// asciiJSON writes JSON in ASCII alone: a header has nothing else.
func asciiJSON(b []byte) string {
	var out strings.Builder
	for _, r := range string(b) {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// AnswerCodes are the one-time codes with which a notice answers a dialog: each is good for one option of one dialog,
// once, for a while. They are in memory only, so they end with the daemon. Safe for concurrent use.
type AnswerCodes struct {
	Now func() time.Time

	mu   sync.Mutex
	held map[string]codeAnswer
}

// codeAnswer is what one code does: it chooses an option of a dialog of an agent.
type codeAnswer struct {
	Agent, Dialog, Choice string

	ends time.Time
}

const (
	answerCodeLife = time.Hour // longer than a person lets a notice wait who answers from it
	maxAnswerCodes = 1000
)

// New returns a code for an option of the dialog of a need, "" for one that a choice alone does not answer.
func (c *AnswerCodes) New(need *parley.Need, choice string) string {
	d := need.Dialog
	if d == nil || d.Secret {
		return ""
	}
	if o, ok := d.Find(choice); !ok || o.TakesText {
		return ""
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	for code, held := range c.held {
		if !now.Before(held.ends) {
			delete(c.held, code)
		}
	}
	if c.held == nil {
		c.held = map[string]codeAnswer{}
	}
	if len(c.held) >= maxAnswerCodes {
		return ""
	}

	code := "answer_" + rand.Text()
	c.held[code] = codeAnswer{need.AgentID, d.ID, choice, now.Add(answerCodeLife)}
	return code
}

// Take returns what a code does, and ends it with all codes of the same dialog.
func (c *AnswerCodes) Take(code string) (codeAnswer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken, ok := c.held[code]
	if !ok || !c.Now().Before(taken.ends) {
		return codeAnswer{}, false
	}
	for other, held := range c.held {
		if held.Agent == taken.Agent && held.Dialog == taken.Dialog {
			delete(c.held, other)
		}
	}
	return taken, true
}
