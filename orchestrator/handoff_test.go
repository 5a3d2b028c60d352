package orchestrator

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/program/profile"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// handing is a team with coder, which runs the program old and has others that can go on for it: one that takes its
// first prompt as an argument, and one to which it is typed.
type handing struct {
	*testTeam
	commands, logs map[string][]string
}

// handingProfiles adds the profiles of the programs.
func handingProfiles(set profile.Set, executable string) (profile.Set, error) {
	var err error
	for name, more := range map[string]string{
		"old": `session: {choose: ['chose {{.Session}}'], resume: ['resumed {{.Session}}']},
			markers: {blocked: {a usage limit: '^limit reached'}, resets: '(?P<text>resets \d+:\d+ UTC)'}`,
		"new": `reports: {Prompt: prompted}, handover: {prompt: ['{{.Prompt}}']}`, "typed": `inline_bytes: 0`,
	} {
		text := `{extends: framed, programs: [` + filepath.Base(executable) + `],
			inline_lines: 60, inline_chars: 3000, queue_key: '', ` + more + `}`
		if err == nil {
			set, err = set.With(name, []byte(text))
		}
	}
	return set, err
}

func newHanding(t *testing.T, old tmuxtest.Agent) *handing {
	t.Helper()
	profiles := func(o *Options) { o.Profiles = must.Have(handingProfiles(o.Profiles, o.Executable))(t) }
	h := &handing{newTeam(t, profiles), map[string][]string{}, map[string][]string{}}
	for _, name := range []string{"old", "new", "typed"} {
		log := filepath.Join(h.dir, name+".log")
		h.logs[name], h.commands[name] = []string{log}, tmuxtest.Agent{Log: log}.Argv()
	}
	old.Log = h.logs["old"][0]
	h.commands["old"] = old.Argv()
	h.start(parley.LaunchAgentRequest{Name: "coder", Profile: "old", Command: h.commands["old"], Dir: h.dir})
	h.begun("coder")
	if !old.Busy {
		h.inState("coder", parley.StateIdle)
	}
	return h
}

// to hands coder over.
func (h *handing) to(name string) (*parley.HandoffAgentResult, error) {
	return op.HandoffAgent.Call(h.operator(), h, parley.HandoffAgentRequest{
		Agent: "coder", To: name, Command: h.commands[name], Record: true,
	})
}

// got returns what a program was told.
func (h *handing) got(name string) (texts []string) {
	for _, m := range tmuxtest.Messages(h.t, h.logs[name][0]) {
		texts = append(texts, m.Text)
	}
	return texts
}

// told waits until a program has got so many texts and reports those that are messages.
func (h *handing) told(name string, n int) []string {
	h.t.Helper()
	tmuxtest.Poll(h.t, func() bool { return len(h.got(name)) >= n },
		func() string { return name + " got " + strings.Join(h.got(name), "\n---\n") })
	return h.got(name)
}

// runs returns the programs of coder that live.
func (h *handing) runs() (names []string) {
	id := h.roster.ByName("coder").ID
	for _, pid := range tmux.Marked(parley.AgentIDVariable + "=" + id) {
		argv, err := tmux.Foreground(pid)
		for name, command := range h.commands {
			if err == nil && slices.Contains(argv, command[2]) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestHandoffKeepsTheAgentAndBriefsTheNewProgram(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"new", "typed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHanding(t, tmuxtest.Agent{})
			before := h.roster.ByName("coder").Agent()
			h.arrived(h.send("coder", "mend the parser"))
			owed := h.sends(h.operator(), parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "what is left?",
				RequiresResponse: true})
			h.arrived(owed.MessageID)
			h.pause(true)
			if _, err := h.to(name); parley.ErrorCode(err) != parley.CommunicationDisabled {
				t.Errorf("while messages are paused: %v", err)
			}
			h.pause(false)

			// What waits behind the briefing comes in its order.
			m := h.roster.ByName("coder")
			m.Typing.Lock()
			first, second := h.send("coder", "first"), h.send("coder", "second")
			m.Typing.Unlock()
			res := must.Have(h.to(name))(t)

			after := h.roster.ByName("coder").Agent()
			if after.ID != before.ID || after.Profile != name || after.Dir != before.Dir || res.From != "old" {
				t.Errorf("it is %+v, was %+v", after, before)
			}
			h.begun("coder")
			if got := h.runs(); !slices.Equal(got, []string{name}) {
				t.Errorf("%v run, want %s alone", got, name)
			}
			texts := h.told(name, 1)
			for _, want := range []string{"work of old as the agent coder", "operator: mend the parser",
				"msg " + parley.Short(owed.MessageID) + " of operator: what is left?"} {
				if !strings.Contains(texts[0], want) {
					t.Errorf("it was told %q first, without %q", texts[0], want)
				}
			}
			if name == "new" {
				h.reportNow("coder", parley.ReportStateRequest{Event: "Prompt",
					MessageIDs: []string{parley.Short(res.PromptMessageID)}})
			}
			h.reach(res.PromptMessageID, parley.DeliveryRead)

			came := func() bool { return strings.Contains(strings.Join(h.got(name), ""), "msg "+parley.Short(second)) }
			tmuxtest.Poll(t, came, func() string { return "what waited did not come" })
			var order []string // the old one may have had the first already
			for _, text := range slices.Concat(h.got("old"), h.told(name, 2)) {
				for _, id := range []string{first, second} {
					if strings.Contains(text, "msg "+parley.Short(id)) {
						order = append(order, id)
					}
				}
			}
			want := []string{first, second}
			if d := h.delivery(first); len(order) == 1 && d.State.Settled() { // the old one ended before it noted it
				want = want[1:]
			}
			if !slices.Equal(order, want) {
				t.Errorf("what waited came as %v, want %v: %+v", order, want, h.delivery(first))
			}
		})
	}
}

