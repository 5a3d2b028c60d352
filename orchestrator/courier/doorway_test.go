package courier

import (
	"strings"
	"testing"
	"time"

	"parley"
)

// throughDoor tells the story of a program with a door, and returns what happened.
func throughDoor(t *testing.T, door string, events ...event) (log string) {
	t.Helper()
	return throughDoorOf(t, "opencode", door, events...)
}

func throughDoorOf(t *testing.T, program, door string, events ...event) (log string) {
	t.Helper()
	inBubble(t, func() {
		s := &story{Profile: program, Back: time.Second, Events: events}
		s.Traits = traits{Width: 120, Work: time.Second, Start: 100 * time.Millisecond, Reports: true}
		s.Traits.Door, s.Traits.Yields = door, door == "yields"
		s.Traits.Lies, s.Traits.Outlives = door == "lies" || s.Traits.Yields, door == "outlives"
		if s.Traits.Lies || s.Traits.Outlives {
			s.Traits.Door = "tells"
		}
		w := runWorld(s, newCommon(), true)
		if w.broken != nil {
			t.Error(w.broken)
		}
		log = strings.Join(w.log, "\n")
	})
	return log
}

func TestWhatItsProgramKeepsSaysSo(t *testing.T) {
	log := throughDoor(t, "tells",
		event{At: 5 * time.Second, Do: "dialog", For: 20 * time.Second},
		event{At: 6 * time.Second, Do: "send", What: "normal"})
	for _, want := range []string{
		"message 1 is typing: " + string(parley.HoldInside) +
			" its program has it, through its own door, and keeps it for later: it says queued",
		"message 1 is submitted: " + string(parley.ProofDoor) + " given to its program through its own door " +
			"(a dialog is open in its terminal, and the text would answer it), and it says read",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("nothing says %q:\n%s", want, log)
		}
	}
	if strings.Contains(log, "paste of message 1") {
		t.Errorf("it was typed:\n%s", log)
	}
}

func TestWhatItsDoorWouldChangeIsTyped(t *testing.T) {
	for program, given := range map[string]bool{"opencode": true, "qwen": false} {
		log := throughDoorOf(t, program, "tells",
			event{At: 3 * time.Second, Do: "send", What: "normal"},
			event{At: 15 * time.Second, Do: "draft", What: "clears it", For: 8 * time.Second},
			event{At: 17 * time.Second, Do: "send", What: "normal", N: 3})
		typed := strings.Contains(log, "paste of message 2") && strings.Contains(log, "door would change its text")
		if strings.Contains(log, "message 2 is given") != given || typed == given {
			t.Errorf("%s, want it given: %v\n%s", program, given, log)
		}
	}
}

func TestAFreeTerminalIsTypedInto(t *testing.T) {
	log := throughDoor(t, "tells", event{At: 5 * time.Second, Do: "send", What: "normal"})
	if !strings.Contains(log, "paste of message 1") || strings.Contains(log, "is given") {
		t.Errorf("it did not go into the free terminal:\n%s", log)
	}
}

func TestAClosedDoorLeavesTheTerminal(t *testing.T) {
	log := throughDoor(t, "tells", event{At: time.Second, Do: "door closes", For: time.Hour},
		event{At: 5 * time.Second, Do: "draft", What: "clears it", For: 5 * time.Second},
		event{At: 7 * time.Second, Do: "send", What: "normal"})
	if !strings.Contains(log, "paste of message 1") || strings.Contains(log, "is given") {
		t.Errorf("it was not typed once the draft was gone:\n%s", log)
	}
}

func TestADoorThatIsClosedToAVersionSaysSo(t *testing.T) {
	log := throughDoor(t, "newer",
		event{At: 5 * time.Second, Do: "dialog", For: 20 * time.Second},
		event{At: 6 * time.Second, Do: "send", What: "normal"})
	held := "message 1 is held: " + string(parley.HoldDialog)
	const why = "door is closed, since nothing shows that it holds in version 3.0.0"
	_, reason, _ := strings.Cut(log, held)
	_, after, said := strings.Cut(reason, why)
	if !said || strings.Contains(after, held) || !strings.Contains(after, "paste of message 1") {
		t.Errorf("want it held, with the reason said to the end, and typed:\n%s", log)
	}
}

// What goes back into the queue says so in its own words, since nothing was typed.
func TestWhatItsProgramNeverGotSaysSo(t *testing.T) {
	log := throughDoor(t, "tells", event{At: time.Second, Do: "door loses", N: 1},
		event{At: 5 * time.Second, Do: "dialog", For: 5 * time.Second},
		event{At: 6 * time.Second, Do: "send", What: "normal"})
	absent := "message 1 is queued: " + string(parley.EndedDoorAbsent)
	if !strings.Contains(log, absent+" its program does not have it: it says absent") ||
		!strings.Contains(log, "paste of message 1") {
		t.Errorf("want it queued again with its reason, and typed:\n%s", log)
	}
}

// What is taken back keeps its order, with what came after it.
func TestWhatIsTakenBackKeepsItsOrder(t *testing.T) {
	log := throughDoor(t, "yields",
		event{At: 5 * time.Second, Do: "dialog", For: 5 * time.Second},
		event{At: 6 * time.Second, Do: "send", What: "normal"}, event{At: 7 * time.Second, Do: "send", What: "normal"})
	second := strings.Index(log, "message 2 is given back")
	first := strings.Index(log, "message 1 is given back")
	inOrder := strings.Index(log, "paste of message 1") < strings.Index(log, "paste of message 2")
	if second < 0 || first < second || !inOrder {
		t.Errorf("want both taken back, the last one first, and typed in their order:\n%s", log)
	}
}

