package sessions_test

import (
	"context"
	"database/sql"
	"fmt"
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
	"parley/program/profile"
	"parley/program/sessions"
)

// home is a user's home directory with what each of the tried programs wrote of one conversation: "the first word is
// HERON", "the second word is OSPREY".
type home struct {
	dir     string
	archive *sessions.Archive
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{dir: t.TempDir()}
	must.Do(t, os.CopyFS(h.dir, os.DirFS("testdata/home")))
	tables := must.Have(os.ReadFile("../opencode/testdata/opencode.sql"))(t)
	for _, path := range []string{"opencode/opencode.db", "kilo/kilo.db"} {
		path = filepath.Join(h.dir, ".local/share", path)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		db := must.Have(sql.Open("sqlite", path))(t)
		must.Have(db.Exec(string(tables)))(t)
		must.Do(t, db.Close())
	}
	h.open(t)
	return h
}

// open opens the archive, and fills its index until the test ends.
func (h *home) open(t *testing.T) {
	t.Helper()
	h.archive = sessions.New(h.options(t))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.archive.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

func (h *home) options(t testing.TB) sessions.Options {
	t.Helper()
	return sessions.Options{
		Profiles: must.Have(profile.Builtin())(t), Home: h.dir, Env: func(string) string { return "" },
		Index: filepath.Join(h.dir, ".cache/parley/sessions.db"), Log: slog.New(slog.DiscardHandler),
	}
}

// list returns what is found, when the index has everything.
func (h *home) list(t *testing.T, words string) sessions.Listing {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); ; {
		l := must.Have(h.archive.List(t.Context(), sessions.Query{Words: words, Limit: 50}))(t)
		if l.Read == l.Of || time.Now().After(until) {
			return l
		}
	}
}

func (h *home) programs(t *testing.T, words string) (names []string) {
	t.Helper()
	for _, s := range h.list(t, words).Sessions {
		names = append(names, s.Program)
	}
	slices.Sort(names)
	return names
}

// write appends to a file of the home.
func (h *home) write(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(h.dir, name)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	f := must.Have(os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t)
	must.Have(f.WriteString(text))(t)
	must.Do(t, f.Close())
}

const (
	claudeFile = ".claude/projects/-home-ann-parser/db306c2c-1590-45cd-a08b-856c686efe0b.jsonl"
	geminiFile = ".gemini/tmp/parser/chats/session-2026-11-30T14-10-cef2881b.jsonl"
)

