package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/internal/must"
	"parley/internal/testhome"
)

// An adapter is told what the message is, and says what came of it.
func TestAdapterSaysWhatCame(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		script string
		says   verdict
	}{
		"delivered": {`case $1 in send) cat >$LADDER_SOCKET.$2;; status) echo delivered;; esac`, arrived},
		"later":     {`[ $1 != status ] || if [ -e $LADDER_SOCKET.seen ]; then echo delivered; else echo waiting; >$LADDER_SOCKET.seen; fi`, arrived},
		"read":      {`[ $1 != status ] || echo read`, arrived},
		"submitted": {`[ $1 != status ] || echo submitted`, arrived},
		"unknown":   {`[ $1 != status ] || echo unknown`, not},
		"no rung":   {`[ $1 != status ] || echo ok`, waits},
		"failed":    {`[ $1 != status ] || echo failed`, not},
		"refused":   {`[ $1 != send ]`, not},
		"mute":      {`exit 0`, waits},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(dir, name)
			must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
			var a adapters
			must.Do(t, a.Set("tool="+program))
			home := &testhome.Home{Env: os.Environ(), Dir: dir, Workspace: dir}
			s := &stage{home: home, socket: filepath.Join(dir, name+"-socket")}

			must.Do(t, a.ways[0].prepare(s))
			if got := a.ways[0].send(s, "a text"); got != c.says {
				t.Errorf("got %v, want %v", got, c.says)
			}
			if name == "delivered" && string(must.Have(os.ReadFile(s.socket+".1"))(t)) != "a text" {
				t.Error("the adapter was not given the text")
			}
		})
	}
	for _, wrong := range []string{"tool", "=x", "tool=" + filepath.Join(dir, "missing")} {
		if err := new(adapters).Set(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

// A tool that has a terminal of its own has the scenes played there.
func TestAnAdapterBringsItsTerminal(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "parley") // the agent
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\necho Type a message; exec cat\n"), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	adapter := filepath.Join(dir, "adapter")
	must.Do(t, os.WriteFile(adapter, []byte("#!/bin/sh\n"+
		`[ $1 != prepare ] || { tmux -S "$LADDER_SOCKET.own" -f /dev/null new-session -d -s own "$LADDER_SHELL" && echo "$LADDER_SOCKET.own own"; }`+
		"\n"), 0o700))
	var a adapters
	must.Do(t, a.Set("tool="+adapter))

	home := must.Have(testhome.At(t.TempDir()))(t)
	t.Cleanup(func() { must.Do(t, os.RemoveAll(home.Dir)) })
	s := &stage{home: home, socket: filepath.Join(home.Dir, "tmux"), target: "s", log: filepath.Join(dir, "log")}
	must.Have(s.tmux("-f", "/dev/null", "new-session", "-d", "-s", "s", shell))(t)
	must.Do(t, a.ways[0].prepare(s))
	t.Cleanup(func() { must.Have(s.tmux("kill-server"))(t) })

	must.Do(t, s.keys("into the new one", "Enter"))
	must.Do(t, s.shows(t.Context(), "into the new one"))
	if s.target != "own" {
		t.Errorf("the scenes are played in %s", s.target)
	}
}
