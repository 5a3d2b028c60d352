package door_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/must"
	"parley/program/door"
)

// peer is a session that listens on a socket for messages of a form, and says so in a registry. Its process is the
// test's.
type peer[F any] struct {
	kind, version     string
	dir, home, socket string
	said              map[string]any // in the registry

	mu  sync.Mutex
	got []F
}

// start serves the session of a program that looks for its files in a home that this process has been given in a
// variable. hear is called for each line that comes in.
func (p *peer[F]) start(t *testing.T, homeVariable string, said map[string]any, hear func(line []byte)) {
	p.home = os.Getenv(homeVariable)
	must.Do(t, os.RemoveAll(p.home))
	must.Do(t, os.MkdirAll(filepath.Join(p.home, "sessions"), 0o700))
	p.dir = t.TempDir()
	must.Do(t, door.Launch{}.Write(p.dir))

	p.socket = filepath.Join(shortDir(t), fmt.Sprint(os.Getpid(), ".sock"))
	serveLines(t, p.socket, func(_ net.Conn, line []byte) { hear(line) })
	p.said = said
	p.said["pid"] = os.Getpid()
	p.register(t)
}

// writes adds lines to a file in its home.
func (p *peer[F]) writes(t *testing.T, name, lines string) {
	t.Helper()
	path := filepath.Join(p.home, name)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	file := must.Have(os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t)
	must.Have(file.WriteString(lines))(t)
	must.Do(t, file.Close())
}

// Who keeps talking to an inbox does not keep it open.
func TestInboxesCloseUnderThoseWhoTalk(t *testing.T) {
	f := startClaude(t)
	d := must.Have(door.Open(t.Context(), f.program()))(t)
	must.Do(t, d.Give(t.Context(), letter(1)))
	must.Become(t, "it has the letter", func() bool { return len(f.frames()) == 1 })

	talk := must.Have(net.Dial("unix", strings.TrimPrefix(f.frames()[0].From, "uds:")))(t)
	defer talk.Close()
	must.Have(fmt.Fprintln(talk, status("held", letter(1).ID, "")))(t)
	must.Become(t, "it is heard", func() bool {
		return must.Have(d.Ask(t.Context(), letter(1)))(t).Fate == door.Queued
	})
	ended := make(chan error, 1)
	go func() { ended <- d.Close() }()
	must.Become(t, "it is closed", func() bool {
		_, _ = fmt.Fprintln(talk, "{}") // while it is open
		return len(ended) > 0
	})
	must.Do(t, <-ended)
}

// shortDir returns a directory in which a socket's path is short enough.
func shortDir(t *testing.T) string {
	dir := must.Have(os.MkdirTemp("/tmp", "socks"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serveLines serves a socket until the test ends.
func serveLines(t *testing.T, socket string, hear func(conn net.Conn, line []byte)) net.Listener {
	listener := must.Have(net.Listen("unix", socket))(t)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				lines := bufio.NewScanner(conn)
				lines.Buffer(nil, 1<<22)
				for lines.Scan() {
					hear(conn, lines.Bytes())
				}
			}()
		}
	}()
	return listener
}

func (p *peer[F]) register(t *testing.T) {
	t.Helper()
	text := must.Have(json.Marshal(p.said))(t)
	must.Do(t, os.WriteFile(filepath.Join(p.home, "sessions", fmt.Sprint(os.Getpid(), ".json")), text, 0o600))
}

func (p *peer[F]) program() door.Program {
	return door.Program{Kind: p.kind, PID: os.Getpid(), Dir: p.dir, Versions: []string{p.version}}
}

func (p *peer[F]) open(t *testing.T) door.Door {
	t.Helper()
	d := must.Have(door.Open(t.Context(), p.program()))(t)
	t.Cleanup(func() { d.Close() })
	return d
}

func (p *peer[F]) frames() []F {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got)
}
