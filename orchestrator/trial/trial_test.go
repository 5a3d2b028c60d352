package trial

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

func TestWordsSayWhatHolds(t *testing.T) {
	for want, verdicts := range map[string][]Verdict{
		"rest, draft, escape, paste, lines, characters, long paste hold": {Holds, Holds, Holds, Holds, Holds, Holds,
			Holds},
		"rest, draft, paste, lines, characters hold; escape, long paste fail": {
			Holds, Holds, Fails, Holds, Holds, Holds, Fails,
		},
		"rest fails; draft, escape, paste, lines, characters, long paste not tried": {
			Fails, NotTried, NotTried, NotTried, NotTried, NotTried, NotTried,
		},
	} {
		var r Result
		for i, g := range WithoutModel() {
			r.Findings = append(r.Findings, Finding{Guarantee: g, Verdict: verdicts[i]})
		}
		if got := r.Words(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := len(r.Failed()); got != len(slices.DeleteFunc(verdicts, func(v Verdict) bool { return v != Fails })) {
			t.Errorf("%s: %d are said to fail", want, got)
		}
	}
}

// The last result of each version is kept, and only so many.
func TestResultsAreKeptByVersion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	at := func(version, size string) Result { return Result{Profile: "pi", Version: version, Size: size} }
	for _, r := range []Result{at("1.0", "old"), at("1.1", ""), at("1.0", "new")} {
		must.Do(t, Keep(dir, r))
	}
	got, ok := Of(dir, "pi", "1.0")
	if diff := cmp.Diff(at("1.0", "new"), got); !ok || diff != "" {
		t.Errorf("%v (-want +got):\n%s", ok, diff)
	}
	if _, ok := Of(dir, "pi", "2.0"); ok {
		t.Error("a version that was not checked has a result")
	}
	if _, ok := Of(dir, "grok", "1.0"); ok {
		t.Error("a program that was not checked has a result")
	}

	for i := range maxKept {
		must.Do(t, Keep(dir, at("3."+string(rune('a'+i)), "")))
	}
	if _, ok := Of(dir, "pi", "1.0"); ok || len(known(dir, "pi")) != maxKept {
		t.Errorf("%d results are kept", len(known(dir, "pi")))
	}

	must.Do(t, os.WriteFile(fileOf(dir, "pi"), []byte("["), 0o600))
	must.Do(t, Keep(dir, at("4.0", "")))
	if _, ok := Of(dir, "pi", "4.0"); !ok {
		t.Error("a file that was damaged takes no result")
	}
}

// A check without a model keeps what an earlier one found with it, and nothing else.
func TestACheckWithoutAModelKeepsWhatOneFound(t *testing.T) {
	dir := t.TempDir()
	with := func(rest, turn Verdict, saw string) Result {
		return Result{Profile: "pi", Version: "1.0", Findings: []Finding{
			{Guarantee: Rest, Verdict: rest}, {Guarantee: Turn, Verdict: turn, Saw: saw},
		}}
	}
	for _, c := range []struct{ result, want Result }{
		{with(Holds, NotTried, NoModel), with(Holds, NotTried, NoModel)},
		{with(Holds, Holds, ""), with(Holds, Holds, "")},
		{with(Fails, NotTried, NoModel), with(Fails, Holds, "")},
		{with(Holds, NotTried, "it never came to rest"), with(Holds, NotTried, "it never came to rest")},
	} {
		must.Do(t, Keep(dir, c.result))
		got, _ := Of(dir, "pi", "1.0")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", c.result.Words(), diff)
		}
	}
}

// What a program does with Escape, and what it does when its model fails, says nothing of how its screen is read.
func TestOnlyMarkersMakeAProgramMisread(t *testing.T) {
	misread := 0
	for _, g := range append(WithoutModel(), WithModel()...) {
		r := Result{Findings: []Finding{{Guarantee: g, Verdict: Fails}}}
		if r.Misread() {
			misread++
		} else if !slices.Contains(noMatterOfTyping, g) {
			t.Errorf("%s fails, and it is not misread", g)
		}
		r.Findings[0].Verdict = NotTried
		if r.Misread() || r.Tried() {
			t.Errorf("%s was not tried, and counts", g)
		}
	}
	if misread != 8 {
		t.Errorf("%d make it misread, want 8", misread)
	}
}
