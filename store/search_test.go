package store

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// say stores a message with this text.
func say(t *testing.T, s *Store, text string, from int, to ...int) Appended {
	t.Helper()
	p := post(from, to...)
	p.Message.Text = text
	return must.Have(s.Messages.Append(t.Context(), p))(t)
}

// wantFound compares the texts that a search finds.
func wantFound(t *testing.T, s *Store, q SearchQuery, want ...string) FoundPage {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 20
	}

	q.All = q.All || q.For == ""
	page, err := s.Messages.Search(t.Context(), q)
	var got []string
	for _, item := range page.Items {
		got = append(got, item.Message.Text)
	}

	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v: got %q, %v, want %q", q, got, err, want)
	}

	return page
}

func TestSearchFindsWordsOfAllScripts(t *testing.T) {
	s := openWith(t, 2)
	for _, text := range []string{"Le café est FERMÉ", "look at main.go, it's snake_case", "请检查数据库连接", "サーバーが落ちました",
		"메시지를 보냈습니다",
		"กรุณาตรวจสอบฐานข้อมูล", "Ответ: нет", "v1.2.3 costs 5€"} {
		say(t, s, text, 0, 1)
	}

	for query, want := range map[string]string{
		"CAFE": "Le café est FERMÉ", "fermé café": "Le café est FERMÉ", "main.go": "look at main.go, it's snake_case",
		"snake_case it's": "look at main.go, it's snake_case",
		"数据库":             "请检查数据库连接", "连接 检查": "请检查数据库连接", "サーバー": "サーバーが落ちました", "메시지": "메시지를 보냈습니다",
		"ฐานข้อมูล": "กรุณาตรวจสอบฐานข้อมูล",
		"ОТВЕТ":     "Ответ: нет", "1.2.3": "v1.2.3 costs 5€",
	} {
		if query == "1.2.3" {
			wantFound(t, s, SearchQuery{Words: query}) // no whole word: that is v1
			continue
		}
		wantFound(t, s, SearchQuery{Words: query}, want)
	}

	wantFound(t, s, SearchQuery{Words: "据数"}) // these letters, in this order
	wantFound(t, s, SearchQuery{Words: "caf"})
}

func TestQueriesAreOnlyWords(t *testing.T) {
	for query, want := range map[string]string{
		`red build`: `red|build`, `"red build" now`: `red build|now`, `say "no`: `say|no`, `a OR b*`: `a|OR|b*`,
		`words:x ^y -z`: `words:x|^y|-z`, "": "", `"" + " "`: "", "a\x00b": `a|b`, `""a""`: `a`, "数据 x": "数据|x", "🙂": "",
	} {
		if got := strings.Join(searchTerms(query), "|"); got != want {
			t.Errorf("%q: got %s, want %s", query, got, want)
		}
	}
}

func FuzzSearchTakesAnyText(f *testing.F) {
	for _, query := range []string{`a "b`, "NEAR(a b, 2)", "marks : x", "\xff\x00", "a\u0301 ' ; --"} {
		f.Add(query)
	}

	s := openWith(f, 2)
	f.Fuzz(func(t *testing.T, query string) {
		if len(query) > 2000 {
			t.Skip()
		}
		if _, err := s.Messages.Search(t.Context(), SearchQuery{Words: query, For: agentID(0), Limit: 1}); err != nil {
			t.Errorf("%q: %v", query, err)
		}
	})
}

func TestSearchFindsOnlyReadableMessages(t *testing.T) {
	s := openWith(t, 30)
	say(t, s, "secret of 1 and 2", 1, 2)
	everyone := make([]int, 0, 29)
	for n := 1; n < 30; n++ {
		everyone = append(everyone, n)
	}

	say(t, s, "secret of all", 0, everyone...)
	forged := "secret forged r" + bare(agentID(3)) + " s" + bare(agentID(3))
	say(t, s, forged, 1, 2)
	wantFound(t, s, SearchQuery{Words: "secret", For: agentID(1)}, forged, "secret of all", "secret of 1 and 2")
	page := wantFound(t, s, SearchQuery{Words: "secret", For: agentID(3)}, "secret of all")
	if item := page.Items[0]; item.Read || item.RecipientCount != 29 || len(item.Recipients) != listedRecipients {
		t.Errorf("got %+v, want it unread, with 29 recipients, 20 of them listed", item)
	}

	wantFound(t, s, SearchQuery{Words: "secret", For: agentID(0)}, "secret of all")
	wantFound(t, s, SearchQuery{Words: "secret", From: []string{agentID(1)}, To: []string{agentID(2)}}, forged,
		"secret of 1 and 2")

	// Marks are not words.
	wantFound(t, s, SearchQuery{Words: "r" + bare(agentID(5)), For: agentID(5)})
}

