package store

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley"
)

// say stores a message with a text.
func say(t *testing.T, s *Store, text string, from int, to ...int) Appended {
	t.Helper()
	p := post(from, to...)
	p.Message.Text = text
	out, err := s.Append(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wantFound compares the texts that a search finds.
func wantFound(t *testing.T, s *Store, q SearchQuery, want ...string) FoundPage {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 20
	}

	q.All = q.All || q.For == ""
	page, err := s.Search(t.Context(), q)
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
	s := openTest(t)
	addAgents(t, s, 2)
	for _, text := range []string{"Le café est FERMÉ", "look at main.go, it's snake_case", "请检查数据库连接", "サーバーが落ちました", "메시지를 보냈습니다",
		"กรุณาตรวจสอบฐานข้อมูล", "Ответ: нет", "v1.2.3 costs 5€"} {
		say(t, s, text, 0, 1)
	}

	for query, want := range map[string]string{
		"CAFE": "Le café est FERMÉ", "fermé café": "Le café est FERMÉ", "main.go": "look at main.go, it's snake_case", "snake_case it's": "look at main.go, it's snake_case",
		"数据库": "请检查数据库连接", "连接 检查": "请检查数据库连接", "サーバー": "サーバーが落ちました", "메시지": "메시지를 보냈습니다", "ฐานข้อมูล": "กรุณาตรวจสอบฐานข้อมูล",
		"ОТВЕТ": "Ответ: нет", "1.2.3": "v1.2.3 costs 5€",
	} {
		if query == "1.2.3" {
			wantFound(t, s, SearchQuery{Words: query}) // a word is whole: it is v1
			continue
		}
		wantFound(t, s, SearchQuery{Words: query}, want)
	}

	wantFound(t, s, SearchQuery{Words: "据数"}) // these letters, in this order
	wantFound(t, s, SearchQuery{Words: "caf"})
}

func TestQueriesAreOnlyWords(t *testing.T) {
	for query, want := range map[string]string{
		`red build`: `"red" "build"`, `"red build" now`: `"red build" "now"`, `say "no`: `"say" "no"`, `a OR b*`: `"a" "OR" "b*"`, `words:x ^y -z`: `"words:x" "^y" "-z"`,
		"": "", `"" + " "`: "", "a\x00b": `"a" "b"`, `""a""`: `"a"`, "数据 x": `" 数  据 " "x"`, "🙂": "",
	} {
		if got := matchWords(query); got != want {
			t.Errorf("%q: got %s, want %s", query, got, want)
		}
	}
}

func FuzzSearchTakesWhateverIsTyped(f *testing.F) {
	for _, query := range []string{`a "b`, "NEAR(a b, 2)", "marks : x", "\xff\x00", "a\u0301 ' ; --"} {
		f.Add(query)
	}

	s := openTest(f)
	addAgents(f, s, 2)
	f.Fuzz(func(t *testing.T, query string) {
		if len(query) > 2000 {
			t.Skip()
		}
		if _, err := s.Search(t.Context(), SearchQuery{Words: query, For: agentID(0), Limit: 1}); err != nil {
			t.Errorf("%q: %v", query, err)
		}
	})
}

func TestSearchShowsWhatOneSentOrGot(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 30)
	say(t, s, "secret of 1 and 2", 1, 2)
	everyone := make([]int, 0, 29)
	for n := 1; n < 30; n++ {
		everyone = append(everyone, n)
	}

	say(t, s, "secret of all", 0, everyone...)
	forged := "secret forged r" + plain(agentID(3)) + " s" + plain(agentID(3))
	say(t, s, forged, 1, 2)
	wantFound(t, s, SearchQuery{Words: "secret", For: agentID(1)}, forged, "secret of all", "secret of 1 and 2")
	page := wantFound(t, s, SearchQuery{Words: "secret", For: agentID(3)}, "secret of all")
	if item := page.Items[0]; item.Read || item.RecipientCount != 29 || len(item.Recipients) != listedRecipients {
		t.Errorf("got %+v, want it unread, with 29 recipients, 20 of them listed", item)
	}

	wantFound(t, s, SearchQuery{Words: "secret", For: agentID(0)}, "secret of all")
	wantFound(t, s, SearchQuery{Words: "secret", From: agentID(1), To: agentID(2)}, forged, "secret of 1 and 2")

	// Marks are no words.
	wantFound(t, s, SearchQuery{Words: "r" + plain(agentID(5)), For: agentID(5)})
}

