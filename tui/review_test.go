package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

// reviewing is the review of coder, who has a worktree.
func reviewing(t *testing.T, f *fakeService, w, h int) *stage {
	s := newScreen(t, f, w, h)
	s.choose("coder")
	s.press("d")
	s.shows("Review of coder")
	return s
}

func TestAReviewShowsWhatHasChanged(t *testing.T) {
	s := reviewing(t, busyTeam(), 140, 40)
	s.shows("3 files +4 −2", "2 ahead of main · parley/coder", "parser.go", "docs/", "new.md ← old.md", "binary",
		"staged",
		"new file mode 100644, binary", "10 ", "-    return nil, errEmpty", "␛[31mred",
		"≈ tester changes it, too: v shows both")
	s.press("n", "n")
	s.shows("▸ @@ -40,3")
	s.press("]")
	s.shows("▸ docs/new.md")
	s.press("[", "tab", "j")
	s.shows("▸ ")
	s.press("esc", "esc")
	s.hides("Review of coder")

	f := busyTeam()
	f.work = "none"
	reviewing(t, f, 80, 24).shows("Nothing has changed since coder began.")
}

// Comments go as one message, with file, line and quote. They are kept until that is sent.
func TestCommentsAreSentAsOneMessage(t *testing.T) {
	f := busyTeam()
	s := reviewing(t, f, 120, 40)
	s.press("r")
	s.shows("No comments yet.")
	s.press("n", "j", "j", "c")
	s.shows("Comment on parser.go:11")
	s.enters("Why is that gone?")
	s.shows("» Why is that gone?", "1 comment")
	s.press("n", "c")
	s.enters("Too much.")
	s.press("esc")
	s.shows("2 comments for coder kept. d opens the review again.")

	s.press("q")
	s.shows("Not sent: 2 comments for coder.")
	s.press("d")
	s.shows("» Too much.", "2 comments")
	s.press("r")
	s.shows("Review to coder", "Review of your changes since 0123456789abcdef: 2 comments.")

	f.err = parley.Errorf(parley.RateLimited, "the disk is full")
	s.press("enter")
	s.shows("the disk is full", "» Too much.", "2 comments")
	f.err = nil
	s.press("enter")
	s.hides("» Too much.", "2 comments")

	sent := f.sent[len(f.sent)-1]
	want := "Review of your changes since 0123456789abcdef: 2 comments.\n\n" +
		"parser.go:11 (removed): -    return nil, errEmpty\nWhy is that gone?\n\n" +
		"parser.go: @@ -40,3 +41,4 @@ func (t *tree) walk() {\nToo much."
	if fmt.Sprint(sent.To) != fmt.Sprint(parley.Names{agentID("coder")}) || sent.Text != want {
		t.Errorf("sent %q to %v, want %q", sent.Text, sent.To, want)
	}
}

func TestACommentIsDroppedOnlyAfterConfirmation(t *testing.T) {
	s := reviewing(t, busyTeam(), 120, 40)
	s.press("n", "j", "c")
	s.enters("Hm.")
	s.press("x", "n")
	s.shows("» Hm.")
	s.press("x", "y")
	s.hides("» Hm.")
}

// A merge shows what happens, and does it in the way that is chosen.
func TestAMergeIsSeenBeforeItHappens(t *testing.T) {
	for keys, want := range map[string]parley.FinishWorktreeRequest{
		"1":   {Merge: true, How: parley.MergedFast, Keep: true},
		"2":   {Merge: true, How: parley.MergedCommit, Keep: true},
		"D3":  {Merge: true, How: parley.MergedSquash, Remove: true},
		"Dk2": {Merge: true, How: parley.MergedCommit, Keep: true},
	} {
		f := busyTeam()
		s := reviewing(t, f, 100, 30)
		s.press("m")
		s.shows("Merge parley/coder into main", "2 commits that main lacks", "tester changes, too: parser.go")
		s.typed(keys)
		want.Agent = agentID("coder")
		if got := fmt.Sprint(f.finished); got != fmt.Sprint([]parley.FinishWorktreeRequest{want}) {
			t.Errorf("%s did %s, want %+v", keys, got, want)
		}
		s.shows("parley/coder merged into main")
	}

	f := busyTeam()
	f.merge = &parley.PreviewMergeResult{Ahead: 1, Behind: 1, Conflicts: []string{"parser.go"},
		Refused:  "They conflict. Ask coder.",
		Worktree: parley.Worktree{Branch: "parley/coder", Base: "main"}}
	s := reviewing(t, f, 100, 30)
	s.press("m")
	s.shows("git cannot merge them", "parser.go", "They conflict. Ask coder.")
	s.press("1", "2", "esc")
	if len(f.finished) > 0 {
		t.Errorf("did %v", f.finished)
	}
	s.shows("Nothing was merged.")
}

func TestARemovalSaysWhatIsLost(t *testing.T) {
	f := busyTeam()
	s := reviewing(t, f, 140, 30)
	s.press("D")
	s.shows("throw this away: 2 commits that main lacks; ignored by git: out/?")
	s.press("n")
	if len(f.finished) > 0 {
		t.Errorf("did %v", f.finished)
	}
	s.press("D", "y")
	want := parley.FinishWorktreeRequest{Agent: agentID("coder"), Remove: true, Discard: true, Force: true}
	if len(f.finished) != 1 || f.finished[0] != want {
		t.Errorf("did %+v, want %+v", f.finished, want)
	}
	s.hides("Review of coder")
}

// What another agent changes in the same file stands beside it, or below where there is little room.
func TestTwoAgentsChangesSideBySide(t *testing.T) {
	for w, want := range map[int]bool{140: true, 90: false} {
		s := reviewing(t, busyTeam(), w, 40)
		s.press("n", "v")
		s.shows("▸ coder ─", "─ tester ─")
		if strings.Count(s.text(), "func parse(") != 2 {
			t.Errorf("at %d not both are shown:\n%s", w, s.text())
		}
		for line := range strings.SplitSeq(s.text(), "\n") {
			if strings.Contains(line, "▸ coder ─") && strings.Contains(line, "─ tester ─") != want {
				t.Errorf("at %d side by side is %v, want %v", w, !want, want)
			}
		}
		s.press("v")
		s.hides("─ tester ─")
	}
}

// A long diff is drawn as fast as a short one, and fits.
func TestALongDiffIsFast(t *testing.T) {
	f := busyTeam()
	f.work = manyLines(20_000)
	s := reviewing(t, f, 100, 30)
	begun := time.Now()
	for _, key := range []string{"G", "g", "pgdown", "j", "G", "k"} {
		s.press(key)
		s.fits(key)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("six keys took %v", took)
	}
	if s.m.scope() != room.InReview {
		t.Error("the review is gone")
	}
}

// A key that is held has git look once, and once more when it rests.
func TestAHeldKeyReadsOnce(t *testing.T) {
	for key, reads := range map[string]int{"F": 2, "v": 1, "D": 1} { // F reads the changes, and what a merge would do
		f := busyTeam()
		s := reviewing(t, f, 140, 30)
		before := f.gitAsked
		var held []tea.Cmd
		for range 30 {
			_, cmd := s.m.Update(keyMsg(key))
			held = append(held, cmd)
		}
		for _, cmd := range held {
			s.run(cmd, 0)
		}
		if got, most := f.gitAsked-before, 2*reads; got < reads || got > most {
			t.Errorf("%s held for 30 repeats asks git %d times, want %d to %d", key, got, reads, most)
		}
	}
}
