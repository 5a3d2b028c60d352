package client

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/op"
)

// A call ends with words if the daemon takes it and answers nothing at all, and goes on while the daemon answers
// others.
func TestACallEndsWhenTheDaemonIsSilent(t *testing.T) {
	soon := hearing{silence: time.Millisecond, patience: 50 * time.Millisecond, again: time.Millisecond}
	for name, c := range map[string]struct {
		call func(context.Context, *Client) error
	}{
		"a reading call": {call: func(ctx context.Context, c *Client) error {
			_, err := op.GetAgentStatus.Call(ctx, c, parley.AgentStatusRequest{})
			return err
		}},
		"a changing call": {call: func(ctx context.Context, c *Client) error {
			_, err := op.PauseCommunication.Call(ctx, c, parley.PauseCommunicationRequest{})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), "s")
			l, err := net.Listen("unix", socket) // never accepts, as a stopped process
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()

			client := New(Options{Socket: socket, Retry: time.Hour})
			defer client.Close()
			client.conn.hearing = &soon
			if err := c.call(t.Context(), client); parley.ErrorCode(err) != parley.DaemonUnavailable {
				t.Errorf("%v, want %s", err, parley.DaemonUnavailable)
			}
		})
	}

	t.Run("a long call", func(t *testing.T) {
		heard := make(chan struct{}, 100)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				heard <- struct{}{}
				return
			}
			for range 3 {
				<-heard
			}
			w.Write([]byte(`{"success":true}`))
		}))
		defer s.Close()

		client := New(Options{URL: s.URL})
		defer client.Close()
		client.conn.hearing = &hearing{silence: time.Millisecond, patience: time.Minute, again: time.Millisecond}
		if _, err := op.GetAgentStatus.Call(t.Context(), client, parley.AgentStatusRequest{}); err != nil {
			t.Error(err)
		}
	})
}
