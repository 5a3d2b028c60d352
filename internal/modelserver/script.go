package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// script holds the commands of a prompt.
type script struct {
	text       string // the prompt
	words      int
	sleep      time.Duration
	wait       bool
	call, with string // a tool and its arguments
	fail       int    // an HTTP status
	use        *use   // what it says that it used
	reason     string
	limit      int // seconds until a usage limit ends; 0: none
	faults
}

var (
	sleepForm  = regexp.MustCompile(`\bSLEEP (\d+(?:\.\d+)?)`)
	waitForm   = regexp.MustCompile(`\bWAIT\b`)
	streamForm = regexp.MustCompile(`\bSTREAM (\d+)`)
	callForm   = regexp.MustCompile(`\bCALL (\S+) (\{.*\})`)
	useForm    = regexp.MustCompile(`\bUSE (\d+) (\d+) (\d+) (\d+)`)
	limitForm  = regexp.MustCompile(`\bLIMIT (\d+)`)
	failForm   = regexp.MustCompile(`\bFAIL ([45]\d\d)(?: (.*))?`)
)

func parseScript(text string) script {
	number := func(form *regexp.Regexp) int {
		if m := form.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1]) // digits
			return n
		}
		return 0
	}

	sc := script{
		text:  text,
		wait:  waitForm.MatchString(text),
		words: number(streamForm),
		fail:  number(failForm),
		limit: number(limitForm),
	}

	if m := sleepForm.FindStringSubmatch(text); m != nil {
		sc.sleep, _ = time.ParseDuration(m[1] + "s")
	}
	if m := useForm.FindStringSubmatch(text); m != nil {
		sc.use = parseUse(m[1:])
	}
	if m := callForm.FindStringSubmatch(text); m != nil {
		sc.call, sc.with = m[1], m[2]
	}
	if m := failForm.FindStringSubmatch(text); m != nil {
		sc.reason = m[2]
	}

	sc.faults = parseFaults(text)

	return sc
}

// answer obeys the turn's commands and writes the answer.
func (s *Server) answer(api speaker, t turn, w *stream) {
	sc := parseScript(w.text)
	if sc.times > 0 && s.hasFailed(w.text, sc.times) {
		sc.fail = 0
	}
	w.use = sc.use
	if sc.fail == 0 && sc.limit == 0 {
		w.begin()
	}
	if sc.wait && !w.wait(w.released) || !w.sleep(sc.sleep) {
		return
	}

	if sc.limit != 0 {
		api.limited(w, time.Now(), sc.limit)
		return
	}
	if sc.fail != 0 {
		sc.header(w.w.Header())
		w.refuse(api, sc.fail, sc.reason)
		return
	}

	if sc.spoilsAnswer() {
		sc.spoil(w, api)
		return
	}

	if sc.call == "" {
		api.say(w, sc.pieces())
		return
	}

	if tool, ok := findTool(t.tools, sc.call); ok && json.Valid([]byte(sc.with)) {
		w.last()
		api.call(w, tool, sc.with)
		return
	}

	api.say(w, []string{fmt.Sprintf("There is no such call: %s %s; the tools are %s", sc.call, sc.with, t.tools)})
}

// pieces returns the answer in pieces, to be sent a second apart.
func (sc script) pieces() (pieces []string) {
	for i := range sc.words {
		pieces = append(pieces, fmt.Sprintf("word%d ", i+1))
	}
	if sc.text == "" {
		return append(pieces, "Understood.")
	}
	if sc.say != "" {
		return append(pieces, sc.say)
	}
	line, _, _ := strings.Cut(sc.text, "\n")
	runes := []rune(line)
	return append(pieces, "You said: "+string(runes[:min(len(runes), 60)]))
}

// findTool returns the tool with a name, else one whose name ends with it, after the name
// of its server.
func findTool(tools []tool, name string) (tool, bool) {
	if i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name || t.String() == name }); i >= 0 {
		return tools[i], true
	}
	for _, t := range tools {
		if before, ok := strings.CutSuffix(t.String(), name); ok && strings.ContainsAny(before[len(before)-1:], "_-.") {
			return t, true
		}
	}
	return tool{}, false
}

// stream writes an answer.
type stream struct {
	recorded
	w        http.ResponseWriter
	n        int  // events so far
	use      *use // what the answer says that it used; nil: as always
	whole    bool // one JSON object instead of a stream
	messages int  // in the request
	gone     <-chan struct{}
	last     func() // to be called before the end of an answer is written
}

func (w *stream) id(kind string) string { return fmt.Sprintf("%s_%d", kind, w.turn) }

func (w *stream) begin() {
	if w.whole {
		w.w.Header().Set("Content-Type", "application/json")
		return
	}
	w.w.Header().Set("Content-Type", "text/event-stream")
	w.flush()
}

