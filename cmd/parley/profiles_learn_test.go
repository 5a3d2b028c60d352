package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/internal/must"
)

// A program is learned in an empty directory, and launched in others.
func TestPathsOfALearnedCommandAreWhole(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must.Do(t, os.Mkdir("bin", 0o700))
	for _, name := range []string{"robot.js", "bin/robot", "chat"} {
		must.Do(t, os.WriteFile(name, nil, 0o700))
	}
	at := func(name string) string { return filepath.Join(dir, name) }

	k := &profileLearn{cli: newCLI(program{})}
	k.cli.at.dir = dir
	for _, c := range [][2][]string{
		{{"node", "./robot.js", "--offline"}, {"node", at("robot.js"), "--offline"}},
		{{"bin/robot", "chat", "robot.js"}, {at("bin/robot"), "chat", at("robot.js")}},
		{{"robot.js", "bin", "gpt-5.1", "https://x/robot.js"}, {"robot.js", "bin", "gpt-5.1", "https://x/robot.js"}},
	} {
		if got := k.whole(c[0]); !slices.Equal(got, c[1]) {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
}
