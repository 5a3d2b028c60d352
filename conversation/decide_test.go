package conversation

import (
	"math/rand/v2"
	"testing"

	"parley"

	"github.com/google/go-cmp/cmp"
)

var coder = &parley.Agent{ID: "a", Name: "coder", Role: "programmer", Capabilities: []string{"debugging", "tests"}}

// drawn returns a Source that always draws x.
func drawn(x float64) Source { return func(string, string) float64 { return x } }

// ask asks coder about the last post, at that post's time.
func ask(draw Source, posts ...spoken) Decision {
	last := posts[len(posts)-1].post(len(posts) - 1)
	return heardBy(posts...).Decide(Question{Agent: coder, Post: last, At: last.At, Draw: draw})
}

// Each rule, and its precedence over later ones. Confidences are constants or computed by
// hand.
func TestRulesInTheirOrder(t *testing.T) {
	over := []spoken{{0, "b", "Sounds good."}, {1, "c", "Sounds good."}}
	tests := []struct {
		name  string
		posts []spoken
		draw  float64
		want  Decision // without factors
	}{
		{"a person is answered", []spoken{{0, "h", "Hello"}}, 0.99, Decision{true, FromHuman, 1, Factors{}}},
		{
			"one's own post never",
			[]spoken{{0, "a", "@coder: coder, debugging tests?"}},
			0,
			Decision{false, JustSpoke, 1, Factors{}},
		},

		{"1: a mention", []spoken{{0, "b", "@coder look"}}, 0.99, Decision{true, MentionedByAI, 0.95, Factors{}}},
		{
			"1 before 2",
			[]spoken{{0, "b", "@coder, debug the tests?"}},
			0.99,
			Decision{true, MentionedByAI, 0.95, Factors{}},
		},
		{
			"1 before 3, which it ends",
			append(over, spoken{100, "b", "@coder look"}),
			0.99,
			Decision{true, MentionedByAI, 0.95, Factors{}},
		},
		{
			"1 before 5",
			[]spoken{{0, "a", "x"}, {1, "b", "@coder look"}},
			0.99,
			Decision{true, MentionedByAI, 0.95, Factors{}},
		},
		{
			"2: a direct question of its own matter",
			[]spoken{{0, "b", "coder, are the tests slow?"}},
			0.99,
			Decision{true, AskedDirectly, 0.9, Factors{}},
		},
		{
			"2 before 5",
			[]spoken{{0, "a", "x"}, {1, "b", "coder, are the tests slow?"}},
			0.99,
			Decision{true, AskedDirectly, 0.9, Factors{}},
		},
		{
			"2 before 6",
			[]spoken{{0, "b", "x"}, {1, "c", "x"}, {2, "b", "x"}, {3, "c", "coder, are the tests slow?"}},
			0.99,
			Decision{true, AskedDirectly, 0.9, Factors{}},
		},
		// 0.7 · 0.3 (the name) · 1 = 0.21
		{
			"2 wants its own matter",
			[]spoken{{0, "b", "coder, is Paris rainy?"}},
			0.2101,
			Decision{false, NoCompellingReason, 0.79, Factors{}},
		},
		{
			"3: concluded",
			append(over, spoken{100, "b", "debugging tests"}),
			0,
			Decision{false, ConversationConcluded, 1, Factors{}},
		},
		{
			"3 before 6",
			append(over, spoken{100, "b", "x"}, spoken{101, "c", "x"}, spoken{102, "b", "x"},
				spoken{103, "c", "debugging"}),
			0,
			Decision{false, ConversationConcluded, 1, Factors{}},
		},
		// coder has 1 of 3 messages: 0.33 is not above 0.4. It spoke once of the last five, two AIs; temperature
		// 0.4 + 3/10·0.3 + 2/5·0.2 = 0.57. Turn: 1/2 · (1 - 0.57·0.5) = 0.3575. 0.3575 · 0.6 · 2/3 = 0.143
		{
			"5 allows a third",
			[]spoken{{0, "b", "x"}, {1, "a", "x"}, {2, "b", "debug"}},
			0,
			Decision{true, TurnTaking, 0.143, Factors{}},
		},
		{
			"5: half of the messages",
			[]spoken{{0, "a", "x"}, {1, "b", "debugging tests"}},
			0,
			Decision{false, Dominating, 1, Factors{}},
		},
		{
			"5 before 6",
			[]spoken{{0, "a", "x"}, {1, "b", "x"}, {2, "a", "x"}, {3, "b", "debugging"}},
			0,
			Decision{false, Dominating, 1, Factors{}},
		},
		{
			"6: four messages and no person",
			[]spoken{{0, "b", "x"}, {1, "c", "x"}, {2, "b", "x"}, {3, "c", "debugging tests"}},
			0,
			Decision{false, HumansDisengaged, 1, Factors{}},
		},
		// 0.7 · 0.6 · 1 = 0.42
		{
			"6 wants nobody in five minutes",
			[]spoken{{0, "h", "x"}, {200, "c", "x"}, {201, "b", "x"}, {202, "c", "debugging"}},
			0.4199,
			Decision{true, TurnTaking, 0.42, Factors{}},
		},
		{
			"6 wants more than three",
			[]spoken{{0, "b", "x"}, {1, "c", "x"}, {2, "b", "debugging"}},
			0.4199,
			Decision{true, TurnTaking, 0.42, Factors{}},
		},
		{
			"8: the draw is not below",
			[]spoken{{0, "b", "x"}, {1, "c", "x"}, {2, "b", "debugging"}},
			0.4201,
			Decision{false, NoCompellingReason, 0.58, Factors{}},
		},
		// coder spoke once of the last five, 1/4 of the messages; of h, a, b, c three are AIs. Temperature:
		// 0.4 + 4/10·0.3 + 4/5·0.2 + 0 = 0.68. Turn: 1/3 · (1 - 0.68·0.5) = 0.22. 0.22 · 0.6 · (1 - 0.25) = 0.099
		{
			"7 once of five",
			[]spoken{{0, "h", "x"}, {0, "a", "x"}, {0, "b", "x"}, {0, "c", "debugging"}},
			0.0989,
			Decision{true, TurnTaking, 0.099, Factors{}},
		},
		// spoken twice of the last five, 2/6: 0.1 · 0.6 · (1 - 2/6) = 0.04
		{
			"7 twice of five",
			[]spoken{{0, "h", "x"}, {0, "a", "x"}, {0, "b", "x"}, {0, "a", "x"}, {0, "b", "x"}, {0, "c", "debugging"}},
			0.0399,
			Decision{true, TurnTaking, 0.04, Factors{}},
		},
		{
			"8: nothing of its matter",
			[]spoken{{0, "b", "The weather"}},
			0,
			Decision{false, NoCompellingReason, 1, Factors{}},
		},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ask(drawn(test.draw), test.posts...)
			if got.ShouldRespond != test.want.ShouldRespond || got.Reason != test.want.Reason ||
				!near(got.Confidence, test.want.Confidence) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// Rule 4: the agent has spoken after the post that it is asked about.
func TestLastSpeakerWaits(t *testing.T) {
	posts := []spoken{{0, "h", "x"}, {1, "b", "debugging tests"}, {2, "c", "x"}, {3, "a", "x"}}
	earlier := posts[1].post(1)
	got := heardBy(posts...).Decide(Question{Agent: coder, Post: earlier, At: noon.Add(seconds(3)), Draw: drawn(0)})
	if got.ShouldRespond || got.Reason != JustSpoke {
		t.Errorf("%+v", got)
	}
}

func TestFactors(t *testing.T) {
	got := ask(drawn(0.5), spoken{0, "h", "x"}, spoken{0, "a", "Sounds good"}, spoken{0, "b", "x"},
		spoken{0, "c", "@coder, debug it? coder?"}).Factors

	want := Factors{MentionedByAI: true, DirectQuestion: true, HumanPresence: true, ConclusionSignals: true,
		RecentParticipation: 0.25, RelevanceScore: 0.72,
		ConversationTemperature: 0.4 + 0.12 + 0.16 + 0.05,   // 1 of 4 asks: 1/4·2·0.1
		MyTurnProbability:       (1 - 0.73*0.5) * (1 / 3.0)} // once of five, three AIs
	if !cmp.Equal(got, want, cmp.Comparer(near)) {
		t.Errorf("factors (-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestPersonsMentionDoesNotCountAsAnAIs(t *testing.T) {
	if got := ask(drawn(0.5), spoken{0, "h", "@coder, look"}); got.Factors.MentionedByAI || got.Reason != FromHuman {
		t.Errorf("%+v", got)
	}
}

func TestSameInputsSameDecision(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	draw := Keyed([]byte("key"))
	reasons := map[Reason]int{}
	for range 2000 {
		posts := chatter(random, 30)
		if len(posts) == 0 {
			continue
		}

		first, second := ask(draw, posts...), ask(Keyed([]byte("key")), posts...)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatalf("the same question (-first +second):\n%s", diff)
		}
		if first.Confidence < 0 || first.Confidence > 1 {
			t.Fatalf("confidence %v", first.Confidence)
		}

		reasons[first.Reason]++
	}

	for _, reason := range []Reason{
		FromHuman, MentionedByAI, ConversationConcluded, JustSpoke, Dominating, HumansDisengaged, TurnTaking,
		NoCompellingReason,
	} {
		if reasons[reason] == 0 {
			t.Errorf("no decision was %s: %v", reason, reasons)
		}
	}
}

// The operator's controls of a thread.
func TestOperatorControlsAThread(t *testing.T) {
	posts := []spoken{{0, "b", "Sounds good."}, {1, "c", "Sounds good. @coder look"}}
	last := posts[1].post(1)
	person := Post{ID: "p", From: "h", Human: true, Text: "Go on.", At: noon.Add(seconds(30))}
	tests := []struct {
		name string
		do   func(r *Room)
		post Post
		at   float64
		want Reason
	}{
		{"nothing", func(*Room) {}, last, 2, MentionedByAI},
		{"mute", func(r *Room) { r.Mute() }, last, 2, MutedByOperator},
		{"unmute", func(r *Room) { r.Mute(); r.Unmute() }, last, 2, MentionedByAI},
		{"people pass a mute", func(r *Room) { r.Mute(); r.Add(person, nil) }, person, 30, FromHuman},
		{"a person does not end a mute", func(r *Room) { r.Mute(); r.Add(person, nil) }, last, 31, MutedByOperator},
		{"cool", func(r *Room) { r.Cool(noon) }, last, 599, CooledDown},
		{"cool ends by itself", func(r *Room) { r.Cool(noon) }, last, 600, MentionedByAI},
		{"a person ends cool", func(r *Room) { r.Cool(noon); r.Add(person, nil) }, last, 31, MentionedByAI},
		{"release ends cool", func(r *Room) { r.Cool(noon); r.Release() }, last, 2, MentionedByAI},
		{"release does not unmute", func(r *Room) { r.Mute(); r.Release() }, last, 2, MutedByOperator},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := heardBy(posts...)
			test.do(r)
			got := r.Decide(Question{Agent: coder, Post: test.post, At: noon.Add(seconds(test.at)), Draw: drawn(0.99)})
			if got.Reason != test.want {
				t.Errorf("%s, want %s", got.Reason, test.want)
			}
			if what, next := got.Explain(); (what == "") != got.ShouldRespond || (next == "") != got.ShouldRespond {
				t.Errorf("explained as %q, %q", what, next)
			}
		})
	}

	r := heardBy(posts...)
	r.Release()
	if got := r.At(noon.Add(seconds(100))); got.State == Concluded || len(got.Signals) != 0 {
		t.Errorf("released, and %s with %q", got.State, got.Signals)
	}

	off := r.Decide(Question{
		Agent:    coder,
		Post:     posts[0].post(0),
		At:       noon.Add(seconds(2)),
		Draw:     drawn(0.99),
		Settings: Settings{Off: true},
	})
	if !off.ShouldRespond || off.Reason != ProtocolOff {
		t.Errorf("switched off: %+v", off)
	}
}