func TestRefusedMessagesAreNotFound(t *testing.T) {
	s := openWith(t, 2)
	p := post(0, 77)
	p.Message.Text = "to nobody"
	_, err := s.Messages.Append(t.Context(), p)
	wantCode(t, "Append", err, parley.AgentNotFound)
	say(t, s, "to somebody", 0, 1)
	wantFound(t, s, SearchQuery{Words: "nobody"})
	wantFound(t, s, SearchQuery{Words: "to"}, "to somebody")
}

// jump makes the next message's number the first of a stretch.
func jump(t *testing.T, s *Store, n int) {
	t.Helper()
	must.Do(t, s.db.write(t.Context(), "jumping", func(tx *tx) error {
		tx.Next.Row = int64(n) << shortStretch
		return posting{tx, new(post(0, 1)), &Appended{}}.append()
	}))
}

func TestLongSearchesAreGivenUp(t *testing.T) {
	s := openWith(t, 2)
	old := say(t, s, "old word", 0, 1)
	for n := range 9 {
		jump(t, s, n+1)
	}

	newer := say(t, s, "new word", 0, 1)
	if page := wantFound(t, s, SearchQuery{Words: "word"}, "new word", "old word"); !page.SearchedSince.IsZero() {
		t.Errorf("it was given up at %v", page.SearchedSince)
	}

	s.db.searchTime = 0
	page := wantFound(t, s, SearchQuery{Words: "word"}, "new word")
	if page.SearchedSince.IsZero() || page.SearchedSince.Before(old.Message.Timestamp) ||
		page.SearchedSince.After(newer.Message.Timestamp) {
		t.Errorf("given up at %v, want between %v and %v", page.SearchedSince, old.Message.Timestamp,
			newer.Message.Timestamp)
	}

	if page = wantFound(t, s, SearchQuery{Words: "word", Limit: 1}, "new word"); page.HasMore {
		t.Error("there is more than was looked at")
	}
}

func TestSearchBetweenTimes(t *testing.T) {
	s := openWith(t, 2)
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, text := range []string{"word a", "word b", "word c", "word d"} {
		p := post(0, 1)
		p.Message.Text, p.Message.Timestamp = text, begin.Add(time.Duration(i)*time.Hour)
		must.Have(s.Messages.Append(t.Context(), p))(t)
	}

	at := func(hours float64) time.Time { return begin.Add(time.Duration(hours * float64(time.Hour))) }
	wantFound(t, s, SearchQuery{Words: "word", Since: at(1)}, "word d", "word c")
	wantFound(t, s, SearchQuery{Words: "word", Until: at(1)}, "word b", "word a")
	wantFound(t, s, SearchQuery{Words: "word", Since: at(0.5), Until: at(2)}, "word c", "word b")
	wantFound(t, s, SearchQuery{Words: "word", Since: at(9)})
	wantFound(t, s, SearchQuery{Words: "word", Until: at(-9)})

	// 64 bits of nanoseconds reach from 1677 to 2262.
	never, always := time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	wantFound(t, s, SearchQuery{Words: "word", Since: never, Until: always}, "word d", "word c", "word b", "word a")
	wantFound(t, s, SearchQuery{Words: "word", Since: always})
	wantFound(t, s, SearchQuery{Words: "word", Until: never})
	for since, want := range map[time.Time]int{never: 4, always: 0} {
		inbox := must.Have(s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Since: since, Limit: 9}))(t)
		exported := must.Have(s.Messages.Export(t.Context(), ExportQuery{Since: since, Limit: 9}))(t)
		if inbox.Total != want || exported.Total != want {
			t.Errorf("since %v: got %d in the inbox and %d exported, want %d", since, inbox.Total, exported.Total, want)
		}
	}

	for i, want := range []int64{1, 2, 3, 4, 5} {
		low, high, err := s.Messages.span(t.Context(), &SearchQuery{Since: at(float64(i) - 0.5)})
		if err != nil || low != want || high != 4 {
			t.Errorf("since %v: got %d to %d, %v, want %d to 4", at(float64(i)-0.5), low, high, err, want)
		}
	}
}

