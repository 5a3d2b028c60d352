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
)

// A person reviews what an agent has changed on a phone, and merges it.
func TestReviewInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := startBrowser(t)
	h := testhome.New(t)
	git := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.org"}, args...)...)
		cmd.Dir, cmd.Env = dir, h.Env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
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
	write(work, "login.go", "package login\n\nfunc find() error {\n\tif user == nil {\n\t\treturn errNone // <b>\n\t}\n\treturn nil\n}\n")
	write(work, "new.md", "hello\n")
	git(work, "add", ".")
	git(work, "commit", "-qm", "find what is not there")

	p := &pageTest{h: h, browser: browser}
	x := p.opens(t, 360, 740)
	x.goes("agent/coder")
	x.until(`document.querySelector('a[href="#/review/coder"]')`)
	x.goes("review/coder")
	line := func(text string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.dl')].find(l => l.textContent.includes(%q))", text)
	}
	x.until(line("errNone // <b>"))
	js[bool](x, "("+line("errNone // <b>")+".click(), true)")
	x.writes(".comment textarea", "Say which user.")
	js[bool](x, "("+line("+hello")+".click(), true)")
	x.until("document.querySelectorAll('.comment').length == 2")
	js[bool](x, `(b => { b.value = 'A greeting?'; b.dispatchEvent(new Event('input')); return true })(document.querySelectorAll('.comment textarea')[1])`)
	x.shows("2 comments")
	x.fits("a review")
	x.picture("review-phone")
	x.confirms(".dock", "Send as one message", "document.querySelector('.receipt .state')")

	found := testhome.Run[parley.SearchMessagesResult](t, h, "find", "Review").Messages
	want := []string{"login.go:5: +\t\treturn errNone // <b>\nSay which user.", "new.md:1: +hello\nA greeting?", "2 comments"}
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
	x.confirms(".finish", "Remove", "document.querySelector('.finish .card.failed')")
	x.picture("review-refused")
	if _, err := os.Stat(filepath.Join(work, "half.md")); err != nil {
		t.Errorf("work that was not committed: %v", err)
	}
	must.Do(t, os.Remove(filepath.Join(work, "half.md")))
	x.taps(".finish", "Keep it")
	x.confirms(".finish", "Merge and remove", "document.querySelector('.outcome')")
	x.shows("is merged into main")
	if log := git(h.Workspace, "log", "--oneline", "main"); !strings.Contains(log, "find what is not there") {
		t.Errorf("main has\n%s", log)
	}
	x.clean()
}
