package orchestrator

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/notify"
	"parley/op"
	"parley/orchestrator/needs"
)

// Notices are pushed for a session of the page that may do what the operator may, as long as it lives.
func TestDevicesAreThoseOfLivingSessions(t *testing.T) {
	t.Parallel()
	devices := must.Have(notify.OpenDevices(filepath.Join(t.TempDir(), "devices.json")))(t)
	te := newTeam(t, func(o *Options) {
		opts := notify.Options{Workspace: o.Workspace, Now: time.Now, Log: o.Log}
		o.Away = needs.Away{Devices: devices, Push: notify.NewPush(opts, devices, "mailto:ann@example.org")}
	})
	key := must.Have(ecdh.P256().GenerateKey(rand.Reader))(t)
	device := parley.NotifyDeviceRequest{
		Endpoint: "https://push.invalid/x", Public: base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()),
		Secret: base64.RawURLEncoding.EncodeToString(make([]byte, 16)),
	}
	if _, err := op.NotifyDevice.Call(te.operator(), te, device); parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("without a session: %v", err)
	}

	link := must.Have(op.OpenPage.Call(te.operator(), te, parley.OpenPageRequest{}))(t)
	entry := entryOf(link.Code)
	session := must.Have(te.Keys.EnterPage(t.Context(), entry))(t)
	caller, ok := te.roster.Session(entry.PublicKey, phone)
	if !ok || caller.Session != session.KeyID {
		t.Fatalf("the session is %+v", caller)
	}
	ctx := parley.WithCaller(t.Context(), caller)
	res := must.Have(op.NotifyDevice.Call(ctx, te, device))(t)
	if res.Devices != 1 || res.PublicKey == "" {
		t.Errorf("got %+v", res)
	}
	if ways := te.opts.Away.Ways(); len(ways) != 1 || ways[0].Way != "push" {
		t.Errorf("the ways are %+v", ways)
	}
	gone := must.Have(op.NotifyDevice.Call(ctx, te, parley.NotifyDeviceRequest{Endpoint: device.Endpoint,
		Remove: true}))(t)
	if gone.Devices != 0 || gone.PublicKey != res.PublicKey {
		t.Errorf("after that it was %+v", gone)
	}

	must.Have(op.NotifyDevice.Call(ctx, te, device))(t)
	must.Have(op.RevokeKey.Call(te.operator(), te, parley.RevokeKeyRequest{KeyID: session.KeyID}))(t)
	if devices.Count() != 0 || len(te.opts.Away.Ways()) != 0 {
		t.Error("a device is told whose session was revoked")
	}
}