// sayAs stores a message as a function changes it.
func sayAs(t *testing.T, s *Store, text string, from, to int, as func(*parley.Message)) Appended {
	t.Helper()
	p := post(from, to)
	p.Message.Text = text
	as(&p.Message)
	return must.Have(s.Messages.Append(t.Context(), p))(t)
}

// A message to several is found by the state of the delivery to the one who is named.
func TestSearchForAStateOfARecipient(t *testing.T) {
	s := openWith(t, 3)
	p := post(0, 1, 2)
	p.Message.Text = "to both"
	p.Deliveries[1].State = parley.DeliverySubmitted
	send(t, s, p)

	queued := SearchMatch{States: []parley.DeliveryState{parley.DeliveryQueued}}
	wantFound(t, s, SearchQuery{To: []string{agentID(1)}, Match: queued}, "to both")
	wantFound(t, s, SearchQuery{To: []string{agentID(2)}, Match: queued})
	wantFound(t, s, SearchQuery{To: []string{agentID(2)}, Match: SearchMatch{
		States: []parley.DeliveryState{parley.DeliverySubmitted}}}, "to both")
}

func TestSearchMatchesWhatMessagesAre(t *testing.T) {
	s := openWith(t, 3)
	plain := func(*parley.Message) {}
	sayAs(t, s, "one", 0, 1, plain)
	sayAs(t, s, "two", 1, 0, func(m *parley.Message) { m.Type, m.RequiresResponse = parley.TypeRequest, true })
	sayAs(t, s, "three", 2, 0, func(m *parley.Message) { m.Priority = parley.PriorityHigh })

	agent := func(n int) []string { return []string{agentID(n)} }
	for name, c := range map[string]struct {
		q    SearchQuery
		want []string
	}{
		"nothing": {SearchQuery{}, []string{"three", "two", "one"}},
		"type": {SearchQuery{Match: SearchMatch{Types: []parley.MessageType{parley.TypeRequest}}},
			[]string{"two"}},
		"the usual type": {SearchQuery{Match: SearchMatch{Types: []parley.MessageType{parley.TypeInformation}}},
			[]string{"three", "one"}},
		"priority": {SearchQuery{Match: SearchMatch{Priorities: []parley.Priority{parley.PriorityHigh}}},
			[]string{"three"}},
		"priority and agent": {SearchQuery{Agents: agent(1),
			Match: SearchMatch{Priorities: []parley.Priority{parley.PriorityHigh}}}, nil},
		"kind":        {SearchQuery{Match: SearchMatch{Kinds: []parley.MessageKind{parley.KindThread}}}, nil},
		"asks":        {SearchQuery{Match: SearchMatch{Asks: true}}, []string{"two"}},
		"files":       {SearchQuery{Match: SearchMatch{Files: true}}, nil},
		"answers":     {SearchQuery{Match: SearchMatch{Answers: true}}, nil},
		"agent":       {SearchQuery{Agents: agent(1)}, []string{"two", "one"}},
		"two senders": {SearchQuery{From: []string{agentID(1), agentID(2)}}, []string{"three", "two"}},
		"a beginning": {SearchQuery{Words: "thr", Begun: true}, []string{"three"}},
		"a name, or a word": {SearchQuery{Words: "tw", Begun: true, Named: map[string][]string{"tw": agent(2)}},
			[]string{"three"}},
		"a word, or a name": {SearchQuery{Words: "one", Named: map[string][]string{"one": agent(2)}},
			[]string{"three", "one"}},
		"a phrase or a name": {SearchQuery{Words: "t-wo", Named: map[string][]string{"t-wo": agent(2)}},
			[]string{"three"}},
		"part or name": {SearchQuery{Words: "hre wo", Begun: true, Named: map[string][]string{"wo": agent(2)}},
			[]string{"three"}},
		"not on other terms": {SearchQuery{Words: "two one", Named: map[string][]string{"one": agent(2)}}, nil},
		"waiting": {SearchQuery{Match: SearchMatch{States: []parley.DeliveryState{parley.DeliveryQueued}}},
			[]string{"three", "two", "one"}},
		"failed": {SearchQuery{Match: SearchMatch{States: []parley.DeliveryState{parley.DeliveryFailed}}},
			nil},
		"read": {SearchQuery{Match: SearchMatch{States: []parley.DeliveryState{parley.DeliveryRead}}},
			nil},
	} {
		t.Run(name, func(t *testing.T) { wantFound(t, s, c.q, c.want...) })
	}

	page := wantFound(t, s, SearchQuery{Limit: 1}, "three")
	if !page.HasMore || page.Items[0].States[parley.DeliveryQueued] != 1 {
		t.Errorf("got %+v, want more, and one delivery queued", page)
	}
	wantFound(t, s, SearchQuery{Before: page.Items[0].Message.ID}, "two", "one")
}

