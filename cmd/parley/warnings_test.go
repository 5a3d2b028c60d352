package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/place"
)

// A command calls the daemon many times, and says once what each of the calls finds.
func TestACommandWarnsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "err")
	o := &output{err: must.Have(os.Create(path))(t), warned: &warnings{}}
	for range 3 {
		o.warnOfVersion(&daemon.Info{Version: "0.0.1"})
		o.warnOfTrust(place.Place{}, &daemon.Info{Withheld: "parley.yaml is not trusted"})
	}
	o.warnOfVersion(&daemon.Info{Version: "0.0.2"}) // another daemon has begun meanwhile

	text := string(must.Have(os.ReadFile(path))(t))
	for part, want := range map[string]int{"version 0.0.1": 1, "version 0.0.2": 1, "is not trusted": 1, "→": 3} {
		if got := strings.Count(text, part); got != want {
			t.Errorf("%q stands there %d times, want %d:\n%s", part, got, want, text)
		}
	}
}