func TestHandedBackAProgramContinuesItsConversation(t *testing.T) {
	t.Parallel()
	h := newHanding(t, tmuxtest.Agent{})
	h.arrived(h.send("coder", "mend the parser"))
	session := h.roster.ByName("coder").Agent().Session
	must.Have(h.to("typed"))(t)
	h.begun("coder")
	h.arrived(h.send("coder", "and the lexer"))

	res := must.Have(op.HandoffAgent.Call(h.operator(), h, parley.HandoffAgentRequest{
		Agent: "coder", To: "old", Record: true,
	}))(t)
	h.begun("coder")
	a := h.roster.ByName("coder").Agent()
	if res.Conversation != parley.ConversationResumed || a.Session.ID != session.ID ||
		!slices.Equal(a.Command, h.commands["old"]) {
		t.Errorf("it is %+v with %+v, had %+v", res, a, session)
	}
	texts := h.told("old", 4)
	if texts[2] != "resumed "+session.ID || !strings.Contains(texts[3], "typed went on with your work") ||
		!strings.Contains(texts[3], "operator: and the lexer") || strings.Contains(texts[3], "mend the parser") {
		t.Errorf("it was told %q", texts)
	}
	if got := h.runs(); !slices.Equal(got, []string{"old"}) {
		t.Errorf("%v run", got)
	}
}

// What cannot start leaves the old program at work, or brings it back.
func TestAHandoffThatDoesNotStartBringsTheOldProgramBack(t *testing.T) {
	t.Parallel()
	h := newHanding(t, tmuxtest.Agent{})
	robot, quits := filepath.Join(h.dir, "robot"), filepath.Join(h.dir, "quits")
	must.Do(t, os.WriteFile(robot, []byte("#!/nowhere\n"), 0o700))
	must.Do(t, os.WriteFile(quits, []byte("#!/bin/sh\nexit 3\n"), 0o700))
	h.arrived(h.send("coder", "mend the parser"))
	pid := h.pane("coder")

	for _, wrong := range []parley.HandoffAgentRequest{
		{To: "nobody"}, {To: "old"}, {To: "new", Command: []string{filepath.Join(h.dir, "none")}},
	} {
		wrong.Agent, wrong.Record = "coder", true
		if _, err := op.HandoffAgent.Call(h.operator(), h, wrong); err == nil {
			t.Errorf("%+v was done", wrong)
		}
	}
	if now := h.pane("coder"); now.ID() != pid.ID() {
		t.Error("a handoff that cannot be has ended the old program")
	}

	for _, name := range []string{"new", "typed"} {
		for _, command := range []string{robot, quits} {
			_, err := op.HandoffAgent.Call(h.operator(), h, parley.HandoffAgentRequest{
				Agent: "coder", To: name, Command: []string{command}, Record: true,
			})
			if err == nil || !strings.Contains(err.Error(), "and old is back") {
				t.Errorf("%s with %s: %v", name, command, err)
			}
			h.begun("coder")
			a := h.roster.ByName("coder").Agent()
			if got := h.runs(); a.Profile != "old" || !slices.Equal(got, []string{"old"}) {
				t.Errorf("after %s with %s it is %s, and %v run", name, command, a.Profile, got)
			}
		}
	}

	h.arrived(h.send("coder", "go on"))
	for _, text := range h.got("old") {
		if strings.Contains(text, "as the agent coder") {
			t.Errorf("the old program was told %q", text)
		}
	}
	if all := must.Have(h.store.Agents.Handoffs(t.Context()))(t); all[h.roster.ByName("coder").ID].Next != nil {
		t.Errorf("it is still under way: %+v", all)
	}
}

