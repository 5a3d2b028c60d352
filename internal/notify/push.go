package notify

import (
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

	"github.com/SherClockHolmes/webpush-go"

	"parley"
	"parley/plain"
)

// push sends notices to the browsers of devices, by the push services that those have named.
type push struct {
	devices *Devices
	client  *http.Client
	contact string
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

// The bounds of what is pushed, in characters: all of it fits into the one record that is pushed, in any script,
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
	public, private, err := p.devices.keys()
	if err != nil {
		return err
	}
	res, err := webpush.SendNotificationWithContext(ctx, text,
		&webpush.Subscription{Endpoint: d.Endpoint, Keys: webpush.Keys{P256dh: d.Public, Auth: d.Secret}},
		&webpush.Options{
			HTTPClient: p.client, Subscriber: strings.TrimPrefix(p.contact, "mailto:"), Urgency: webpush.UrgencyHigh,
			TTL: int(pushLife.Seconds()), VAPIDPublicKey: public, VAPIDPrivateKey: private,
		})
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
