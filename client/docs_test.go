package client_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/must"
	"parley/op"
)

// Each block of Go on the page is part of an example, which runs and whose output is
// compared. Indentation and blank lines may differ.
func TestClientPageShowsTheExamples(t *testing.T) {
	page := must.Have(os.ReadFile("../docs/client.md"))(t)

	source := must.Have(os.ReadFile("example_client_test.go"))(t)

	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 7 {
		t.Errorf("the page has %d blocks of Go, want 7 at least", len(blocks))
	}

	examples := squeezed(string(source))
	for _, block := range blocks {
		if strings.HasPrefix(block[1], "package main") {
			checkProgram(t, block[1])
			continue
		}
		if !strings.Contains(examples, squeezed(block[1])) {
			t.Errorf("this is in no example:\n%s", block[1])
		}
	}
}

// checkProgram runs a whole program of the page in a workspace with this checkout, as the page says.
func checkProgram(t *testing.T, source string) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644))
	checkout := must.Have(filepath.Abs(".."))(t)

	address, _, stop := startDaemon()
	defer stop()
	hello := parley.RegisterAgentRequest{Username: "hello"}
	joined := must.Have(op.RegisterAgent.Call(t.Context(), client.New(client.Options{URL: address}), hello))(t)

	var last []byte
	for _, args := range [][]string{
		{"mod", "init", "hello"},
		{"work", "init", ".", checkout},
		{"vet", "."},
		{"run", ".", address, joined.APIKey},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath") // what `make test` has compiled is there
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		last = out
	}
	if got, want := string(last), "Message sent to operator!\n"; got != want {
		t.Errorf("the program printed %q, want %q", got, want)
	}
}

// squeezed returns Go code without what a formatter decides: spaces, line breaks, and the
// comma at the end of a list.
func squeezed(code string) string {
	code = strings.Join(strings.Fields(code), "")
	return strings.NewReplacer(",)", ")", ",}", "}").Replace(code)
}
