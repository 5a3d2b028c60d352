package meter

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
	"parley/program/transcript"
	"parley/store"
)

var began = time.Date(2026, 11, 22, 5, 0, 0, 0, time.Local)

// response is a line of Qwen Code, of a response so many minutes later.
func response(id string, minutes, output int) string {
	return fmt.Sprintf(`{"uuid":"%s","timestamp":"%s","type":"assistant","model":"m","usageMetadata":`+
		`{"promptTokenCount":1,"candidatesTokenCount":%d,"totalTokenCount":%d}}`+"\n",
		id, began.Add(time.Duration(minutes)*time.Minute).Format(time.RFC3339), output, output+1)
}

// qwen says how transcripts of Qwen Code are read.
func qwen(t *testing.T) *transcript.Format {
	t.Helper()
	return must.Have(profile.Builtin())(t).Transcript("qwen")
}

func ids(records []store.TokenRecord) (all string) {
	for _, r := range records {
		all += strings.TrimPrefix(r.ID, "qwen/") + " "
	}
	return all
}

// A transcript is read as it grows: half a line waits for its end, and what was written before the
// agent's time is not the agent's.
func TestATranscriptIsReadAsItGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	tr := &store.Transcript{Path: path, Form: "qwen", Since: began}
	whole := response("old", -1, 5) + response("a", 1, 5) + response("b", 2, 6)
	half := len(whole) - 20
	must.Do(t, os.WriteFile(path, []byte(whole[:half]), 0o600))

	p, err := read(tr, qwen(t), dayOf)
	if err != nil || p.more || ids(p.records) != "a " || p.records[0].Day != "2026-11-22" {
		t.Errorf("got %v, %v", p, err)
	}

	must.Do(t, os.WriteFile(path, []byte(whole), 0o600))
	if p, err = read(tr, qwen(t), dayOf); err != nil || ids(p.records) != "b " || tr.Position != int64(len(whole)) {
		t.Errorf("got %v, %v, at %d", p, err, tr.Position)
	}

	must.Do(t, os.WriteFile(path, []byte(response("c", 3, 1)), 0o600)) // written anew, and shorter
	if p, err = read(tr, qwen(t), dayOf); err != nil || ids(p.records) != "c " {
		t.Errorf("got %v, %v", p, err)
	}
}

func TestWhatIsNoTranscriptIsRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, dir, "/dev/zero", filepath.Join(dir, "missing")} {
		tr := &store.Transcript{Path: path, Form: "qwen"}
		if p, err := read(tr, qwen(t), dayOf); err == nil || p.more || p.records != nil {
			t.Errorf("%s: got %v, %v", path, p, err)
		}
	}
}

func TestAnUnknownLineIsNoted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	text := `{"type":"assistant","usage":{"tokens":7}}` + "\n" + response("a", 1, 5)
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	tr := &store.Transcript{Path: path, Form: "qwen", Since: began}
	p, err := read(tr, qwen(t), dayOf)
	if err != nil || ids(p.records) != "a " || tr.Unknown != parley.UsageUnknownForm {
		t.Errorf("got %v, %v, %q", p, err, tr.Unknown)
	}
}

// However a text is cut into parts, the lines come out whole and once, but for those that are longer
// than a part.
func TestSplitPassesOverLongLines(t *testing.T) {
	const most = 10
	text := []byte("one\ntwo\n" + strings.Repeat("x", 35) + "\nthree\n\nfour\n" + strings.Repeat("y", 12) +
		"\nfive\nhal")
	var got []string
	skipping := false
	for at := 0; ; {
		lines, used, still := split(text[at:min(len(text), at+most)], skipping, most)
		for _, line := range lines {
			got = append(got, string(bytes.TrimSpace(line)))
		}
		if used == 0 {
			break
		}
		at, skipping = at+used, still
	}
	if want := "one two three  four five"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, " "), want)
	}
}
