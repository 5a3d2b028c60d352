// Package notify tells a person who is away what needs them: by a command, a webhook, ntfy, or pushed
// to the browsers of devices. It
// decides what to tell and when, and sends it. Nothing waits for a notice: each way has a queue and
// a goroutine, and what does not fit is dropped.
package notify

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley"
)

// Options are the parts of a Notifier.
type Options struct {
	Settings  Settings
	Workspace string
	Host      string
	Getenv    func(string) string // returns secrets and addresses
	Env       []string            // of the command
	Now       func() time.Time
	Log       *slog.Logger

	Page string                                        // the page's address from elsewhere; "": notices have no links
	Code func(need *parley.Need, choice string) string // makes a one-time code for an option of a dialog
}

// Notifier sends notices. Safe for concurrent use, except Look.
type Notifier struct {
	opts Options
	plan plan
	ways []*way
}

// New returns the notifier of settings, nil if they name no way.
func New(opts Options) *Notifier {
	n := &Notifier{opts: opts}
	client := &http.Client{
		// A token stays with the server that it is for.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}

	for _, w := range []struct {
		name  string
		given bool
		send  sender
	}{
		{wayCommand, len(opts.Settings.Command) > 0, command{opts.Settings.Command, opts.Workspace, opts.Env}},
		{wayWebhook, opts.Settings.Webhook != "", webhook{&opts, client}},
		{wayNtfy, opts.Settings.Ntfy != "", ntfy{&opts, client}},
	} {
		if w.given {
			n.ways = append(n.ways, newWay(w.name, w.send, opts.Now, opts.Log))
		}
	}

	if n.ways == nil {
		return nil
	}

	return n
}

// NewPush returns a notifier that pushes to devices, as long as there are any. It tells the same and when, by the
// settings. The contact is whom a push service may turn to, as a URI.
func NewPush(opts Options, devices *Devices, contact string) *Notifier {
	opts.Code = nil // the page answers there
	n := &Notifier{opts: opts}
	n.ways = []*way{newWay(Push, push{devices, outward(), contact}, opts.Now, opts.Log)}
	return n
}

// Run sends what Look decides, until ctx ends. What is under way then is broken off.
func (n *Notifier) Run(ctx context.Context) {
	var ways sync.WaitGroup
	for _, w := range n.ways {
		ways.Go(func() { w.run(ctx) })
	}
	ways.Wait()
}

// Look takes all needs of this moment, and queues a notice if one is due.
func (n *Notifier) Look(needs []parley.Need) {
	now := n.opts.Now()
	due := n.plan.next(&n.opts.Settings, needs, now)
	if len(due) == 0 {
		return
	}

	notice := n.notice(due, now)
	for _, w := range n.ways {
		w.offer(notice)
	}
}

// Test sends a notice at once, by all ways at the same time, and returns how that went.
func (n *Notifier) Test(ctx context.Context) []parley.NoticeWay {
	notice := n.testNotice()
	var sending sync.WaitGroup
	for _, w := range n.ways {
		sending.Go(func() { w.try(ctx, notice) })
	}
	sending.Wait()

	return n.Ways()
}

// Ways returns the state of all ways.
func (n *Notifier) Ways() []parley.NoticeWay {
	all := make([]parley.NoticeWay, len(n.ways))
	for i, w := range n.ways {
		all[i] = w.status()
	}
	return all
}

// wants reports whether needs of a kind are told.
func (s *Settings) wants(kind parley.NeedKind) bool {
	return kind != parley.NeedNotifier && (len(s.Kinds) == 0 || slices.Contains(s.Kinds, string(kind)))
}