// So does the next daemon.
func TestWhatALaterPromptTakesAlongIsProvenAfterARestart(t *testing.T) {
	log := throughDoor(t, "lies",
		event{At: 5 * time.Second, Do: "dialog", For: 5 * time.Second},
		event{At: 6 * time.Second, Do: "send", What: "normal"},
		event{At: 55 * time.Second, Do: "daemon stops"}, event{At: 60 * time.Second, Do: "send", What: "normal"})
	silent := strings.Index(log, "message 1 is unconfirmed: "+string(parley.EndedDoorSilent))
	ended := strings.Index(log, "the daemon has ended")
	proven := strings.Index(log, "message 1 is submitted: "+string(parley.ProofDoor))
	if silent < 0 || ended < silent || proven < ended {
		t.Errorf("want it proven by the daemon after the one that gave it up:\n%s", log)
	}
}

// A queue can outlive its program: what it keeps comes when that is back.
func TestWhatComesAfterItsProgramIsBackIsProven(t *testing.T) {
	log := throughDoor(t, "outlives",
		event{At: 5 * time.Second, Do: "dialog", For: 20 * time.Second},
		event{At: 6 * time.Second, Do: "send", What: "normal"},
		event{At: 10 * time.Second, Do: "program dies", For: 5 * time.Second})
	silent := strings.Index(log, "message 1 is unconfirmed: "+string(parley.EndedDoorSilent))
	proven := strings.Index(log, "message 1 is submitted: "+string(parley.ProofDoor))
	if silent < 0 || proven < silent {
		t.Errorf("want it unconfirmed while its program is gone, and proven once that has read it:\n%s", log)
	}
}

func TestWhatALaterPromptTakesAlongIsProven(t *testing.T) {
	log := throughDoor(t, "lies",
		event{At: 5 * time.Second, Do: "dialog", For: 5 * time.Second},
		event{At: 6 * time.Second, Do: "send", What: "normal"},
		event{At: 60 * time.Second, Do: "send", What: "normal"})
	silent := strings.Index(log, "message 1 is unconfirmed: "+string(parley.EndedDoorSilent))
	proven := strings.Index(log, "message 1 is submitted: "+string(parley.ProofDoor))
	if silent < 0 || proven < silent || !strings.Contains(log, "message 2 is submitted") {
		t.Errorf("want it unconfirmed while it lies there, and proven once the next prompt has taken it along:\n%s",
			log)
	}
}

// A program that only reports, and whose report is lost, shows what it was given.
func TestALostReportIsMadeUpForByTheScreen(t *testing.T) {
	inBubble(t, func() {
		s := &story{Profile: "claude", Back: time.Second, Lost: 1, Events: []event{
			{At: 2 * time.Second, Do: "send", What: "normal"}, // shows that it is signed in
			{At: 15 * time.Second, Do: "dialog", For: 10 * time.Second},
			{At: 16 * time.Second, Do: "send", What: "normal"},
		}}
		s.Traits = traits{Width: 120, Work: time.Second, Start: 100 * time.Millisecond, Reports: true}
		s.Traits.Door = "reports"
		w := runWorld(s, newCommon(), true)
		log := strings.Join(w.log, "\n")
		if w.broken != nil || !strings.Contains(log, "message 2 is submitted: "+string(parley.ProofShown)) {
			t.Errorf("%v\n%s", w.broken, log)
		}
	})
}

// A message whose hook has gone on goes to the next one. It is not typed after the turn.
func TestWhatAHookGoesOnWithoutGoesToTheNext(t *testing.T) {
	inBubble(t, func() {
		s := &story{Profile: "claude", Back: time.Second, Events: []event{
			{At: 2 * time.Second, Do: "send", What: "normal"}, // shows that it is signed in
			{At: 3 * time.Second, Do: "hooks go on", N: 1},
			{At: 3 * time.Second, Do: "draft", What: "clears it", For: 15 * time.Second},
			{At: 4 * time.Second, Do: "send", What: "urgent"},
		}}
		s.Traits = traits{Width: 120, Work: 12 * time.Second, Start: 100 * time.Millisecond, Reports: true}
		s.Traits.Hooks, s.Traits.Tools, s.Traits.Prints = "tells", 3, 20*time.Millisecond
		w := runWorld(s, newCommon(), true)
		log := strings.Join(w.log, "\n")
		if w.broken != nil || strings.Contains(log, "paste of message 2") ||
			!strings.Contains(log, "message 2 is submitted: "+string(parley.ProofDoor)) {
			t.Errorf("%v\n%s", w.broken, log)
		}
	})
}

// A hook at the end of a turn waits until that is seen to have what a hook took just before. Else the next message
// would lie behind a draft.
func TestAHookWaitsForWhatTheLastOneTook(t *testing.T) {
	inBubble(t, func() {
		s := &story{Profile: "claude", Back: time.Second, Events: []event{
			{At: 2 * time.Second, Do: "send", What: "normal"}, // shows that it is signed in
			{At: 3 * time.Second, Do: "draft", What: "clears it", For: 20 * time.Second},
			{At: 12 * time.Second, Do: "send", What: "urgent"},
			{At: 12 * time.Second, Do: "send", What: "normal"},
		}}
		s.Traits = traits{Width: 120, Work: 10 * time.Second, Start: 100 * time.Millisecond, Reports: true}
		s.Traits.Hooks, s.Traits.Tools, s.Traits.Wrote = "tells", 100, 500*time.Millisecond
		w := runWorld(s, newCommon(), true)
		log := strings.Join(w.log, "\n")
		if w.broken != nil || strings.Contains(log, "paste of message 3") ||
			strings.Count(log, "is submitted: "+string(parley.ProofDoor)) != 2 {
			t.Errorf("%v\n%s", w.broken, log)
		}
	})
}
