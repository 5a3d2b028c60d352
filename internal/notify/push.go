package notify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/plain"
)

// push sends notices to the browsers of devices, by the push services that those have named.
type push struct {
	devices *Devices
	client  *http.Client
	contact string
	now     func() time.Time
}

// pushLife is how long a push service keeps a notice for a device that is off.
const pushLife = 4 * time.Hour

// pushed is what a service worker shows of a notice.
type pushed struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Path  string `json:"path"` // of the page
	Tag   string `json:"tag"`  // a notice of the same tag takes its place
}

// The bounds of what is pushed, in characters: all of it fits into a record in any script,
// also where JSON needs six bytes for a character.
const (
	maxPushTitle = 80
	maxPushText  = 400
)

func (p push) send(ctx context.Context, n parley.Notice) error {
	text, err := json.Marshal(pushedOf(n))
	if err != nil {
		return err
	}

	var sending sync.WaitGroup
	devices := p.devices.list()
	problems := make([]error, len(devices))
	for i, d := range devices {
		sending.Go(func() { problems[i] = p.sendTo(ctx, d, text) })
	}
	sending.Wait()

	return errors.Join(problems...)
}

func pushedOf(n parley.Notice) pushed {
	path, lines := "/#/needs", []string{}
	for _, need := range n.Needs[:min(len(n.Needs), maxTold)] {
		lines = append(lines, strings.TrimSpace(need.Agent+": "+cmp.Or(need.Question, need.Text)))
	}
	if len(n.Needs) == 1 {
		need := &n.Needs[0]
		path += "/" + url.PathEscape(about(need.MessageID, need.Agent, need.Question != "" || len(need.Options) > 0))
	}
	if n.Test {
		lines = []string{"This is how parley tells you what needs you."}
	}
	sum := sha256.Sum256([]byte(n.Title + n.Text + n.At.String()))
	return pushed{
		Title: plain.Truncate(n.Title, maxPushTitle), Text: plain.Truncate(strings.Join(lines, "\n"), maxPushText),
		Path: path, Tag: encode(sum[:12]),
	}
}

// sendTo pushes to one device. One that is gone is forgotten.
func (p push) sendTo(ctx context.Context, d Device, text []byte) error {
	body, err := d.seal(text)
	if err != nil {
		return err
	}
	to, err := url.Parse(d.Endpoint)
	if err != nil {
		return errors.New("the address of the push service cannot be used")
	}
	who, err := vapid(p.devices.key, "https://"+to.Host, p.contact, p.now())
	if err != nil {
		return err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Endpoint, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address of the push service cannot be used")
	}
	for name, value := range map[string]string{
		"Authorization": who, "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream",
		"Urgency": "high",
		"TTL":     fmt.Sprint(int(pushLife.Seconds())), "User-Agent": "parley",
	} {
		req.Header.Set(name, value)
	}
	res, err := p.client.Do(req)
	if err != nil {
		return withoutAddress(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // the connection is used again

	switch {
	case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusGone:
		return p.devices.Remove(d.Endpoint)
	case res.StatusCode/100 != 2:
		return fmt.Errorf("it answered %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	}
	return nil
}