func TestConversationsOfEveryProgramAreFound(t *testing.T) {
	h := newHome(t)
	ids := map[string]string{
		"claude": "db306c2c-1590-45cd-a08b-856c686efe0b", "codex": "01a22cbf-83fd-7a62-aa4d-d36fa6ae2fd4",
		"copilot": "74d155cb-0819-47d7-a7be-d12485ed763d", "gemini": "cef2881b-7c78-4e33-82f5-013e0d7696ff",
		"qwen": "23d113f9-9e1b-470d-96ed-964ac5072492", "grok": "085f92da-848b-4f86-9953-e7c398107bb5",
		"pi": "7bee6d4f-9b9b-4880-840d-5e14defff4ce", "omp": "01a22cc0-aab2-708b-bd37-dc9b2eda9bc1",
		"kimi": "session_f41d83c5-9b4c-4c93-9bbc-68f1366066c0", "cline": "1796047167458_x0gnk",
	}

	found := map[string]string{}
	for _, s := range h.list(t, "").Sessions {
		if s.Program == "opencode" || s.Program == "kilo" {
			continue
		}
		found[s.Program] = s.ID
		if s.Dir != "/home/ann/parser" || s.First != "the first word is HERON" || s.Size == 0 || s.LastActive.IsZero() {
			t.Errorf("of %s: %+v", s.Program, s)
		}
		if again := h.archive.Find(t.Context(), s.Short); len(again) != 1 || again[0].ID != s.ID {
			t.Errorf("%s is found again as %+v", s.Short, again)
		}
	}
	if diff := cmp.Diff(ids, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	want := slices.Sorted(func(yield func(string) bool) {
		for name := range ids {
			if !yield(name) {
				return
			}
		}
	})
	for _, words := range []string{"osprey", "SECOND, osp", "parser heron"} {
		if got := h.programs(t, words); !slices.Equal(got, want) {
			t.Errorf("%q is found in %v, want %v", words, got, want)
		}
	}
	around := map[string]string{} // on a busy machine, an answer does not wait for all of it
	for deadline := time.Now().Add(30 * time.Second); len(around) < len(want) && time.Now().Before(deadline); {
		for _, s := range h.list(t, "osprey").Sessions {
			if s.Found != "" {
				around[s.Program] = s.Found
			}
		}
	}
	for _, name := range want {
		if !strings.Contains(around[name], "the second word is OSPREY") {
			t.Errorf("of %s this stands around the word: %q", name, around[name])
		}
	}
}

func TestConversationsInDatabasesAreFound(t *testing.T) {
	h := newHome(t)
	for _, words := range []string{"", "second"} {
		var got []string
		for _, s := range h.list(t, words).Sessions {
			if s.Program == "opencode" {
				got = append(got, s.ID+": "+s.First)
			}
		}
		if !slices.Contains(got, "ses_b: second") {
			t.Errorf("%q: %q", words, got)
		}
	}
}

// A seal in a transcript is known to the terminal that has it, and to nobody else.
func TestSealsAreNotShown(t *testing.T) {
	h := newHome(t)
	for _, words := range []string{"i5gd4m", "operator"} {
		if got := h.programs(t, words); len(got) > 0 {
			t.Errorf("%q is found in %v", words, got)
		}
	}
	h.write(t, claudeFile, `{"type":"assistant","message":{"content":[{"type":"text","text":"the KESTREL has seal i5gd4m"}]}}`+"\n")
	got := h.list(t, "kestrel").Sessions
	if len(got) != 1 || got[0].Found != "the KESTREL has seal …" {
		t.Errorf("got %+v", got)
	}
}

// What the program itself puts into a conversation was not said, and tools say nothing.
func TestOnlyWhatWasSaidCounts(t *testing.T) {
	h := newHome(t)
	for i, line := range []string{
		`{"type":"user","isMeta":true,"message":{"content":"LAPWING"}}`,
		`{"type":"user","message":{"content":"<command-name>/LAPWING</command-name>\n<command-args></command-args>"}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":"LAPWING"}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"text":"LAPWING"}}]}}`,
		`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"LAPWING"}]}}`,
		`not JSON "user" "assistant" "type" LAPWING`,
	} {
		name := fmt.Sprintf(".claude/projects/-x/00000000-0000-4000-8000-00000000000%d.jsonl", i)
		h.write(t, name, line+"\n"+`{"type":"user","cwd":"/x","message":{"content":"said"}}`+"\n")
	}
	if got := h.programs(t, "lapwing"); len(got) > 0 {
		t.Errorf("found in %v", got)
	}
	if got := h.programs(t, "said x"); len(got) != 6 {
		t.Errorf("found in %v, want 6 of claude", got)
	}
}

func TestTheIndexFollowsTheFiles(t *testing.T) {
	h := newHome(t)
	if got := h.programs(t, "plover"); len(got) > 0 {
		t.Errorf("found in %v", got)
	}
	h.write(t, claudeFile, `{"type":"user","message":{"content":"and a PLOVER, 新しい鳥"}}`+"\n")
	for _, words := range []string{"plover", "鳥"} {
		if got := h.programs(t, words); !slices.Equal(got, []string{"claude"}) {
			t.Errorf("%q is found in %v", words, got)
		}
	}

	index := filepath.Join(h.dir, ".cache/parley/sessions.db")
	if info := must.Have(os.Stat(index))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("the index has the mode %v", info.Mode())
	}
	must.Do(t, os.Remove(index))
	if got := h.programs(t, "plover"); !slices.Equal(got, []string{"claude"}) {
		t.Errorf("without its file the index finds %v", got)
	}

	must.Do(t, os.Remove(filepath.Join(h.dir, claudeFile)))
	if got := h.programs(t, "plover"); len(got) > 0 {
		t.Errorf("found in %v, which is gone", got)
	}
}

func TestADamagedIndexIsMadeAgain(t *testing.T) {
	h := &home{dir: t.TempDir()}
	h.write(t, ".cache/parley/sessions.db", strings.Repeat("no database ", 1000))
	h.write(t, claudeFile, `{"type":"user","cwd":"/x","message":{"content":"a PLOVER"}}`+"\n")
	h.open(t)
	if got := h.programs(t, "plover"); !slices.Equal(got, []string{"claude"}) {
		t.Errorf("found in %v", got)
	}
}

func TestWhatIsNotReadYetIsTold(t *testing.T) {
	h := newHome(t)
	opts := h.options(t)
	opts.Index = filepath.Join(h.dir, "other.db") // which nobody fills
	l := must.Have(sessions.New(opts).List(t.Context(), sessions.Query{Words: "osprey", Limit: 5}))(t)
	if l.Read != 0 || l.Of < 12 || len(l.Sessions) > 0 {
		t.Errorf("got %+v", l)
	}
}