// The databases lower ASCII letters alone.
func TestPartsOfWordsAreFoundInAnyCase(t *testing.T) {
	s := openWith(t, 2)
	texts := []string{"Überlauf im Puffer", "ÄRGER im BÜRO", "Ответить сейчас"}
	for _, text := range texts {
		say(t, s, text, 0, 1)
	}

	for query, want := range map[string]string{
		"übe": texts[0], "Übe": texts[0], "erla": texts[0], "ärg": texts[1], "Ärg": texts[1], "ÄRG": texts[1],
		"bür": texts[1], "ответ": texts[2], "Ответ": texts[2], "ОТВЕТ": texts[2], "тить": texts[2],
	} {
		wantFound(t, s, SearchQuery{Words: query, Begun: true}, want)
	}
}

// Searches without words go to the few messages that they are about. The plans are SQLite's.
func TestSearchesForFewUseTheirIndexes(t *testing.T) {
	needsFile(t)
	s := openWith(t, 2)
	say(t, s, "hello", 0, 1)
	for name, c := range map[string]struct {
		match SearchMatch
		want  string
	}{
		"states": {SearchMatch{States: []parley.DeliveryState{parley.DeliveryHeld, parley.DeliveryFailed}},
			"INDEX deliveries_ended (state=?)"},
		"types": {SearchMatch{Types: []parley.MessageType{parley.TypeRequest}}, "INDEX messages_types (type=?"},
		"priorities": {SearchMatch{Priorities: []parley.Priority{parley.PriorityUrgent}},
			"INDEX messages_priorities (priority=?"},
	} {
		plans := plansOf(t, s, func(ctx context.Context) error {
			_, err := s.Messages.Search(ctx, SearchQuery{All: true, Since: time.Unix(1, 0), Match: c.match, Limit: 10})
			return err
		})
		if !strings.Contains(plans, c.want) || strings.Contains(plans, "SCAN m") {
			t.Errorf("%s: got\n%swant %q and no scan of the messages", name, plans, c.want)
		}
	}
}

// The index of words is made again from the messages, more than one chunk of them.
func TestIndexOfWordsIsMadeAgain(t *testing.T) {
	s, path := openNew(t, 2)
	say(t, s, "please rebase", 0, 1)
	db := raw(t, path)
	run(t, db, `WITH RECURSIVE c (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM c WHERE n < 2500)
		INSERT INTO messages (seq, id, kind, type, priority, sender_id, text, data, context_reference, in_reply_to,
			idempotency_key, accepted_at)
		SELECT n, 'old-' || n, 'direct', 'information', 'normal', '`+agentID(0)+`', 'old number' || n, '', '', '', '', 1
		FROM c`)

	tx := must.Have(db.BeginTx(t.Context(), nil))(t)
	must.Have(tx.ExecContext(t.Context(), wordsOf(s.db.base.SQL).clear))(t)
	must.Do(t, fillWords(t.Context(), tx, s.db.base.SQL))
	must.Do(t, tx.Commit())

	wantFound(t, s, SearchQuery{Words: "rebase", For: agentID(1), From: []string{agentID(0)}}, "please rebase")
	for _, text := range []string{"old number2", "old number1001", "old number2500"} {
		wantFound(t, s, SearchQuery{Words: text}, text)
	}
}
