// Package notify tells a person who is away what needs them: by a command, a webhook, ntfy, or pushed
// to the browsers of devices. It
// decides what to tell and when, and sends it. Nothing waits for a notice: each way has a queue and
// a goroutine, and what does not fit is dropped.
package notify

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/setting"
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

func (s *Settings) wants(kind parley.NeedKind) bool {
	return kind != parley.NeedNotifier && (len(s.Kinds) == 0 || slices.Contains(s.Kinds, string(kind)))
}

// Settings say how, when and of what the operator is told while away. The tags declare each setting
// once: see package setting.
type Settings struct {
	Command         []string `yaml:"command" trust:"true" doc:"A program and its arguments: it gets the notice as JSON on standard input, and as variables."`
	Webhook         string   `yaml:"webhook" trust:"true" doc:"An address that gets the notice as JSON by POST, or $NAME for a variable with it."`
	WebhookTokenEnv string   `yaml:"webhook_token_env" trust:"true" doc:"The variable with the token that the webhook wants."`
	Ntfy            string   `yaml:"ntfy" trust:"true" doc:"The address of an ntfy topic, such as https://ntfy.sh/my-topic, or $NAME."`
	NtfyTokenEnv    string   `yaml:"ntfy_token_env" trust:"true" doc:"The variable with the access token for the topic."`
	NtfyAnswers     bool     `yaml:"ntfy_answers" trust:"true" doc:"Put an open question's options on ntfy's notice as buttons. Whoever reads the topic can press them."`

	Kinds       []string      `yaml:"kinds" doc:"The kinds of needs that are told, as parley needs names them; all if left out."`
	After       time.Duration `yaml:"after" default:"1m" min:"0s" doc:"How long something must have needed you."`
	QuietHours  string        `yaml:"quiet_hours" pattern:"^ *([01]?[0-9]|2[0-3]):[0-5][0-9] *- *(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00) *$" doc:"When nothing is sent, such as 22:00-07:00; what is still open is sent afterwards."`
	AtMostEvery time.Duration `yaml:"at_most_every" default:"5m" min:"0s" doc:"The least time between two notices of a kind; one tells all that came meanwhile."`
}

// Given reports whether the settings name a way.
func (s *Settings) Given() bool { return len(s.Command) > 0 || s.Webhook != "" || s.Ntfy != "" }

var envForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Check refuses what cannot be meant. Source tells where the settings stand.
func (s *Settings) Check(source string) error {
	if err := setting.Check(s, source); err != nil {
		return err
	}
	if _, ok := setting.ParseHours(s.QuietHours); !ok {
		return setting.Refuse(source, "quiet_hours", s.QuietHours, "two times of day, such as 22:00-07:00")
	}

	for _, name := range s.Kinds {
		if !slices.Contains(parley.NeedKinds(), parley.NeedKind(name)) {
			return setting.Refuse(source, "kinds", name, "kinds of parley needs, such as dialog, blocked and exited")
		}
	}

	for _, address := range []struct{ name, value string }{{"webhook", s.Webhook}, {"ntfy", s.Ntfy}} {
		if !addressForm(address.value) {
			return setting.Refuse(source, address.name, address.value,
				"an address such as https://example.org/notices, without a password in it, or $NAME")
		}
	}
	for _, env := range []struct{ name, value string }{
		{"webhook_token_env", s.WebhookTokenEnv}, {"ntfy_token_env", s.NtfyTokenEnv},
	} {
		if env.value != "" && !envForm.MatchString(env.value) {
			// The value may be the token itself.
			return setting.Refuse(source, env.name, "not the name of a variable", "the name of one, never the token")
		}
	}

	return nil
}

// addressForm reports whether text is "", an address, or a variable's name behind $.
func addressForm(text string) bool {
	if name, ok := strings.CutPrefix(text, "$"); ok {
		return envForm.MatchString(name)
	}
	return text == "" || isAddress(text)
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// plan decides what to tell and when. It remembers what was told, as long as that stands.
type plan struct {
	told map[subject]time.Time
	last map[parley.NeedKind]time.Time // when each kind was last told
}

// subject is what a need is about.
type subject struct {
	kind           parley.NeedKind
	agent, message string
}

func subjectOf(n *parley.Need) subject { return subject{n.Kind, n.AgentID, n.MessageID} }

// next returns the needs to tell now, of all that there are. It counts them as told. A kind that was told a moment
// ago holds no other kind back.
func (p *plan) next(s *Settings, needs []parley.Need, now time.Time) (due []parley.Need) {
	p.forget(needs)
	quiet, _ := setting.ParseHours(s.QuietHours)
	if quiet.Has(now) {
		return nil
	}

	for _, n := range needs {
		told, known := p.told[subjectOf(&n)]
		news := !known || n.Since.After(told) // another dialog of the same agent
		last := p.last[n.Kind]
		free := last.IsZero() || now.Sub(last) >= s.AtMostEvery
		if news && free && s.wants(n.Kind) && now.Sub(n.Since) >= s.After {
			due = append(due, n)
		}
	}

	if p.last == nil {
		p.last = map[parley.NeedKind]time.Time{}
	}
	for i := range due {
		p.told[subjectOf(&due[i])] = now
		p.last[due[i].Kind] = now
	}

	return due
}

// forget drops what needs nobody any more.
func (p *plan) forget(needs []parley.Need) {
	still := map[subject]time.Time{}
	for i := range needs {
		if at, ok := p.told[subjectOf(&needs[i])]; ok {
			still[subjectOf(&needs[i])] = at
		}
	}
	p.told = still
}