func TestMessagesThatAreRefusedAreNotFound(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	p := post(0, 77)
	p.Message.Text = "to nobody"
	_, err := s.Append(t.Context(), p)
	wantCode(t, "Append", err, parley.AgentNotFound)
	say(t, s, "to somebody", 0, 1)
	wantFound(t, s, SearchQuery{Words: "nobody"})
	wantFound(t, s, SearchQuery{Words: "to"}, "to somebody")
}

// jump makes the next message's number the first of a stretch.
func jump(t *testing.T, s *Store, n int) {
	t.Helper()
	if err := s.write(t.Context(), "jumping", func(tx *tx) error {
		tx.nextSeq = int64(n) << shortStretch
		return tx.append(new(post(0, 1)), &Appended{})
	}); err != nil {
		t.Fatal(err)
	}
}

func TestLongSearchesAreGivenUp(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	old := say(t, s, "old word", 0, 1)
	for n := range 9 {
		jump(t, s, n+1)
	}

	newer := say(t, s, "new word", 0, 1)
	if page := wantFound(t, s, SearchQuery{Words: "word"}, "new word", "old word"); !page.SearchedSince.IsZero() {
		t.Errorf("it was given up at %v", page.SearchedSince)
	}

	s.tuning.searchTime = 0
	page := wantFound(t, s, SearchQuery{Words: "word"}, "new word")
	if page.SearchedSince.IsZero() || page.SearchedSince.Before(old.Message.Timestamp) ||
		page.SearchedSince.After(newer.Message.Timestamp) {
		t.Errorf(
			"given up at %v, want between %v and %v",
			page.SearchedSince,
			old.Message.Timestamp,
			newer.Message.Timestamp,
		)
	}

	if page = wantFound(t, s, SearchQuery{Words: "word", Limit: 1}, "new word"); page.HasMore {
		t.Error("there is more than was looked at")
	}
}

func TestSearchBetweenTimes(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, text := range []string{"word a", "word b", "word c", "word d"} {
		p := post(0, 1)
		p.Message.Text, p.Message.Timestamp = text, begin.Add(time.Duration(i)*time.Hour)
		if _, err := s.Append(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}

	at := func(hours float64) time.Time { return begin.Add(time.Duration(hours * float64(time.Hour))) }
	wantFound(t, s, SearchQuery{Words: "word", Since: at(1)}, "word d", "word c")
	wantFound(t, s, SearchQuery{Words: "word", Until: at(1)}, "word b", "word a")
	wantFound(t, s, SearchQuery{Words: "word", Since: at(0.5), Until: at(2)}, "word c", "word b")
	wantFound(t, s, SearchQuery{Words: "word", Since: at(9)})
	wantFound(t, s, SearchQuery{Words: "word", Until: at(-9)})
	for i, want := range []int64{1, 2, 3, 4, 5} {
		low, high, err := s.span(t.Context(), at(float64(i)-0.5), time.Time{})
		if err != nil || low != want || high != 4 {
			t.Errorf("since %v: got %d to %d, %v, want %d to 4", at(float64(i)-0.5), low, high, err, want)
		}
	}
}

func TestMigrationMakesOldMessagesFindable(t *testing.T) {
	path := fixture(t, "v1.sql")
	db := raw(t, path)
	var n int

	// More than one chunk of them.
	run(t, db, `WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2500)
		INSERT INTO messages (id, kind, type, priority, sender_id, text, data, context_reference, in_reply_to, idempotency_key, accepted_at)
		SELECT 'old-' || n, 'direct', 'information', 'normal', (SELECT min(id) FROM agents), 'old number' || n, '', '', '', '', 1 FROM c`)

	if err := db.QueryRow(`SELECT count(*) FROM messages`).Scan(&n); err != nil || n < 2500 {
		t.Fatal(n, err)
	}

	db.Close()
	s := openAt(t, path)
	wantFound(t, s, SearchQuery{Words: "rebase"}, "please rebase")
	for _, text := range []string{"old number1", "old number1001", "old number2500"} {
		wantFound(t, s, SearchQuery{Words: text}, text)
	}

	m, deliveries, err := s.Message(t.Context(), "5f0c21aa")
	if err != nil {
		t.Fatal(err)
	}

	wantFound(t, s, SearchQuery{Words: "rebase", For: deliveries[0].RecipientID, From: m.SenderID}, "please rebase")
}

func TestPressingIsTheMostUrgentFirst(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	send := func(p parley.Priority) string {
		message := post(0, 1)
		message.Message.Priority = p
		out, err := s.Append(t.Context(), message)
		if err != nil {
			t.Fatal(err)
		}

		return out.Message.ID
	}

	oldUrgent, oldHigh := send(parley.PriorityUrgent), send(parley.PriorityHigh)
	for range weighed {
		send(parley.PriorityLow)
	}

	normal, low := send(parley.PriorityNormal), send(parley.PriorityLow)
	want := func(unread int, ids ...string) {
		t.Helper()
		items, n, err := s.Pressing(t.Context(), agentID(1), 3)
		got := []string{}
		for _, item := range items {
			got = append(got, item.Message.ID)
		}

		if err != nil || n != unread || !slices.Equal(got[:len(ids)], ids) {
			t.Errorf("got %d, %v, %v, want %d, %v", n, got, err, unread, ids)
		}
	}

	want(weighed+4, oldUrgent, normal, low)
	if _, _, _, err := s.MarkRead(t.Context(), agentID(1), []string{oldUrgent, low, normal}, "read"); err != nil {
		t.Fatal(err)
	}

	want(weighed + 1)
	_ = oldHigh // is older than those that are weighed
}

func TestInboxCountsFollowWhatHappens(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 3)
	want := func(total, unread int) {
		t.Helper()
		for range 2 { // counted, and remembered
			page, err := s.Inbox(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1})
			if err != nil || page.Total != total || page.Unread != unread {
				t.Errorf("got %d and %d, %v, want %d and %d", page.Total, page.Unread, err, total, unread)
			}
		}
	}

	want(0, 0)
	one, two := say(t, s, "one", 0, 1, 2), say(t, s, "two", 0, 1)
	want(2, 2)
	if _, _, _, err := s.MarkRead(t.Context(), agentID(1), []string{one.Message.ID}, "read"); err != nil {
		t.Fatal(err)
	}

	want(2, 1)
	three := say(t, s, "three", 0, 1)
	want(3, 2)
	typed := func(a Appended) Key {
		k := Key{a.Seq, agentID(1)}
		if err := s.Claim(t.Context(), k, 7, false); err != nil {
			t.Fatal(err)
		}
		return k
	}

	read := []Change{{State: parley.DeliverySubmitted, Evidence: "e"}, {State: parley.DeliveryRead, Evidence: "e"}}
	if err := s.Advance(t.Context(), typed(two), read...); err != nil {
		t.Fatal(err)
	}

	want(3, 1)
	k := typed(three)
	if _, _, _, err := s.MarkRead(t.Context(), agentID(1), []string{three.Message.ID}, "read"); err != nil {
		t.Fatal(err)
	}

	want(3, 0)
	if err := s.Advance(t.Context(), k, read...); err != nil {
		t.Fatal(err)
	}

	want(3, 0)
}

