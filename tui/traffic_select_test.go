package tui

import (
	"fmt"
	"strings"
	"testing"

	"parley"
)

// lettersTeam is a team of which two agents wrote to each other, so many times.
func lettersTeam(n int) (*fakeService, []string) {
	f := newFake()
	f.agent("coder", parley.StateIdle, 0, 0, "")
	f.agent("tester", parley.StateIdle, 0, 0, "")
	var ids []string
	for i := range n {
		pair := []string{"coder", "tester"}
		ids = append(ids, f.say(i+1, pair[i%2], pair[(i+1)%2:(i+1)%2+1], fmt.Sprint("letter ", i+1), "normal",
			parley.DeliveryHeld))
	}
	return f, ids
}

func TestKeysActOnSelectedMessages(t *testing.T) {
	f, ids := lettersTeam(3)
	s := newScreen(t, f, 120, 40)
	s.press("k", "k", "space", "j", "space")
	s.shows("2 selected", "▸*", "letter 2")
	s.press("T")
	s.shows("2 retried: 5f0c0001, 5f0c0003.")
	s.press("l")
	s.shows("2 released: 5f0c0001, 5f0c0003.")
	s.did(strings.Join([]string{"retry " + ids[0], "retry " + ids[2], "release " + ids[0], "release " + ids[2]}, ", "))

	s.press("esc")
	s.shows("Nothing is selected.")
	s.hides("2 selected ")
	s.press("l")
	s.shows("1 released: 5f0c0003.")
}

// What is selected elsewhere does not change what keys do.
func TestSelectedMessagesCountOnTheTrafficAlone(t *testing.T) {
	f, _ := lettersTeam(2)
	s := newScreen(t, f, 120, 40)
	s.press("k", "space", "2", "Y")
	s.shows("The agent's name is on the clipboard")
	s.press("1", "Y")
	s.shows("A list of 1 id is on the clipboard")
}

func TestAFoldIsSelectedAsAWhole(t *testing.T) {
	f, _ := lettersTeam(6)
	s := newScreen(t, f, 120, 40)
	s.shows("×6")
	s.press("space")
	s.shows("6 messages selected.", "6 selected")
	s.press("space")
	s.shows("Nothing is selected.")
}

func TestWhatFailsForAMessageIsNamed(t *testing.T) {
	f, _ := lettersTeam(2)
	s := newScreen(t, f, 120, 40)
	s.press("k", "space", "space")
	s.blind = true // the looks that follow would fail too
	f.err = parley.Errorf(parley.InvalidArgument, "it did not fail").Suggest("Leave it.")
	s.press("T")
	s.shows("0 of 2 retried; 5f0c0001: it did not fail; 5f0c0002: it did not fail → Leave it.")
}
