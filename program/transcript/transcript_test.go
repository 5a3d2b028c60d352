package transcript_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
	"parley/program/transcript"
)

// forms are the profiles whose transcripts are lines; each has a sample.
var forms = []string{"claude", "codex", "copilot", "gemini", "qwen"}

func formOf(t testing.TB, name string) *transcript.Format {
	t.Helper()
	set := must.Have(profile.Builtin())(t)
	return &must.Have(set.Find(name))(t).Transcript
}

// last returns what each response of a transcript used, by its id: of several records of one, the last
// counts.
func last(t *testing.T, form string) map[string]transcript.Record {
	t.Helper()
	all, state := map[string]transcript.Record{}, transcript.State{}
	for line := range bytes.Lines(must.Have(os.ReadFile(filepath.Join("testdata", form+".jsonl")))(t)) {
		rec, err := formOf(t, form).Read(line, &state)
		if err != nil {
			t.Fatalf("%s: %v in %s", form, err, line)
		}
		if rec != nil {
			all[rec.ID] = *rec
		}
	}
	return all
}

func TestProgramsTellWhatTheyUsed(t *testing.T) {
	at := func(text string) time.Time { return must.Have(time.Parse(time.RFC3339Nano, "2026-11-22T"+text))(t) }
	for form, want := range map[string]transcript.Record{
		"claude": {"d21", at("05:26:15.1Z"), "claude-opus-5-5",
			parley.Tokens{Input: 10001, Cached: 3001, CacheWrite: 2001, Output: 501, Reasoning: 41}},
		"codex": {"resp_d22t1", at("16:34:20.553Z"), "gpt-6-codex",
			parley.Tokens{Input: 7000, Cached: 3002, Output: 502, Reasoning: 42}},
		"copilot": {"c03af078-7ec9-4b5e-b9d6-ab0339e019f7", at("05:26:22.87Z"), "gpt-5",
			parley.Tokens{Input: 7000, Cached: 3010, Output: 510, Reasoning: 50}},
		"gemini": {"add54440-0000-4000-8000-000000000001", at("05:28:04.669Z"), "gemini-2.5-flash",
			parley.Tokens{Input: 7000, Cached: 3032, Output: 604, Reasoning: 72}},
		"qwen": {"8fc397b4", at("05:26:44.735Z"), "qwen3-coder",
			parley.Tokens{Input: 7000, Cached: 3020, Output: 520, Reasoning: 60}},
	} {
		if diff := cmp.Diff(map[string]transcript.Record{want.ID: want}, last(t, form)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
	}
}

// Every form that is known has a sample.
func TestEveryFormHasASample(t *testing.T) {
	for _, form := range forms {
		if len(last(t, form)) == 0 {
			t.Errorf("%s: no record", form)
		}
	}
}

// A form that differs is not guessed at: each number that is taken away, renamed or made a text
// makes the line unknown.
func TestAnUnknownFormIsNotGuessed(t *testing.T) {
	for name, test := range map[string]struct{ form, old, new string }{
		"no usage":           {"claude", `"usage":{"input_tokens":10001`, `"used":{"input_tokens":10001`},
		"no input":           {"claude", `"input_tokens":10001`, `"input":10001`},
		"texts":              {"claude", `"output_tokens":8`, `"output_tokens":"8"`},
		"no model":           {"claude", `"model":"claude-opus-5-5"`, `"models":["claude-opus-5-5"]`},
		"no time":            {"claude", `"timestamp":"2026-11-22T05:26:14.586Z"`, `"at":1`},
		"only totals":        {"codex", `"type":"token_usage_record"`, `"type":"other"`},
		"no response":        {"codex", `"response_id":"resp_d22",`, ``},
		"more cache":         {"codex", `"cached_input_tokens":3002`, `"cached_input_tokens":30020`},
		"no model of codex":  {"codex", `"type":"turn_context"`, `"type":"context"`},
		"no usage object":    {"copilot", `"usage":{"model"`, `"use":{"model"`},
		"no input of gemini": {"gemini", `"tokens":{"input":10032`, `"tokens":{"in":10032`},
		"another total":      {"qwen", `"totalTokenCount":10540`, `"totalTokenCount":20540`},
		"cut":                {"qwen", `"cachedContentTokenCount":3020}}`, ``},
	} {
		text := string(must.Have(os.ReadFile(filepath.Join("testdata", test.form+".jsonl")))(t))
		changed := strings.ReplaceAll(text, test.old, test.new)
		if changed == text {
			t.Errorf("%s: nothing was changed", name)
		}

		var found error
		form := formOf(t, test.form)
		state := transcript.State{}
		for line := range strings.Lines(changed) {
			if _, err := form.Read([]byte(line), &state); err != nil {
				found = err
			}
		}
		if !errors.Is(found, transcript.ErrUnknown) {
			t.Errorf("%s: got %v", name, found)
		}
	}
}

func TestThoughtsBesidesTheOutputAreAdded(t *testing.T) {
	line := `{"uuid":"u","timestamp":"2026-11-22T05:26:44.735Z","type":"assistant","model":"m","usageMetadata":` +
		`{"promptTokenCount":100,"candidatesTokenCount":20,"thoughtsTokenCount":6,"totalTokenCount":126}}`
	rec := must.Have(formOf(t, "qwen").Read([]byte(line), &transcript.State{}))(t)
	if rec.Tokens != (parley.Tokens{Input: 100, Output: 26, Reasoning: 6}) {
		t.Errorf("got %+v", rec.Tokens)
	}
}

func FuzzRead(f *testing.F) {
	for _, form := range forms {
		text := must.Have(os.ReadFile(filepath.Join("testdata", form+".jsonl")))(f)
		for line := range bytes.Lines(text) {
			f.Add(form, line)
		}
	}
	f.Fuzz(func(t *testing.T, form string, line []byte) {
		if !slices.Contains(forms, form) {
			return
		}
		rec, _ := formOf(t, form).Read(line, &transcript.State{})
		if rec != nil && (rec.Tokens.Total() < 0 || rec.ID == "") {
			t.Errorf("%+v", rec)
		}
	})
}