// damage breaks an index, which reading a table does not show.
func damage(t *testing.T, path string) {
	t.Helper()
	db := raw(t, path)
	run(t, db, `PRAGMA writable_schema = ON`)
	run(
		t,
		db,
		`UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'agent_log') WHERE name = 'messages_requests'`,
	)
	db.Close()
}

func TestOnlyWhatWasNotClosedIsChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	open := func(path string) (*Store, error) { return Open(t.Context(), Options{Path: path}) }
	s := openAt(t, path)
	addAgents(t, s, 2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	var marks int
	if err := raw(t, path).QueryRow(`SELECT count(*) FROM facts WHERE name = ?`, openFact).Scan(&marks); err != nil ||
		marks != 0 {
		t.Errorf("a closed database has %d marks, %v", marks, err)
	}

	// What a killed daemon leaves is a copy of what an open one has.
	s = openAt(t, path)
	say(t, s, "hello", 0, 1)
	left := filepath.Join(t.TempDir(), "left.db")
	if _, err := s.Backup(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	damage(t, path)
	damage(t, left)
	_, err := open(left)
	wantCode(t, "opening what was not closed", err, parley.StorageUnavailable)

	s, err = open(path)
	if err != nil {
		t.Fatalf("a database that was closed was checked: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWhoOnlyReadsLeavesNoMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openAt(t, path)
	addAgents(t, s, 1)
	left := filepath.Join(t.TempDir(), "left.db")
	if _, err := s.Backup(t.Context(), left); err != nil {
		t.Fatal(err)
	}

	marked := func(db *sql.DB) (n int) {
		if err := db.QueryRow(`SELECT count(*) FROM facts WHERE name = ?`, openFact).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}

	if got := marked(raw(t, left)); got != 1 {
		t.Errorf("a copy of an open database has %d marks, want 1", got)
	}

	// It was checked and is well: it need not be checked again.
	s = openAt(t, left)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := marked(raw(t, left)); got != 0 {
		t.Errorf("after it was checked and closed it has %d marks, want 0", got)
	}
}
