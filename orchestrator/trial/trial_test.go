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
		"rest, draft, escape, paste, lines, characters, long paste hold": {Holds, Holds, Holds, Holds, Holds, Holds, Holds},
		"rest, draft, paste, lines, characters hold; escape, long paste fail": {
			Holds, Holds, Fails, Holds, Holds, Holds, Fails,
		},
		"rest fails; draft, escape, paste, lines, characters, long paste not tried": {
			Fails, NotTried, NotTried, NotTried, NotTried, NotTried, NotTried,
		},
	} {
		var r Result
		for i, g := range Guarantees() {
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
