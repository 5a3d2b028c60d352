package overlap

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store/storetest"
)

// stage is a watcher over a repository with one commit, and agents in it.
type stage struct {
	*Watcher
	t      *testing.T
	top    string
	now    time.Time
	told   []string
	keys   []string
	paused bool
}

func newStage(t *testing.T, mode string) *stage {
	t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "Test")
		t.Setenv("GIT_"+who+"_EMAIL", "test@example.com")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_COMMITTER_DATE", noon.Format(time.RFC3339))

	s := &stage{t: t, top: must.Have(filepath.EvalSymlinks(t.TempDir()))(t), now: noon.Add(time.Hour)}
	s.git(s.top, "init", "-q", "-b", "main")
	s.write(s.top, "a.go", "one\n")
	s.commit(s.top)

	log := slog.New(slog.DiscardHandler)
	db := storetest.Open(t)
	roster := must.Have(team.Load(t.Context(), db, s.clock, log))(t)
	t.Cleanup(roster.Close)
	s.Watcher = New(Options{Store: db, Roster: roster, Mode: mode, Notify: s.notify, Now: s.clock, Log: log})

	return s
}

func (s *stage) clock() time.Time { return s.now }

func (s *stage) notify(_ context.Context, to *team.Member, text, key string) error {
	if s.paused {
		return parley.Errorf(parley.CommunicationDisabled, "paused")
	}
	if slices.Contains(s.keys, key) {
		s.t.Errorf("the key %q is that of another notice", key)
	}
	s.keys = append(s.keys, key)
	s.told = append(s.told, to.Name+": "+text)
	return nil
}

func (s *stage) git(dir string, words ...string) {
	s.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, words...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %q: %v: %s", words, err, out)
	}
}

func (s *stage) commit(dir string) {
	s.t.Helper()
	s.git(dir, "add", "-A")
	s.git(dir, "commit", "-q", "-m", "work")
}

