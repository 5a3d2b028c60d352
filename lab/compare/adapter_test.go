package main

import (
	"os"
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
		ok     bool
	}{
		"delivered": {`case $1 in send) cat >$LADDER_SOCKET.$2;; status) echo delivered;; esac`, true},
		"later":     {`[ $1 != status ] || if [ -e $LADDER_SOCKET.seen ]; then echo delivered; else echo waiting; >$LADDER_SOCKET.seen; fi`, true},
		"failed":    {`[ $1 != status ] || echo failed`, false},
		"refused":   {`[ $1 != send ]`, false},
		"mute":      {`exit 0`, false},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(dir, name)
			must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
			var a adapters
			must.Do(t, a.Set("tool="+program))
			home := &testhome.Home{Env: os.Environ(), Dir: dir, Workspace: dir}
			s := &stage{home: home, socket: filepath.Join(dir, name+"-socket")}

			must.Do(t, a.ways[0].prepare(s))
			if got := a.ways[0].send(s, "a text"); got != c.ok {
				t.Errorf("got %v, want %v", got, c.ok)
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
