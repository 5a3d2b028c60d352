package tui

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/tui/kit"
	"parley/tui/room"
)

// How an answer that has none of something is told: in the status, and on a line of its own.
var (
	toldAsEmpty = regexp.MustCompile(
		`(?i)\b(no|none|nothing|does not|last change|first change|choose an agent first)\b`)
	drawnAsEmpty = regexp.MustCompile(`^[▸✓ ]*(No|Nothing|None|nothing|There is no)\b`)
	keptWords    = regexp.MustCompile(`Nothing is selected|changes nothing here`) // for which nothing is awaited
)

// awaitedViews are the keys that lead to each part of the screen that shows what it asked the daemon for.
var awaitedViews = map[string][]string{
	"traffic": {"1"}, "agents": {"2"}, "threads": {"3"}, "needs": {"4"}, "health": {"5"}, "names": {"'"},
	"filter":      {"f", "is:", "enter"},
	"list filter": {"2", "/", "o", "enter"}, "tiles": {"t"}, "zoom": {"2", "enter"}, "review": {"2", "d"},
	"talk":   {"3", "enter"},
	"launch": {"L", "tab"}, "workspaces": {"W"}, "conversations": {"H"}, "schedules": {"P"},
	"message": {"1", "k", "enter"},
}

// awaited lists the kinds of answers that a screen gets while a person looks at everything.
func awaited(t *testing.T) []string {
	kinds := map[string]bool{}
	for _, keys := range awaitedViews {
		s := newAwaiting(t, func(kind string) bool { kinds[kind] = true; return false })
		s.looksAt(keys)
	}
	return slices.Sorted(maps.Keys(kinds))
}

// newAwaiting is a screen that does not get the answers that withheld accepts.
func newAwaiting(t testing.TB, withheld func(kind string) bool) *stage {
	f := busyTeam()
	s := newUnread(t, f, 140, 40, withheld)
	s.news()
	return s
}

// looksAt presses keys; words of several letters are typed.
func (s *stage) looksAt(keys []string) {
	for _, k := range keys {
		if _, named := keyCodes[k]; len(k) > 1 && !named {
			s.typed(k)
		} else {
			s.press(k)
		}
	}
}

// What has not come yet is not told as if there was nothing: each answer is withheld, and each key pressed in each view
// that looks different without it.
func TestAnAwaitedAnswerIsNotToldAsEmpty(t *testing.T) {
	drawsALot(t)
	whole := map[string]*stage{} // what is seen with all answers, by view and key
	seen := func(name, key string) *stage {
		at := name + " " + key
		if whole[at] == nil {
			whole[at] = newAwaiting(t, nil)
			whole[at].looksAt(awaitedViews[name])
			if key != "" {
				whole[at].press(key)
			}
		}
		return whole[at]
	}

	for _, kind := range awaited(t) {
		for _, name := range slices.Sorted(maps.Keys(awaitedViews)) {
			lacking := func(key string) *stage {
				s := newAwaiting(t, func(k string) bool { return k == kind })
				s.looksAt(awaitedViews[name])
				if key != "" {
					s.press(key)
				}
				return s
			}

			has, lacks := seen(name, ""), lacking("")
			if has.text() == lacks.text() {
				continue
			}
			faults := notedAsEmpty(has, lacks)
			for _, key := range keysOf(lacks) {
				faults = append(faults, notedAsEmpty(seen(name, key), lacking(key))...)
			}
			slices.Sort(faults)
			for _, fault := range slices.Compact(faults) {
				t.Errorf("%s without %s: %s", name, kind, fault)
			}
		}
	}
}

// keysOf returns a key for each verb that the screen has now.
func keysOf(s *stage) (all []string) {
	scopes := []kit.Scope{s.m.scope()}
	if scopes[0] == kit.InShell {
		scopes = append(scopes, room.ScreenScope(s.m.room.At))
	}
	for _, scope := range scopes {
		for _, b := range s.m.room.Keys.Bound.In(scope) {
			all = append(all, b.Keys[0])
		}
	}
	return all
}

// notedAsEmpty returns what a screen that lacks an answer tells as if there was nothing, and one that has it does not.
func notedAsEmpty(has, lacks *stage) (faults []string) {
	if has.m.room.At != lacks.m.room.At {
		return nil // a key has gone elsewhere: there it is looked at, too
	}
	if status := keptWords.ReplaceAllString(lacks.m.room.Status.Text, ""); status != has.m.room.Status.Text &&
		toldAsEmpty.MatchString(status) {
		faults = append(faults, "it says “"+status+"”")
	}

	drawn := has.text()
	for line := range strings.SplitSeq(lacks.text(), "\n") {
		for part := range strings.SplitSeq(line, "│") {
			part = keptWords.ReplaceAllString(part, "")
			if drawnAsEmpty.MatchString(part) && !strings.Contains(drawn, strings.TrimSpace(part)) {
				faults = append(faults, "it shows “"+strings.TrimSpace(part)+"”")
			}
		}
	}
	return faults
}

// What is asked of the changes before they were read, with comments kept from before, is answered once they are there.
func TestAReviewThatIsReadAgainTakesNoKeyAmiss(t *testing.T) {
	withheld := ""
	f := busyTeam()
	s := newUnread(t, f, 140, 40, func(kind string) bool { return kind == withheld })
	s.news()
	s.choose("coder")
	s.press("d", "n", "j", "c")
	s.enters("Why?")
	s.press("esc")
	s.choose("tester")
	s.press("d", "esc")

	withheld = "review.loadedMsg"
	s.choose("coder")
	for _, key := range []string{"d", "c", "x", "n", "[", "v", "r", "m", "D", "F"} {
		s.press(key)
		s.shows("Reading")
		if s.m.room.Keys.Confirm != nil || s.m.room.Keys.Prompt != nil || s.box() != "" {
			t.Errorf("%s asks for something:\n%s", key, s.text())
		}
	}
	withheld = ""
	for _, msg := range s.late {
		s.send(msg)
	}
	s.shows("» Why?", "1 comment")
}