// Gemini goes on in another file when a session is taken up again.
func TestAConversationInSeveralFilesIsOne(t *testing.T) {
	h := newHome(t)
	h.write(t, geminiFile, `{"sessionId":"cef2881b-7c78-4e33-82f5-013e0d7696ff","kind":"main"}`+"\n")
	for range 2 {
		if got := h.archive.Find(t.Context(), "cef2881b"); len(got) != 1 || got[0].First != "the first word is HERON" {
			t.Errorf("found %+v", got)
		}
		h.write(t, geminiFile, `{"type":"user","content":[{"text":"the first word is HERON"}]}`+"\n")
	}
}

func TestIDsAreShownAsFarAsTheyDiffer(t *testing.T) {
	h := &home{dir: t.TempDir()}
	for _, id := range []string{
		"01a22cbf-83fd-7a62-aa4d-d36fa6ae2fd4", "01a22cbf-83fd-7a62-bb00-000000000000",
		"f0000000-0000-4000-8000-000000000000",
	} {
		h.write(t, ".codex/sessions/2026/11/30/rollout-2026-"+id+".jsonl",
			`{"type":"session_meta","payload":{"cwd":"/x","git":{"branch":"main"}}}`+"\n"+
				`{"type":"event_msg","payload":{"type":"user_message","message":"hello"}}`+"\n")
	}
	h.open(t)
	var got []string
	for _, s := range h.list(t, "").Sessions {
		got = append(got, s.Short)
		if s.Branch != "main" || s.First != "hello" {
			t.Errorf("got %+v", s)
		}
	}
	slices.Sort(got)
	want := []string{"01a22cbf-83fd-7a62-a", "01a22cbf-83fd-7a62-b", "f0000000-000"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := h.archive.Find(t.Context(), "01a22cbf-83fd"); len(got) != 2 {
		t.Errorf("two begin with it, and %d are found", len(got))
	}
}

// run starts something that lives until the test ends, under the name of a program.
func run(t *testing.T, dir string, args ...string) int {
	t.Helper()
	argv := append([]string{args[0], "-c", "read x", "sh"}, args[1:]...)
	cmd := &exec.Cmd{Path: must.Have(exec.LookPath("sh"))(t), Args: argv, Dir: dir}
	stdin := must.Have(cmd.StdinPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		must.Do(t, stdin.Close())
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

func TestWhoHasAConversationOpenIsSeen(t *testing.T) {
	h := newHome(t)
	of := func(program string) *parley.KeptSession {
		all := h.list(t, "").Sessions
		i := slices.IndexFunc(all, func(s parley.KeptSession) bool { return s.Program == program })
		return &all[i]
	}
	expect := func(program string, want int, wantSure bool) {
		t.Helper()
		if got, sure := h.archive.Running(of(program), nil); got != want || sure != wantSure {
			t.Errorf("%s: process %d (%v), want %d (%v)", program, got, sure, want, wantSure)
		}
	}

	gone := 1<<22 - 1
	for program, registry := range map[string]string{
		"claude":  `.claude/sessions/%d.json {"pid":%[1]d,"sessionId":"%[2]s"}`,
		"qwen":    `.qwen/sessions/%d.json {"pid":%[1]d,"sessionId":"%[2]s"}`,
		"grok":    `.grok/active_sessions.json [{"pid":1,"session_id":"other"},{"pid":%[1]d,"session_id":"%[2]s"}]`,
		"copilot": ".copilot/session-state/%[2]s/inuse.%[1]d.lock ",
	} {
		for _, pid := range []int{gone, run(t, h.dir, program)} {
			expect(program, 0, false)
			file, text, _ := strings.Cut(fmt.Sprintf(registry, pid, of(program).ID), " ")
			must.Do(t, os.RemoveAll(filepath.Join(h.dir, file)))
			h.write(t, file, text)
			if pid == gone {
				expect(program, 0, false)
			} else {
				expect(program, pid, true)
			}
			must.Do(t, os.RemoveAll(filepath.Join(h.dir, file)))
		}
	}

	named := run(t, h.dir, "gemini", "--resume", of("gemini").ID)
	expect("gemini", named, true)
}

func TestALossIsForeseen(t *testing.T) {
	h := newHome(t)
	for _, test := range []struct {
		settings string
		lost     bool
	}{
		{"", true},
		{`{"general": {"sessionRetention": {"enabled": true}}}`, true},
		{`{"general": {"sessionRetention": {"maxAge": "30d"}}}`, true},
		{"{\n  \"general\": {\n \"sessionRetention\": {\"enabled\": false}}}", false},
	} {
		must.Do(t, os.WriteFile(filepath.Join(h.dir, ".gemini/settings.json"), []byte(test.settings), 0o600))
		why, action := h.archive.Lost("gemini")
		if (why != "") != test.lost || (action != "") != test.lost {
			t.Errorf("%s: %q, %q", test.settings, why, action)
		}
	}
	if why, _ := h.archive.Lost("claude"); why != "" {
		t.Errorf("claude: %q", why)
	}
}
