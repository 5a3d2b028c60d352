package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

// gitOf runs git for a test, which fails where git does.
func gitOf(t *testing.T, h *testhome.Home) func(dir string, args ...string) string {
	return func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.org"},
			args...)...)
		cmd.Dir, cmd.Env = dir, h.Env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
}

// A person reviews what an agent has changed on a phone, and merges it.
func TestReviewInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := testpage.Start(t)
	h := testhome.New(t)
	git := gitOf(t, h)
	write := func(dir, name, text string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	git(h.Workspace, "init", "-q", "-b", "main")
	write(h.Workspace, "login.go", "package login\n\nfunc find() error {\n\treturn nil\n}\n")
	write(h.Workspace, ".gitignore", ".parley/\n")
	git(h.Workspace, "add", ".")
	git(h.Workspace, "commit", "-qm", "first")

	res := testhome.Run[parley.LaunchAgentResult](t, h, "launch", "coder", "--worktree", "--",
		"parley", "demo-agent", "--on", ".", "--reply", "Done.", "--work", "10ms")
	work := res.Worktree.Path
	write(work, "login.go", "package login\n\nfunc find() error {\n\tif user == nil {\n\t\treturn errNone // "+
		"<b>\n\t}\n\treturn nil\n}\n")
	write(work, "new.md", "hello\n")
	git(work, "add", ".")
	git(work, "commit", "-qm", "find what is not there")

	p := &pageTest{h: h, browser: browser}
	x := p.opens(t, 360, 740)
	x.Goes("agent/coder")
	x.Until(`document.querySelector('a[href="#/review/coder"]')`)
	x.Goes("review/coder")
	line := func(text string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.dl')].find(l => l.textContent.includes(%q))", text)
	}
	x.Until(line("errNone // <b>"))
	testpage.JS[bool](x, "("+line("errNone // <b>")+".click(), true)")
	x.Writes(".comment textarea", "Say which user.")
	testpage.JS[bool](x, "("+line("+hello")+".click(), true)")
	x.Until("document.querySelectorAll('.comment').length == 2")
	testpage.JS[bool](x, `(b => { b.value = 'A greeting?'; b.dispatchEvent(new Event('input')); return true `+
		`})(document.querySelectorAll('.comment textarea')[1])`)
	x.Shows("2 comments")
	x.Fits("a review")
	x.Picture("review-phone")
	x.Confirms(".dock", "Send as one message", "document.querySelector('.receipt .state')")

	found := testhome.Run[parley.SearchMessagesResult](t, h, "find", "Review").Messages
	want := []string{"login.go:5: +\t\treturn errNone // <b>\nSay which user.", "new.md:1: +hello\nA greeting?",
		"2 comments"}
	if len(found) != 1 {
		t.Fatalf("%d messages were sent", len(found))
	}
	text := testhome.Run[parley.MessageStatusResult](t, h, "message", found[0].MessageID).Object.Text
	for _, part := range want {
		if !strings.Contains(text, part) {
			t.Errorf("the message lacks %q:\n%s", part, text)
		}
	}

	// What is not committed is kept, whatever is tapped.
	write(work, "half.md", "not done\n")
	x.Confirms(".finish", "Remove", "document.querySelector('.finish .card.failed')")
	x.Picture("review-refused")
	if _, err := os.Stat(filepath.Join(work, "half.md")); err != nil {
		t.Errorf("work that was not committed: %v", err)
	}
	must.Do(t, os.Remove(filepath.Join(work, "half.md")))
	x.Taps(".finish", "Keep it")
	x.Confirms(".finish", "Merge and remove", "document.querySelector('.outcome')")
	x.Shows("is merged into main")
	if log := git(h.Workspace, "log", "--oneline", "main"); !strings.Contains(log, "find what is not there") {
		t.Errorf("main has\n%s", log)
	}
	x.Clean()
}