// The old program is asked for its own words, for a time.
func TestTheOldProgramBriefsTheNewOne(t *testing.T) {
	t.Parallel()
	h := newHanding(t, tmuxtest.Agent{})
	answered := make(chan string, 1)
	go func() {
		defer close(answered)
		brief := ""
		must.Become(t, "the old program is asked to brief the new one", func() bool {
			for _, text := range h.got("old") {
				if _, id, ok := strings.Cut(text, "· msg "); ok && strings.Contains(text, "Brief it") {
					brief = id[:parley.ShortID]
				}
			}
			return brief != ""
		})
		_, err := op.RespondToMessage.Call(h.caller("coder"), h,
			parley.RespondToMessageRequest{MessageID: brief, Text: "The lexer is done, in lex.go."})
		answered <- errorText(err)
	}()
	res := must.Have(op.HandoffAgent.Call(h.operator(), h, parley.HandoffAgentRequest{
		Agent: "coder", To: "new", Command: h.commands["new"], Wait: 20,
	}))(t)
	if wrong := <-answered; wrong != "" {
		t.Fatal(wrong)
	}
	if res.Briefed != parley.ByProgram || !strings.Contains(h.told("new", 1)[0], "old says:\n") ||
		!strings.Contains(h.got("new")[0], "The lexer is done, in lex.go.") {
		t.Errorf("briefed by %s: %q", res.Briefed, h.got("new"))
	}
}

// The question that the old program did not take goes to no other one.
func TestAProgramThatDoesNotBriefIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	h := newHanding(t, tmuxtest.Agent{Busy: true})
	h.inState("coder", parley.StateBusy)
	res := must.Have(op.HandoffAgent.Call(h.operator(), h, parley.HandoffAgentRequest{
		Agent: "coder", To: "new", Command: h.commands["new"], Wait: 1,
	}))(t)
	h.begun("coder")
	h.reportNow("coder", parley.ReportStateRequest{Event: "Prompt",
		MessageIDs: []string{parley.Short(res.PromptMessageID)}})
	id := h.send("coder", "go on")
	h.told("new", 2)
	h.reportNow("coder", parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(id)}})
	h.arrived(id)
	for _, text := range append(h.got("old"), h.got("new")...) {
		if strings.Contains(text, "Brief it") {
			t.Errorf("a program got the question that was withdrawn: %q", text)
		}
	}
	h.nothingNeeded()
}

