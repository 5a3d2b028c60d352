package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"parley"
	"parley/client"
	"parley/httpapi"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator"
	"parley/orchestrator/settings"
	"parley/store"
	"parley/store/storetest"
	"parley/tmux"
)

// operatorKey is the API key that makes a caller the operator.
const operatorKey = "the-operator"

// maxFile is the largest file that the tests' daemon stores, in bytes.
const maxFile = 4_000_000

// daemon is what `parley serve` runs, in this process: the service over a database
// and a tmux server of its own, behind its HTTP handler.
type daemon struct {
	*orchestrator.Orchestrator
	http.Handler
	close func() error
}

// newDaemon starts a daemon, which ends with the test.
func newDaemon(t *testing.T) *daemon {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}

	d := must.Have(openDaemon())(t)
	t.Cleanup(func() {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})

	return d
}

func openDaemon() (*daemon, error) {
	dir, err := os.MkdirTemp("/tmp", "pc") // short, because a socket is in it
	if err != nil {
		return nil, err
	}

	path := filepath.Join(dir, "parley.db")
	if err := storetest.Prepare(path); err != nil {
		return nil, err
	}

	rows, err := store.Open(context.Background(), store.Options{Path: path})
	if err != nil {
		return nil, err
	}

	service, err := orchestrator.New(context.Background(), orchestrator.Options{
		Store:     rows,
		Tmux:      tmux.Options{Path: filepath.Join(dir, "tmux"), Dir: dir},
		Workspace: dir,
		LaunchDir: filepath.Join(dir, "launch"),
		State:     dir,
		Settings:  settings.Settings{Storage: settings.Storage{MaxFileMB: maxFile / 1_000_000}},
	})
	if err != nil {
		return nil, err
	}

	d := &daemon{Orchestrator: service}
	d.Handler = httpapi.New(httpapi.Options{
		Service: service, Files: service.Files, Registration: true,
		SameUser: func(*http.Request) bool { return true },
		Authenticate: func(ctx context.Context, key string) (parley.Caller, bool) {
			if key == operatorKey {
				return service.Callers.Operator(), true
			}
			return service.Callers.Authenticate(ctx, key)
		},
	})

	d.close = func() error {
		ctx := parley.WithCaller(context.Background(), service.Callers.Operator())
		_, stopped := op.ShutDown.Call(ctx, service, parley.ShutDownRequest{})
		for _, err := range []error{stopped, service.Close(), rows.Close(), os.RemoveAll(dir)} {
			if err != nil {
				return fmt.Errorf("end the daemon: %w", err)
			}
		}
		return nil
	}

	return d, nil
}

// register makes a mailbox agent, without the client, and returns its key.
func (d *daemon) register(t *testing.T, name string) (key string) {
	t.Helper()
	res := must.Have(op.RegisterAgent.Call(t.Context(), d, parley.RegisterAgentRequest{Username: name}))(t)
	return res.APIKey
}

// unread counts the messages in an agent's inbox, without the client.
func (d *daemon) unread(t *testing.T, key string) int {
	t.Helper()
	caller, ok := d.Callers.Authenticate(t.Context(), key)
	if !ok {
		t.Fatalf("nobody has the key %q", key)
	}
	inbox := must.Have(op.CheckInbox.Call(parley.WithCaller(t.Context(), caller), d, parley.CheckInboxRequest{}))(t)
	return inbox.UnreadCount
}

// startDaemon starts a daemon for an example: the address that `parley status`
// prints, and the operator, to whom every agent can write.
func startDaemon() (address string, operator *client.Client, stop func()) {
	d, err := openDaemon()
	if err != nil {
		panic(err)
	}

	server := httptest.NewServer(d)
	stop = sync.OnceFunc(func() {
		server.Close()
		_ = d.close() // the example has shown what it is about
	})

	return server.URL, client.New(client.Options{URL: server.URL, Key: operatorKey}), stop
}
