package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/conversation"
	"parley/program/profile"
	"parley/program/transcript"
)

// textReaders read what a repository, an agent program or a peer may have written. Each gets a hostile
// text, in a form of its own.
func textReaders(t *testing.T) map[string]func(hostile string) {
	file := filepath.Join(t.TempDir(), "parley.yaml")
	team := func(before string) func(string) {
		return func(hostile string) {
			text := before + hostile
			must.Do(t, os.WriteFile(file, []byte(text[:min(len(text), 256<<10)]), 0o600))
			_, _ = daemon.LoadTeam(file, true)
		}
	}

	all := map[string]func(string){
		"a file": team(""), "settings": team("settings: "), "agents": team("agents:\n- name: a\n  command: "),
		"profiles": team("profiles:\n  x:\n    markers: "),
		"a hook's input": func(text string) {
			readReport(nil, func() []byte { return []byte(`{"hook_event_name":"Stop","prompt":` + text) })
		},
		"a key": func(text string) { op.TakeKey(json.RawMessage(`{"api_key":"x","to":` + text)) },
		"a room": func(text string) {
			_ = new(conversation.Room).UnmarshalJSON([]byte(`{"posts":` + text))
		},
		"an error": func(text string) {
			_ = json.Unmarshal([]byte(`{"success":false,"x":`+text), new(parley.Error))
		},
		"screen's content": func(text string) { _ = json.Unmarshal([]byte(text), new(parley.CheckInboxResult)) },
	}
	for _, op := range op.All {
		for _, f := range op.Fields {
			all["a parameter of type "+f.Type] = func(text string) {
				_, _ = op.Decode([]byte(`{"` + f.Name + `":` + text + "}"))
			}
		}
	}
	profiles := must.Have(profile.Builtin())(t)
	for form, mark := range map[string]string{
		"claude": `"type":"assistant"`, "codex": `"token_usage_record"`, "copilot": `"session.usage_record"`,
		"gemini": `"type":"gemini"`, "qwen": `"type":"assistant"`,
	} {
		format := profiles.Transcript(form)
		all["a transcript of "+form] = func(text string) {
			line := []byte("{" + mark + `,"message":` + text)
			_, _ = format.Read(line, &transcript.State{})
			format.EditsIn(line)
			format.Prompt(line)
		}
	}

	return all
}

// bombs are texts that a careless reader takes long for, or much memory.
func bombs() map[string]string {
	const size = 64 << 10
	all := map[string]string{}
	for _, piece := range []string{
		"[", "{", "- ", "? ", ": ", "&a ", "*a ", "!!a ", "a: ", "|\n", ">\n", "'", `"`, `\`, "#\n", "%a\n", "---\n",
		"...\n",
		"a:\n", "- a\n", "- - a\n", "- |\n", "[a,", "{a: ", "[]", "{}", "<<: ", "@", "`", `{"a":`, `[{"a":`, `{"x":0,`,
		"9", `\ud800`, "\x00", "]", "}", "\t", "\n", "é", "\r",
	} {
		all[piece] = strings.Repeat(piece, size/len(piece))
	}
	all["closed"] = strings.Repeat("[", size/2) + strings.Repeat("]", size/2)
	all["objects"] = strings.Repeat(`{"a":`, size/8) + "1" + strings.Repeat("}", size/8)
	for _, step := range []string{"a:\n", "- \n", "- a:\n"} {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(strings.Repeat(" ", i) + step)
		}
		all["deeper "+step] = "\n" + b.String()
	}

	lists, maps, chain := new(strings.Builder), new(strings.Builder), new(strings.Builder)
	lists.WriteString("a0: &a0 [x]\n")
	maps.WriteString("a0: &a0 {x: y}\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(lists, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9))
		fmt.Fprintf(maps, "a%d: &a%d {<<: *a%d, l: *a%d, r: *a%d}\n", i, i, i-1, i-1, i-1)
	}
	for i := 0; chain.Len() < size; i++ {
		fmt.Fprintf(chain, "a%d: &a%d [*a%d]\n", i, i, i-1)
	}
	all["lists of lists"], all["maps of maps"] = "\n"+lists.String(), "\n"+maps.String()
	all["a chain"] = "\n" + chain.String()

	return all
}

// No text of 64 KB takes a reader more than some hundred bytes for each of its own, and
// all come to an end.
func TestNoReaderIsOverwhelmed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s of processor time")
	}

	const most = 100 << 20 // bytes in all; 100 KB of brackets took 3 GB
	for name, read := range textReaders(t) {
		for what, text := range bombs() {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			done := make(chan bool)
			go func() { defer close(done); read(text) }()
			must.Come(t, fmt.Sprintf("the end of %s, which reads %q", name, what), done)

			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("%s takes %d MB for %q", name, took>>20, what)
			}
		}
	}
}
