package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/place"
	"parley/program/profile"
	"parley/store"
)

func findingOf(l level) func(context.Context) findings {
	return func(context.Context) findings { return findings{{Check: "x", Level: l}} }
}

func TestChecksKeepTheirOrderAndTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		defer close(over)

		slow := func(ctx context.Context) findings {
			time.Sleep(2500 * time.Millisecond)
			return findings{{Check: "slow", Level: fine}}
		}

		deaf := func(ctx context.Context) findings { <-over; return nil }
		checks := []check{{"slow", promptly, slow}, {"deaf", 3500 * time.Millisecond, deaf}}
		for range 2 * atOnce {
			checks = append(checks, check{"x", promptly, findingOf(problem)})
		}

		var shown []string
		found := examine(t.Context(), checks,
			func(left []string) { shown = append(shown, strings.Join(left[:min(1, len(left))], "")) })

		if want := []string{"slow", "slow", "deaf", ""}; !cmp.Equal(shown, want) {
			t.Errorf("shown: got %q, want %q", shown, want)
		}

		if len(found) != len(checks) || found[0].Check != "slow" || found[1].Level != warning ||
			!strings.Contains(found[1].Detail, "not finished within 3.5s") ||
			problems(found) != 2*atOnce {
			t.Errorf("got %+v", found)
		}
	})
}

func TestDoctorSaysWhatGrowsInTheTmuxServer(t *testing.T) {
	for _, test := range []struct {
		all, history int64
		want         level
		says         string
	}{
		{6_000_000, 2_000_000, fine, "6 MB, of which 2 MB scrolled off"},
		{240_000_000, 200_000_000, fine, "240 MB, of which 200 MB scrolled off"},
		{140_000_000, 2_000_000, warning, "140 MB, and 138 MB of it is not what scrolled off"},
		{1_000_000, 2_000_000, fine, "1 MB, of which 1 MB scrolled off"},
	} {
		var f findings
		f.serverMemory(test.all, test.history)
		if len(f) != 1 || f[0].Level != test.want || !strings.Contains(f[0].Detail, test.says) {
			t.Errorf("%d, %d: got %+v, want %q", test.all, test.history, f, test.says)
		}
	}

	var unknown findings
	if unknown.serverMemory(0, 0); len(unknown) != 0 {
		t.Errorf("got %+v for memory that is not known", unknown)
	}
}

func TestInterruptedCheckIsAProblem(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	defer close(over)
	cancel()
	found := examine(ctx, []check{{"deaf", promptly, func(context.Context) findings { <-over; return nil }}},
		func([]string) {})
	if problems(found) != 1 {
		t.Errorf("got %+v, want a problem", found)
	}
}

