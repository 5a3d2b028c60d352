package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
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
