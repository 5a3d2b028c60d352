package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func texts(said []parley.Message) (list []string) {
	for _, m := range said {
		list = append(list, m.Text)
	}
	return list
}

func TestRecallBeginsAfterForgetting(t *testing.T) {
	s, dm := withResponder(t, 3)
	recall := func(limit int, want ...string) {
		t.Helper()
		now, _ := askResponder(t, s, 0, 2, "now", "") // unanswered, so never recalled
		said := must.Have(s.Responders.Recall(t.Context(), dm, agentID(0), now.Message.ID, limit))(t)
		if d := cmp.Diff(want, texts(said)); d != "" {
			t.Errorf("%d recalled:\n%s", limit, d)
		}
	}

	recall(10)
	for i := range 4 {
		askResponder(t, s, 0, 2, fmt.Sprint("q", i), fmt.Sprint("a", i))
	}

	askResponder(t, s, 1, 2, "another's", "another's")
	askResponder(t, s, 0, 2, "/status", "it is well")
	askResponder(t, s, 0, 2, "unanswered", "")
	recall(3, "a2", "q3", "a3")
	recall(100, "q0", "a0", "q1", "a1", "q2", "a2", "q3", "a3")
	recall(0)
	askResponder(t, s, 0, 2, parley.CommandReset, "forgotten")
	recall(10)
	askResponder(t, s, 0, 2, "q4", "a4")
	recall(10, "q4", "a4")

	late, err := s.Responders.Recall(t.Context(), dm, agentID(1), "no such message", 10)
	if err != nil || len(late) != 0 {
		t.Errorf("before no message: %v, %v", texts(late), err)
	}
}

func TestRecallThreadIncludesOwnLaterPosts(t *testing.T) {
	s, dm := withResponder(t, 3)
	thread := openThread(t, s, 1, 2)
	var ids []string
	for i, from := range []int{0, 1, 2, 0, 1, 2} {
		p := threadPost(thread, from)
		p.Message.Text = fmt.Sprint(i)
		ids = append(ids, send(t, s, p).Message.ID)
	}

	for limit, want := range map[int][]string{10: {"0", "1", "2", "5"}, 2: {"2", "5"}, 0: nil} {
		said := must.Have(s.Responders.RecallThread(t.Context(), dm, thread, ids[3], limit))(t)
		if d := cmp.Diff(want, texts(said)); d != "" {
			t.Errorf("%d recalled:\n%s", limit, d)
		}
	}
}
