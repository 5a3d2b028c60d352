package store

import (
	"fmt"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestHistoryPagesBack(t *testing.T) {
	s := openWith(t, 3)
	var ids []string
	for i := range 7 {
		p := post(i%2, (i+1)%2)
		p.Message.Text = fmt.Sprint(i)
		ids = append(ids, send(t, s, p).Message.ID)
	}

	send(t, s, post(0, 1, 2))                  // a broadcast is no part of the conversation
	other := send(t, s, post(0, 2)).Message.ID // nor is a message to a third agent
	before := ""
	for _, want := range []string{"456 true", "123 true", "0 false"} {
		page := must.Have(s.Messages.History(t.Context(), HistoryQuery{A: agentID(1), B: agentID(0), Limit: 3,
			Before: before}))(t)

		got := ""
		for _, item := range page.Items {
			got += item.Message.Text
		}

		if got += fmt.Sprint(" ", page.HasMore); got != want || page.Total != 7 {
			t.Errorf("got %s of %d, want %s of 7", got, page.Total, want)
		}

		before = page.Items[0].Message.ID
	}

	for _, ref := range []string{"ffffffff", "short", other} {
		_, err := s.Messages.History(t.Context(), HistoryQuery{A: agentID(0), B: agentID(1), Limit: 3, Before: ref})
		wantCode(t, ref, err, parley.MessageNotFound)
	}

	page, err := s.Messages.History(t.Context(),
		HistoryQuery{A: agentID(0), B: agentID(1), Limit: 9, Before: ids[2][:8]})
	if err != nil || len(page.Items) != 2 {
		t.Errorf("before the prefix of an ID: got %d, %v, want 2", len(page.Items), err)
	}
}
