package notify

import (
	"cmp"
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/SherClockHolmes/webpush-go"

	"parley"
	"parley/plain"
)

// Device is a browser that takes notices, and the session of the page that asked for that.
type Device struct {
	Endpoint string `json:"endpoint"` // at the push service of its browser: whoever has it can push
	Public   string `json:"p256dh"`
	Secret   string `json:"auth"`
	Session  string `json:"session"`
}

const (
	maxDevices  = 10
	maxEndpoint = 1000 // characters of an address
	secretBytes = 16   // of what a browser shares with those who push, by RFC 8291
)

// Devices are the browsers that take notices, in a file that only this user may read, with the key by which push
// services know the daemon again. Safe for concurrent use.
type Devices struct {
	path string
	key  *ecdsa.PrivateKey

	mu     sync.Mutex
	all    []Device
	stored bool                      // the key is in the file
	alive  func(session string) bool // nil: no session is
}

type devicesFile struct {
	Key     string   `json:"key"`
	Devices []Device `json:"devices"`
}

// OpenDevices reads the file, or makes the key if there is none.
func OpenDevices(path string) (*Devices, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		return &Devices{path: path, key: key}, err
	}
	if err != nil {
		return nil, err
	}

	var f devicesFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("read the devices that take notices: %w", err)
	}
	scalar, err := base64.RawURLEncoding.DecodeString(f.Key)
	if err != nil {
		return nil, fmt.Errorf("read the key of notices to devices: %w", err)
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	if err != nil {
		return nil, fmt.Errorf("read the key of notices to devices: %w", err)
	}
	return &Devices{path: path, key: key, all: f.Devices, stored: true}, nil
}

// While makes the devices count as long as the session that added them is alive.
func (d *Devices) While(alive func(session string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alive = alive
}

// PublicKey returns what a browser asks its push service with. From then on the key stays.
func (d *Devices) PublicKey() (string, error) {
	public, _, err := d.keys()
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.stored {
		err = d.store(d.all)
	}
	return public, err
}

// keys returns the two halves of the key, as they are written down.
func (d *Devices) keys() (public, private string, err error) {
	point, err := d.key.PublicKey.Bytes()
	if err != nil {
		return "", "", err
	}
	scalar, err := d.key.Bytes()
	return encode(point), encode(scalar), err
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Count returns how many devices take notices.
func (d *Devices) Count() int { return len(d.list()) }

// list returns the devices whose sessions are alive.
func (d *Devices) list() []Device {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.without("")
}

// without returns the devices whose sessions are alive, but for one. The caller must hold mu.
func (d *Devices) without(endpoint string) []Device {
	return slices.DeleteFunc(slices.Clone(d.all), func(x Device) bool {
		return x.Endpoint == endpoint || d.alive == nil || !d.alive(x.Session)
	})
}

// Add stores a device in the place of one with the same address. It returns INVALID_ARGUMENT for what no browser gives.
func (d *Devices) Add(device Device) error {
	if err := device.check(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	others := d.without(device.Endpoint)
	if len(others) >= maxDevices {
		return parley.Errorf(parley.InvalidArgument, "%d devices take notices already", maxDevices).
			Suggest("Turn it off on one of them, or end its session: parley web --sessions")
	}
	return d.store(append(others, device))
}

// Remove forgets a device. One that is not there is no error.
func (d *Devices) Remove(endpoint string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.store(d.without(endpoint))
}

// store replaces the file. The caller must hold mu.
func (d *Devices) store(all []Device) error {
	_, private, err := d.keys()
	if err != nil {
		return err
	}
	b, err := json.Marshal(devicesFile{Key: private, Devices: all})
	if err != nil {
		return err
	}

	part := d.path + ".part"
	if err = os.WriteFile(part, b, 0o600); err == nil {
		err = os.Rename(part, d.path)
	}
	if err != nil {
		return fmt.Errorf("store the devices that take notices: %w", err)
	}
	d.all, d.stored = all, true
	return nil
}

// check refuses what no browser gives. Whatever its name resolves to is looked at when it is called.
func (d *Device) check() error {
	u, err := url.Parse(d.Endpoint)
	ip, isIP := netip.Addr{}, false
	if err == nil {
		var e error
		ip, e = netip.ParseAddr(u.Hostname())
		isIP = e == nil
	}
	if err != nil || len(d.Endpoint) > maxEndpoint || u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.Fragment != "" ||
		u.Port() != "" && u.Port() != "443" || isIP && inward(ip) {
		return refuseDevice("endpoint")
	}

	public, err := base64.RawURLEncoding.DecodeString(d.Public)
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(public)
	}
	secret, bad := base64.RawURLEncoding.DecodeString(d.Secret)
	if err != nil || bad != nil || len(secret) != secretBytes {
		return refuseDevice("p256dh")
	}
	return nil
}

func refuseDevice(parameter string) error {
	return parley.Errorf(parley.InvalidArgument, "this is no subscription of a browser to a push service").
		With("parameter", parameter).
		Suggest("Give what pushManager.subscribe returned: an https address in public, and its two keys.")
}

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