// refuse answers with an error, whose reason may be the whole body as JSON. The header
// X-Should-Retry keeps the client of Anthropic from retrying for minutes.
func (w *stream) refuse(api speaker, status int, reason string) {
	w.w.Header().Set("Content-Type", "application/json")
	if _, ok := api.(anthropic); ok {
		w.w.Header().Set("X-Should-Retry", "false")
	}
	w.w.WriteHeader(status)
	if json.Valid([]byte(reason)) {
		fmt.Fprint(w.w, reason)
		return
	}
	if reason == "" {
		reason = http.StatusText(status)
	}
	w.w.Write(encode(api.failure(status, reason)))
}

// sleep waits, and reports whether the client is still there.
func (w *stream) sleep(d time.Duration) bool {
	if d == 0 {
		return true
	}
	slept := make(chan struct{})
	defer time.AfterFunc(d, func() { close(slept) }).Stop()
	return w.wait(slept)
}

// wait waits until over is closed, and reports whether the client is still there.
func (w *stream) wait(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	case <-w.gone:
		return false
	}
}

// speak writes the pieces a second apart, and reports whether the client is still there.
func (w *stream) speak(pieces []string, write func(piece string)) bool {
	for i, piece := range pieces {
		if i > 0 && !w.sleep(time.Second) {
			return false
		}
		if i == len(pieces)-1 {
			w.last()
		}
		write(piece)
	}
	return true
}

func (w *stream) flush() {
	if f, ok := w.w.(http.Flusher); ok {
		f.Flush()
	}
}

// event writes a server-sent event with its name, which its data repeats.
func (w *stream) event(name string, o object) {
	o["type"], o["sequence_number"] = name, w.n
	w.n++
	fmt.Fprintf(w.w, "event: %s\ndata: %s\n\n", name, encode(o))
	w.flush()
}

// data writes a server-sent event without a name, or the whole answer.
func (w *stream) data(o object) {
	if w.whole {
		w.w.Write(encode(o))
		return
	}
	fmt.Fprintf(w.w, "data: %s\n\n", encode(o))
	w.flush()
}

var (
	reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>\n?`)
	clock    = regexp.MustCompile(`(?s)^<current_datetime>.*?</current_datetime>\n\n`)
)

// wrappers are what some programs wrap a submitted text in, and a text from another session.
var wrappers = []*regexp.Regexp{
	regexp.MustCompile(`(?s)^<user_query>\n?(.*?)\n?</user_query>$`),
	regexp.MustCompile(`(?s)^<cross_session_message [^>]*>\n(.*)\n</cross_session_message>`),
	regexp.MustCompile(`(?s)^<system-notice>\nUser interjection during work: .*?\n</system-notice>\n(.*)`),
	regexp.MustCompile(`(?s)^Another Claude session sent a message:\n(.*)\n\nThis came from another Claude session`),
}

// hooks are what programs put around a text that one of their hooks printed.
var hooks = []*regexp.Regexp{
	regexp.MustCompile(`(?s)(?:PostToolUse:\S+|Stop) hook additional context: (.*?)(?:\n</system-reminder>|\z)`),
	regexp.MustCompile(`(?s)<hook_context>(.*?)</hook_context>`),
	regexp.MustCompile(`(?s)^<hook_prompt [^>]*>(.*)</hook_prompt>$`),
	regexp.MustCompile(`(?s)Context from PostToolUse hook '[^']*':\n(.*?)\n</system-reminder>`),
	regexp.MustCompile(`(?s)^Stop hook feedback:\n- (.*?)\n?$`),
	regexp.MustCompile(`(?s)(?:\n|^)(\[AGENT [^\]]*\]: [^\n]*(?:\n[^\n]+)*\))\n*$`),
}

// hooked returns what hooks printed into a text of a program: the first form that fits tells.
func hooked(text string) (texts []string) {
	for _, form := range hooks {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			texts = append(texts, m[1])
		}
		if texts != nil {
			return texts
		}
	}
	return nil
}

// userText returns a submitted text without the additions of programs. It is not ok for a
// text that is only an addition.
func userText(text string) (string, bool) {
	text = clock.ReplaceAllString(reminder.ReplaceAllString(text, ""), "")
	for _, wrapper := range wrappers {
		if m := wrapper.FindStringSubmatch(text); m != nil {
			return m[1], true
		}
	}
	begin := strings.TrimSpace(text)
	about := strings.HasPrefix(begin, "# AGENTS.md") ||
		strings.HasPrefix(begin, "<") && !strings.HasPrefix(begin, "<pasted_content")
	return text, !about && begin != ""
}