func (s *stage) write(dir, name, text string) {
	s.t.Helper()
	must.Do(s.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// agent adds an agent in a directory, with a worktree of its own if that is another one than the repository.
func (s *stage) agent(id, dir string) string {
	s.t.Helper()
	a := parley.Agent{ID: id, Name: id, Kind: parley.KindTerminal, State: parley.StateIdle, Dir: dir}
	if dir != s.top {
		s.git(s.top, "worktree", "add", "-q", "-b", id, dir)
		a.Worktree = &parley.Worktree{Path: dir, Branch: id, Base: "main", Repository: s.top}
	}
	m := team.NewMember(a)
	m.SetTerminal(&team.Terminal{Profile: &profile.Profile{}})
	s.works(m)
	s.opts.Roster.Add(m)
	return dir
}

// works notes output of an agent's terminal.
func (s *stage) works(m *team.Member) { m.Terminal().LastOutput.Store(s.now.UnixNano()) }

// looks lets some time pass, looks once, and returns the files that are at odds.
func (s *stage) looks() string {
	s.t.Helper()
	s.now = s.now.Add(lookEvery)
	must.Do(s.t, s.look(s.t.Context()))
	var all []string
	for _, o := range s.current() {
		if o.Gone.IsZero() {
			all = append(all, strings.Join(o.Agents[:], "+")+" "+o.Name)
		}
	}
	return strings.Join(all, ", ")
}

// wants compares the files that are at odds.
func (s *stage) wants(when, want string) {
	s.t.Helper()
	if got := s.looks(); got != want {
		s.t.Errorf("%s: got %q, want %q", when, got, want)
	}
}

func TestWorktreesApart(t *testing.T) {
	s := newStage(t, Tell)
	kim := s.agent("kim", filepath.Join(s.top, "..", "kim"))
	lea := s.agent("lea", filepath.Join(s.top, "..", "lea"))
	s.write(kim, "a.go", "of kim\n")
	s.write(kim, "new.go", "of kim\n")
	s.write(lea, "b.go", "of lea\n")
	s.wants("before", "")

	s.write(lea, "a.go", "of lea\n")
	s.wants("while nobody works", "")
	s.works(s.opts.Roster.ByID("lea"))
	s.wants("both changed it", "kim+lea a.go")
	s.commit(lea)
	s.commit(kim)
	s.wants("both committed it", "kim+lea a.go")
	if len(s.told) != 2 || !strings.HasPrefix(s.told[0], "kim: lea has changed a.go") ||
		!strings.HasPrefix(s.told[1], "lea: kim ") {
		t.Errorf("told: %q", s.told)
	}

	n := s.Needs()
	if len(n) != 1 || n[0].Kind != parley.NeedOverlap || n[0].Agent != "kim" ||
		n[0].Text != "changes a.go, as lea does" ||
		!strings.Contains(n[0].Action, "Both are told") {
		t.Errorf("the needs are %+v", n)
	}

	// The next daemon knows what was told.
	next := New(s.opts)
	next.set(must.Have(s.opts.Store.Workspace.Overlaps(t.Context(), false))(t))
	if diff := cmp.Diff(s.current(), next.current()); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}

	s.git(s.top, "merge", "-q", "kim")
	s.wants("one is merged", "")
	if len(s.Needs()) != 0 || len(s.told) != 2 {
		t.Errorf("afterwards: %+v, told %q", s.Needs(), s.told)
	}
}

// A history has each file once, with all that change it, also when it is over, and by the daemon of any host.
func TestSharedFilesAreRemembered(t *testing.T) {
	s := newStage(t, Show)
	kim, lea, mia := s.agent("kim", filepath.Join(s.top, "..", "kim")), s.agent("lea",
		filepath.Join(s.top, "..", "lea")), s.agent("mia", filepath.Join(s.top, "..", "mia"))
	s.write(kim, "a.go", "of kim\n")
	s.write(lea, "a.go", "of lea\n")
	s.wants("two changed it", "kim+lea a.go")
	began := s.now
	s.write(mia, "a.go", "of mia\n")
	s.works(s.opts.Roster.ByID("mia"))
	s.wants("and a third", "kim+lea a.go, kim+mia a.go, lea+mia a.go")

	want := []parley.SharedFile{{Name: "a.go", Agents: []string{"kim", "lea", "mia"}, Apart: true, Since: began}}
	if diff := cmp.Diff(want, must.Have(s.Shared(t.Context(), began.Add(time.Minute)))(t)); diff != "" {
		t.Errorf("while it is so (-want +got):\n%s", diff)
	}

	s.git(kim, "checkout", "a.go")
	s.git(lea, "checkout", "a.go")
	s.wants("two have left it", "")
	want[0].Until = s.now
	later := New(s.opts)
	if diff := cmp.Diff(want, must.Have(later.Shared(t.Context(), s.now))(t)); diff != "" {
		t.Errorf("when it is over (-want +got):\n%s", diff)
	}
	if got := must.Have(later.Shared(t.Context(), s.now.Add(1)))(t); len(got) != 0 {
		t.Errorf("since then: %+v", got)
	}
	s.opts.Mode = Off
	if got := must.Have(New(s.opts).Shared(t.Context(), began))(t); len(got) != 0 {
		t.Errorf("with overlaps off: %+v", got)
	}
}

func TestOneDirectory(t *testing.T) {
	s := newStage(t, Tell)
	s.agent("kim", s.top)
	s.agent("lea", s.top)
	a := filepath.Join(s.top, "a.go")
	s.write(s.top, "a.go", "by a person\n")
	s.wants("a person changed it", "")

	s.Note("kim", a, s.now)
	s.wants("one edited it", "")
	s.paused = true
	s.Note("lea", a, s.now)
	s.wants("both edited it", "kim+lea a.go")
	s.paused = false
	s.wants("later", "kim+lea a.go")
	if len(s.told) != 2 || !strings.Contains(s.told[0], "in this directory") {
		t.Errorf("told: %q", s.told)
	}

	t.Setenv("GIT_COMMITTER_DATE", s.now.Format(time.RFC3339))
	s.commit(s.top)
	s.wants("committed", "")
	s.write(s.top, "a.go", "by lea\n")
	s.Note("lea", a, s.now.Add(time.Second))
	s.wants("only lea edited it since", "")
	s.Note("kim", a, s.now.Add(time.Second))
	s.wants("both again", "kim+lea a.go")

	s.now = s.now.Add(fresh)
	s.wants("long ago", "")
}

// An agent of the repository itself, and one of a worktree; outside of any repository, too.
func TestRepositoryAndWorktree(t *testing.T) {
	s := newStage(t, Show)
	s.agent("kim", s.top)
	lea := s.agent("lea", filepath.Join(s.top, "..", "lea"))
	s.write(s.top, "a.go", "of a person or kim\n")
	s.write(lea, "a.go", "of lea\n")
	s.wants("who changed the first is not known", "")
	s.Note("kim", filepath.Join(s.top, "a.go"), s.now)
	s.wants("it is known", "kim+lea a.go")
	if len(s.told) != 0 || strings.Contains(s.Needs()[0].Action, "told") {
		t.Errorf("told %q, %+v", s.told, s.Needs())
	}

	note := filepath.Join(t.TempDir(), "note")
	s.Note("kim", note, s.now)
	s.Note("lea", note, s.now)
	if got := s.looks(); !strings.Contains(got, note) {
		t.Errorf("outside of a repository: got %q", got)
	}
}
