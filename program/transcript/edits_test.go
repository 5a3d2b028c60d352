package transcript_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
	"parley/program/transcript"
)

// Each form has a sample of an edit, and beside it what must not count: a file that was read, and an
// edit that was refused.
func TestProgramsTellWhatTheyWrote(t *testing.T) {
	for _, form := range forms {
		var got []string
		for line := range bytes.Lines(must.Have(os.ReadFile(filepath.Join("testdata", "edits", form+".jsonl")))(t)) {
			for _, e := range formOf(t, form).EditsIn(line) {
				got = append(got, e.Path+" "+e.At.UTC().Format(time.TimeOnly))
			}
		}
		want := []string{"/src/hawk.txt 22:40:40"}
		if form == "codex" {
			want = append(want, "/src/kite.txt 22:40:40")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
	}
}

func TestEditsThatAreNotKnownAreLeftOut(t *testing.T) {
	claude := formOf(t, "claude")
	line := `{"timestamp":"2026-11-22T22:40:40Z","toolUseResult":{"filePath":"/src/a","structuredPatch":[]}}`
	if len(claude.EditsIn([]byte(line))) != 1 {
		t.Fatal("the line itself is no edit")
	}
	for name, change := range map[string][2]string{
		"a relative path": {`"/src/a"`, `"src/a"`},
		"no time":         {`"timestamp"`, `"at"`},
		"no patch":        {`"structuredPatch"`, `"patch"`},
		"a null patch":    {`[]`, `null`},
		"a number":        {`"/src/a"`, `7`},
		"half a line":     {`[]}}`, `[`},
	} {
		if got := claude.EditsIn([]byte(strings.Replace(line, change[0], change[1], 1))); got != nil {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if got := new(transcript.Format).EditsIn([]byte(line)); got != nil {
		t.Errorf("of an unknown form: %v", got)
	}
}
