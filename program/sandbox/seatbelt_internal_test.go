package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/internal/must"
)

// rule is a rule of a profile about paths.
var rule = regexp.MustCompile(`(?m)^\((allow|deny) ([a-z*\- ]+) \(subpath "([^"]+)"\)\)$`)

// allows reports what the last rule of a profile says of a path. Nothing else of a profile can be tried here.
func allows(profile, operation, path string) (yes bool) {
	for _, r := range rule.FindAllStringSubmatch(profile, -1) {
		if within(path, r[3]) && strings.Contains(r[2], operation) {
			yes = r[1] == "allow"
		}
	}
	return yes
}

// On macOS a sandbox shows what it shows on Linux. That seatbelt takes the profile was not tried.
func TestTheProfileOfMacOS(t *testing.T) {
	top := must.Have(filepath.EvalSymlinks(t.TempDir()))(t)
	at := func(name string) string { return filepath.Join(top, name) }
	for _, name := range []string{
		"repo/.git/objects", "repo/.git/hooks", "repo/.git/worktrees/coder", "repo/.worktrees/coder/src",
		"state/agents/ID", "state/agents/OTHER", "state/own/ID", "state/homes/ID", "tools", ".ssh", ".claude",
	} {
		must.Do(t, os.MkdirAll(at(name), 0o700))
	}
	must.Do(t, os.WriteFile(at("repo/.worktrees/coder/.git"), nil, 0o600))
	must.Do(t, os.WriteFile(at(".claude/auth.json"), nil, 0o600))
	home := Home{Path: at("state/homes/ID"), User: top, Shared: []string{".claude/auth.json"}, Links: true}
	p := Plan{
		Dir: at("repo/.worktrees/coder"), Program: "/bin/sh", Private: at("state/agents/ID"),
		Socket: at("state/own/ID"), Home: home.Path, Shared: must.Have(home.Make())(t), Read: []string{at("tools")},
		Git: &Git{
			Top: at("repo/.worktrees/coder"), Common: at("repo/.git"), Dir: at("repo/.git/worktrees/coder"),
			Branch: "parley/coder",
		},
	}
	must.Do(t, p.Git.Prepare())
	profile := p.profile(p.mounts())

	for path, want := range map[string][2]bool{ // reads, writes
		"repo/.worktrees/coder/src": {true, true}, "repo/.worktrees/coder/.git": {true, false},
		"repo/.git/objects/x": {true, true}, "repo/.git/hooks/x": {true, false}, "repo/.git/config": {true, false},
		"repo/.git/refs/heads/parley/coder/x": {true, true}, "repo/.git/refs/heads/main": {true, false},
		"repo/.git/worktrees/coder/index": {true, true}, "repo/.git/worktrees/coder/config.worktree": {true, false},
		"state/agents/ID/briefing": {true, false}, "state/agents/OTHER/key": {}, "state/own/ID/s": {true, true},
		"state/homes/ID/tmp/x": {true, true}, "state/data": {}, "tools/x": {true, false}, ".ssh/id": {},
		".claude/auth.json": {true, true}, ".claude/settings.json": {}, "repo/Makefile": {},
	} {
		got := [2]bool{allows(profile, "file-read*", at(path)), allows(profile, "file-write*", at(path))}
		if got != want {
			t.Errorf("%s: it reads and writes: %v, want %v", path, got, want)
		}
	}
	if got := must.Have(os.Readlink(at("state/homes/ID/.claude/auth.json")))(t); got != at(".claude/auth.json") {
		t.Errorf("the sign-in leads to %s", got)
	}
	if strings.Count(profile, "(") != strings.Count(profile, ")") {
		t.Error("the brackets of the profile do not match")
	}
	for offline, want := range map[bool]bool{false: true, true: false} {
		p.Offline = offline
		if got := strings.Contains(p.profile(nil), "(remote ip)"); got != want {
			t.Errorf("without a network: %v; it has one: %v", offline, got)
		}
	}
}