// What stands still at a usage limit for long goes on under the first program of its fallback that can.
func TestAnAgentAtALongLimitFallsBack(t *testing.T) {
	t.Parallel()
	above := filepath.Join(t.TempDir(), "above")
	must.Do(t, os.WriteFile(above, nil, 0o600))
	h := newHanding(t, tmuxtest.Agent{Above: above})
	for _, name := range []string{"typed", "old"} { // which tells the commands of both
		must.Have(h.to(name))(t)
		h.begun("coder")
		h.inState("coder", parley.StateIdle)
	}
	a := h.roster.ByName("coder").Agent()
	a.Fallback = []string{"old", "missing", "typed"}
	must.Do(t, h.roster.Records.SetLabels(t.Context(), h.roster.ByName("coder"), a))
	id := h.sends(h.operator(), parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "mend the parser"}).MessageID
	h.arrived(id)

	soon, late := time.Now().Add(10*time.Minute), time.Now().Add(3*time.Hour)
	must.Do(t, os.WriteFile(above, []byte("limit reached, resets "+soon.UTC().Format("15:04")+" UTC"), 0o600))
	h.inState("coder", parley.StateBlocked)
	time.Sleep(3 * time.Second) // some looks at what is blocked
	if got := h.roster.ByName("coder").Agent().Profile; got != "old" {
		t.Fatalf("at a short limit it is %s", got)
	}

	must.Do(t, os.WriteFile(above, []byte("limit reached, resets "+late.UTC().Format("15:04")+" UTC"), 0o600))
	tmuxtest.Poll(t, func() bool { return h.roster.ByName("coder").Agent().Profile == "typed" },
		func() string { return fmt.Sprintf("it is %+v", h.roster.ByName("coder").Agent()) })
	told := func() bool { return strings.Contains(strings.Join(h.got("typed"), ""), "operator: mend the parser") }
	tmuxtest.Poll(t, told,
		func() string { return fmt.Sprintf("it was told %q", h.got("typed")) })
	for _, text := range h.got("old") { // a briefing that waited when the next handoff came is nobody else's
		if strings.Contains(text, "You go on with the work of old") {
			t.Errorf("old was told %q", text)
		}
	}
	var notices []string
	tmuxtest.Poll(t, func() bool {
		inbox := must.Have(op.CheckInbox.Call(h.operator(), h, parley.CheckInboxRequest{Limit: 10}))(t)
		notices = nil
		for _, m := range inbox.Messages {
			notices = append(notices, m.Content)
		}
		return len(notices) == 2
	}, func() string { return fmt.Sprintf("the notices are %q", notices) })
	all := strings.Join(notices, "\n")
	if !strings.Contains(all, "typed goes on for old as coder") || !strings.Contains(all, "its fallback failed") {
		t.Errorf("the operator was told %q", notices)
	}
}

// crashHandoff makes a crashing daemon hand an agent over: its profile and the command follow.
const crashHandoff = "@handoff "

// A daemon that is killed at any time in a handoff leaves an agent that is the old one or the new one, once the next
// daemon has looked, and one program in its directory. What waits comes once.
func TestADaemonKilledInAHandoffLeavesOneProgram(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 0))
	h := newHanding(t, tmuxtest.Agent{})
	ends := map[string]int{}
	for round := range tries(12) {
		to := []string{"typed", "old"}[round%2]
		was := h.roster.ByName("coder").Agent().Profile
		if was == to {
			to = map[string]string{"old": "typed", "typed": "old"}[to]
		}
		id := h.send("coder", fmt.Sprintf("waits %d", round))
		h.close()
		cmd, in, out := h.startCrashing(t, crashTeam{})
		fmt.Fprintln(in, crashHandoff+to+" "+string(must.Have(json.Marshal(h.commands[to]))(t)))
		if !out.Scan() {
			t.Fatal("the daemon has ended")
		}
		time.Sleep(time.Duration(chance.IntN(120)) * time.Millisecond)
		must.Do(t, cmd.Process.Kill())
		_ = cmd.Wait()

		h.open()
		member := h.roster.ByName("coder")
		tmuxtest.Poll(t, func() bool {
			all := must.Have(h.store.Agents.Handoffs(t.Context()))(t)
			return all[member.ID].Next == nil && member.Agent().State.Live()
		}, func() string { return fmt.Sprintf("it is %+v", member.Agent()) })
		h.inState("coder", parley.StateIdle)
		now := member.Agent().Profile
		ends[now+" after "+was]++
		if got := h.runs(); !slices.Equal(got, []string{now}) {
			t.Errorf("round %d: it is %s, and %v run", round, now, got)
		}
		h.settles(id)
		times := strings.Count(strings.Join(slices.Concat(h.got("old"), h.got("typed")), ""), "· msg "+parley.Short(id))
		if state := h.delivery(id).State; times != 1 && state != parley.DeliveryUnconfirmed {
			t.Errorf("round %d: what waited came %d times, and is %s", round, times, state)
		}
		if was != now { // what waited may have gone to the old one, and have settled before this
			briefed := func() bool { return strings.Contains(strings.Join(h.got(now), ""), "as the agent coder") }
			tmuxtest.Poll(t, briefed,
				func() string { return fmt.Sprintf("round %d: %s was not briefed: %q", round, now, h.got(now)) })
		}
	}
	t.Logf("%v", ends)
}

// settles waits until nothing more is done about a message.
func (h *handing) settles(id string) {
	h.t.Helper()
	tmuxtest.Poll(h.t, func() bool { return h.delivery(id).State.Settled() },
		func() string { return fmt.Sprintf("it is %+v", h.delivery(id)) })
}

func errorText(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}
