package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// rooms are the screens, by the beginning of the names of their files. The tiles belong to the agents.
var rooms = map[string]string{
	"agents": "agents", "tiles": "agents", "compose": "compose", "health": "health", "needs": "needs",
	"threads": "threads", "traffic": "traffic",
}

// shellFiles begin so. The shell knows all rooms; what belongs to neither is the kit, which knows none.
var shellFiles = []string{
	"columns", "commands_new", "copy", "drag", "feed", "goto", "input.", "keys_setting", "keys_table", "launch",
	"model", "mouse.", "open.", "pace", "palette", "resize", "shell", "status_line", "tui", "view", "workspaces",
}

const (
	shellRoom = "the shell"
	kitRoom   = "the kit"
)

func roomOf(file string) string {
	first, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	if room := rooms[first]; room != "" {
		return room
	}
	if slices.ContainsFunc(shellFiles, func(begins string) bool { return strings.HasPrefix(file, begins) }) {
		return shellRoom
	}
	return kitRoom
}

// No screen uses what another one declares, and the kit knows neither the screens nor the shell.
func TestNoScreenKnowsASister(t *testing.T) {
	for _, problem := range climbs(t, sourcesHere(t)) {
		t.Error(problem)
	}
}

func TestAClimbBetweenRoomsIsReported(t *testing.T) {
	got := climbs(t, map[string]string{
		"agents_a.go":  "package tui\ntype order int\nfunc (order) next() {}",
		"tiles.go":     "package tui\nvar first order",
		"needs.go":     "package tui\nvar second order\nfunc f(m model) { kit() }",
		"text.go":      "package tui\nfunc kit() { var order int; _ = order; _ = third }",
		"model.go":     "package tui\ntype model struct { order }\nvar third order",
		"traffic_b.go": "package tui\nvar x struct { order int }\nvar y = x.order",
	})
	want := []string{
		"needs.go (needs) uses model of the shell",
		"needs.go (needs) uses order of agents",
		"text.go (the kit) uses third of the shell",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// sourcesHere returns the files of this package that are shipped.
func sourcesHere(t *testing.T) map[string]string {
	t.Helper()
	sources := map[string]string{}
	for _, entry := range must.Have(os.ReadDir("."))(t) {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			sources[name] = string(must.Have(os.ReadFile(name))(t))
		}
	}
	return sources
}

// climbs returns where a file uses a name of the package that its room must not know.
func climbs(t *testing.T, sources map[string]string) (problems []string) {
	t.Helper()
	files := map[string]*ast.File{}
	owner := map[string]string{} // room, by the names that are declared
	for name, source := range sources {
		file := must.Have(parser.ParseFile(token.NewFileSet(), name, source, 0))(t)
		files[name] = file
		for declared := range file.Scope.Objects {
			owner[declared] = roomOf(name)
		}
	}

	for name, file := range files {
		mine := roomOf(name)
		if mine == shellRoom {
			continue
		}
		// What the parser resolves within a file is a local name, or one of the file.
		for _, used := range file.Unresolved {
			if theirs := owner[used.Name]; theirs != "" && theirs != mine && theirs != kitRoom {
				problems = append(problems, name+" ("+mine+") uses "+used.Name+" of "+theirs)
			}
		}
	}

	slices.Sort(problems)

	return slices.Compact(problems)
}
