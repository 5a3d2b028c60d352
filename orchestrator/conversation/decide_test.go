package conversation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"parley"
	"parley/internal/must"
)

var coder = &parley.Agent{
	ID:        "a",
	Name:      "coder",
	AgentSpec: parley.AgentSpec{Role: "programmer", Capabilities: []string{"debugging", "tests"}},
}

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
	for _, scene := range must.Have(txtar.ParseFile("testdata/rules.txtar"))(t).Files {
		t.Run(scene.Name, func(t *testing.T) {
			var posts []spoken
			var draw float64
			var want []any
			for line := range strings.Lines(string(scene.Data)) {
				word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch word {
				case "#":
				case "draw":
					draw = must.Have(strconv.ParseFloat(rest, 64))(t)
				case "respond", "wait":
					want = []any{word == "respond", rest}
				default:
					from, text, _ := strings.Cut(rest, " ")
					posts = append(posts, spoken{must.Have(strconv.ParseFloat(word, 64))(t), from, text})
				}
			}

			d := ask(drawn(draw), posts...)
			got := []any{d.ShouldRespond, fmt.Sprint(d.Reason, " ", math.Round(d.Confidence*1e4)/1e4)}
			if !cmp.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
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