func TestSummaryCounts(t *testing.T) {
	for want, n := range map[string][2]int{"All is well.": {0, 0}, "No problem, 1 warning.": {0, 1},
		"2 problems.": {2, 0}, "1 problem, 2 warnings.": {1, 2}} {
		if got := summary(n[0], n[1]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLittleFreeSpaceIsReported(t *testing.T) {
	for free, want := range map[int64]level{1 << 40: fine, littleSpace: fine, littleSpace - 1: warning,
		noSpace: warning, noSpace - 1: problem, 0: problem} {
		var f findings
		spaceFound(&f, free, "/d")
		if f[0].Level != want {
			t.Errorf("%d bytes: got %+v, want %s", free, f[0], want)
		}
	}
}

func TestLargeStorageIsReported(t *testing.T) {
	d := testDoctor(t)
	if f := storedBy(d).checkSpace(t.Context()); len(f) != 2 || !slices.Equal(levels(f), []level{fine, fine}) {
		t.Errorf("without a workspace: %+v", f)
	}

	grow := func(path string, to int64) {
		t.Helper()
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, nil, 0o600)
		}
		if err == nil {
			err = os.Truncate(path, to) // which takes nothing
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	grow(filepath.Join(d.at.State("files"), "ab", "abc"), manyFiles-1)
	grow(d.at.Database(), largeContent-5)
	grow(d.at.Database()+"-wal", 4)
	if f := storedBy(d).checkSpace(t.Context()); !slices.Equal(levels(f), []level{fine, fine}) {
		t.Errorf("just below: %+v", f)
	}

	grow(filepath.Join(d.at.Received(), "id", "x"), 1)
	grow(d.at.Database()+"-shm", 1)
	f := storedBy(d).checkSpace(t.Context())
	if !slices.Equal(levels(f), []level{warning, warning}) || !strings.Contains(f[0].Action, "parley files prune") ||
		!strings.Contains(f[1].Action, "parley backup") {
		t.Errorf("a gigabyte of each: %+v", f)
	}

	grow(d.at.Database()+".bak-12-20260101T000000.000", largeContent)
	f = storedBy(d).checkSpace(t.Context())
	if !strings.Contains(f[1].Detail, "1 automatic backup 1.1 GB") || !strings.Contains(f[1].Action, ".bak-*") {
		t.Errorf("with a large backup: %+v", f[1])
	}
}

func TestSizesAreReadable(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 86016: "86 kB", 20 << 20: "21 MB",
		74e9: "74.0 GB", 3e12: "3000.0 GB"} {
		if got := size(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// testDoctor returns a doctor of a new workspace.
func testDoctor(t *testing.T) *doctor {
	t.Helper()
	dir := place.RealPath(t.TempDir())
	for _, sub := range []string{"w", "state", "runtime"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}

	env := daemon.Environ{
		"HOME=" + dir,
		"XDG_STATE_HOME=" + filepath.Join(dir, "state"),
		"XDG_RUNTIME_DIR=" + filepath.Join(dir, "runtime"),
		"PATH=" + dir,
	}

	d := &doctor{
		cli: newCLI(program{out: output{at: surroundings{env: env, dir: filepath.Join(dir, "w")}}})}
	d.at = place.Locate(d.cli.at.dir, env)

	return d
}

func storedBy(d *doctor) storageChecks { return storageChecks{at: d.at} }

func levels(f findings) (all []level) {
	for _, one := range f {
		all = append(all, one.Level)
	}
	return all
}

func TestFilesMustBeOursAlone(t *testing.T) {
	d := testDoctor(t)
	if f := storedBy(d).checkFiles(t.Context()); !cmp.Equal(levels(f), []level{fine}) {
		t.Fatalf("nothing there yet: got %+v", f)
	}
	must.Do(t, d.at.Prepare())
	must.Do(t, os.Mkdir(filepath.Dir(d.at.Database()), 0o700))
	must.Do(t, os.WriteFile(d.at.Database(), nil, 0o400))

	if f := storedBy(d).checkFiles(t.Context()); !cmp.Equal(levels(f), []level{problem}) ||
		!strings.Contains(f[0].Action, "chmod 600 "+d.at.Database()) {
		t.Errorf("a database that cannot be written: got %+v", f)
	}

	must.Do(t, os.Chmod(d.at.Database(), 0o600))
	must.Do(t, os.Chmod(d.at.Home, 0o750))

	if f := storedBy(d).checkFiles(t.Context()); !cmp.Equal(levels(f), []level{warning}) ||
		!strings.Contains(f[0].Detail, "others may use "+d.at.Home) {
		t.Errorf("a directory of secrets that a group reads: got %+v", f)
	}
}

func TestLongWorkspaceIsAProblem(t *testing.T) {
	d := testDoctor(t)
	d.at.Home += strings.Repeat("/"+strings.Repeat("x", 100), 5)
	f := storedBy(d).checkFiles(t.Context())
	if len(f) < 2 || f[0].Level != problem || !strings.Contains(f[0].Detail, "too long for a database") ||
		!strings.Contains(f[1].Detail, "too long for sockets") {
		t.Errorf("got %+v", f)
	}
}

func TestSharedSettingsDirectoryIsReported(t *testing.T) {
	d := testDoctor(t)
	profiles := must.Have(profile.Builtin())(t)

	strict := must.Have(profiles.Find("gemini"))(t)

	root := filepath.Dir(filepath.Dir(d.at.Home))
	must.Do(t, os.Chmod(root, 0o770))

	var f findings
	d.checkSettingsDir(&f, strict)
	if !cmp.Equal(levels(f), []level{warning}) || !strings.HasSuffix(f[0].Detail, "others may write to "+root) ||
		f[0].Action != "Make it yours alone: chmod go-w "+root {
		t.Errorf("got %+v, want the warning of %s", f, root)
	}

	f, d.cli.at.env = nil, append(d.cli.at.env, "HOME=/elsewhere")
	d.checkSettingsDir(&f, strict)
	if len(f) != 1 || !strings.Contains(f[0].Action, "XDG_STATE_HOME") {
		t.Errorf("not below the home directory: got %+v", f)
	}

	f = nil
	d.checkSettingsDir(&f, &profile.Profile{Name: "other"})
	if len(f) != 0 {
		t.Errorf("one that refuses nothing: got %+v", f)
	}
}

func TestVersionIsComparedWithThoseTried(t *testing.T) {
	d := testDoctor(t)
	d.cli.at.env = append(d.cli.at.env, "PATH="+d.cli.at.env.Get("HOME")+":"+os.Getenv("PATH"))
	p := &profile.Profile{
		Name:    "robot",
		Command: []string{"robot"},
		Version: []string{"about"},
		Tested:  []string{"1.2.3", "2.0.0"},
	}

	for said, want := range map[string]level{"robot 2.0.0": fine, "robot 1.9.0": fine, "robot 2.0.1": warning,
		"no number": warning} {
		script := "#!/bin/sh\ntest \"$1\" = about && echo '" + said + "'\n"
		must.Do(t, os.WriteFile(filepath.Join(d.cli.at.env.Get("HOME"), "robot"), []byte(script), 0o700))
		if f := d.checkAgent(t.Context(), p); !cmp.Equal(levels(f), []level{want}) {
			t.Errorf("%q: got %+v, want %s", said, f, want)
		}
	}
}

func TestDoctorSaysWhetherAProgramReports(t *testing.T) {
	state := map[string]string{"busy": "x"}
	for want, p := range map[string]*profile.Profile{
		"it reports its state":                 {Reports: state, Titles: state},
		"its terminal's title tells its state": {Titles: state},
		"it does not report its state":         {},
	} {
		if got := selfReport(p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The page on the operator has every check.
func TestDocsNameEveryCheck(t *testing.T) {
	page := documents(t)["operator.md"]
	d := testDoctor(t)
	for _, c := range d.checks() {
		if _, err := d.set.Find(c.name); err != nil && !strings.Contains(page, "`"+c.name+"`") {
			t.Errorf("operator.md has no %s", c.name)
		}
	}
}

// A daemon that starts during a repair would acknowledge messages in the database that is replaced. Programs
// are told what was done, too.
func TestRepairKeepsDaemonsOut(t *testing.T) {
	d := testDoctor(t)
	d.cli.out.json, d.cli.out.now = true, time.Now
	d.cli.out.out = must.Have(os.Create(filepath.Join(t.TempDir(), "out")))(t)

	at := d.at
	must.Do(t, at.Prepare())
	must.Do(t, must.Have(store.Open(t.Context(), daemon.StoreAt(at, "")))(t).Close())
	must.Do(t, os.Rename(at.Database(), at.Database()+".saved")) // as a daemon leaves it that lost it

	// The repair reads how far the database was, and waits for whoever writes it.
	progress := filepath.Join(filepath.Dir(at.Database()), "parley.db.progress")
	_ = os.Remove(progress)
	must.Do(t, syscall.Mkfifo(progress, 0o600))
	ended := make(chan error, 1)
	go func() {
		var err error
		d.repaired, err = repair{cli: d.cli}.run(t.Context())
		ended <- err
	}()
	writer := must.Have(os.OpenFile(progress, os.O_WRONLY, 0))(t)
	must.Do(t, os.Remove(progress))

	if !must.Have(at.Lock().Held())(t) {
		t.Error("a daemon can start during the repair")
	}
	must.Do(t, writer.Close())
	must.Do(t, <-ended)
	if must.Have(at.Lock().Held())(t) {
		t.Error("no daemon can start after the repair")
	}

	must.Do(t, d.report(nil))
	want := `"repaired":{"message":"The database was put back. The next command starts the daemon.","put_back":true,`
	if got := string(must.Have(os.ReadFile(d.cli.out.out.Name()))(t)); !strings.Contains(got, want) {
		t.Errorf("got %s, want it to hold %s", got, want)
	}
}

func TestRepairSaysWhatIsMissing(t *testing.T) {
	made := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	got := repairedOf(store.Repaired{
		Aside: "old.db", Copy: &store.Copy{Path: "copy.db", Made: made},
		Lacks: &store.Shortfall{Events: 3, Messages: 2},
	}, "It lacks 2 messages.")
	want := &repaired{
		Message: "It lacks 2 messages.", Damaged: "old.db", Copy: "copy.db", CopyMade: &made, LacksMessages: 2,
		LacksEvents: 3,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestProgramsOfOtherMachinesAreNotSought(t *testing.T) {
	d := testDoctor(t)
	d.set = must.Have(profile.Builtin())(t)
	agent := func(host string) daemon.Agent {
		return daemon.Agent{Name: "coder", Command: []string{"no-such-program"}, Host: host}
	}

	for host, want := range map[string]level{"": problem, "shop": problem, "elsewhere": fine} {
		d.team = &daemon.Team{Agents: []daemon.Agent{agent(host)}, Settings: daemon.Settings{Host: "shop"}}
		var f findings
		d.checkTeam(&f)
		if !cmp.Equal(levels(f), []level{want}) {
			t.Errorf("on %q: got %+v, want %s", host, f, want)
		}
	}
}
