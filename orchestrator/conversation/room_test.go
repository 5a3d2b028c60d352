package conversation

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// talk adds posts at seconds after noon. A sender whose id begins with h is a person.
type spoken struct {
	at   float64
	from string
	text string
}

func heardBy(posts ...spoken) *Room {
	r := &Room{}
	for i, p := range posts {
		r.Add(p.post(i), []string{"coder", "planner"})
	}
	return r
}

func (s spoken) post(i int) Post {
	return Post{
		ID:    fmt.Sprint("m", i),
		From:  s.from,
		Human: s.from[0] == 'h',
		Text:  s.text,
		At:    noon.Add(seconds(s.at)),
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func near(got, want float64) bool { return math.Abs(got-want) < 0.00005 }

// The numbers are computed by hand from the formulas, to four places.
func TestTemperatureMatchesHandComputedValues(t *testing.T) {
	tests := []struct {
		name                                          string
		silence                                       float64 // seconds
		lastMinute, participants, questions, messages int
		want                                          float64
	}{
		// e^0·0.4 + 1/10·0.3 + 1/5·0.2 + 0·0.1 = 0.4 + 0.03 + 0.04
		{"one statement, just now", 0, 1, 1, 0, 1, 0.47},
		// 0.4 + 0.03 + 0.04 + min(1/1·2, 1)·0.1
		{"one question, just now", 0, 1, 1, 1, 1, 0.57},
		// 0.4 + min(12/10, 1)·0.3 + min(6/5, 1)·0.2 + min(8/12·2, 1)·0.1: all of them full
		{"all as hot as can be", 0, 12, 6, 8, 12, 1},
		// e^(-30/60) = 0.606531; ·0.4 = 0.242612; + 5/10·0.3 = 0.15; + 3/5·0.2 = 0.12; + 2/8·2·0.1 = 0.05
		{"half a minute of silence", 30, 5, 3, 2, 8, 0.562612},
		// e^-1 = 0.367879; ·0.4 = 0.147152; no message in the minute; + 2/5·0.2 = 0.08; + 1/4·2·0.1 = 0.05
		{"a minute of silence", 60, 0, 2, 1, 4, 0.277152},
		// e^-2 = 0.135335; ·0.4 = 0.054134; + 1/5·0.2 = 0.04
		{"two minutes of silence", 120, 0, 1, 0, 1, 0.094134},
		// e^-5 = 0.006738; ·0.4 = 0.002695; everything has left its window
		{"five minutes of silence", 300, 0, 0, 0, 3, 0.002695},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := temperature(seconds(test.silence), test.lastMinute, test.participants, test.questions, test.messages)
			if !near(got, test.want) {
				t.Errorf("temperature %.6f, want %.6f", got, test.want)
			}
		})
	}
}

func TestStatesChangeAboveTheirThresholds(t *testing.T) {
	for temperature, want := range map[float64]State{
		1: Hot, 0.71: Hot, 0.7: Warming, 0.41: Warming, 0.4: Cooling, 0.21: Cooling, 0.2: Cold, 0: Cold,
	} {
		if got := stateAt(temperature); got != want {
			t.Errorf("at %v: %s, want %s", temperature, got, want)
		}
	}
}

func TestCountsAreOverRealTimestamps(t *testing.T) {
	r := heardBy(spoken{0, "h", "What is slow?"}, spoken{100, "a", "Thanks, I look."},
		spoken{200, "b", "Is it the parser?"}, spoken{290, "a", "Got it."}, spoken{299, "a", "It is."})

	type counts struct{ minute, five, people, humans, questions, acknowledgements int }
	for at, want := range map[float64]counts{
		299:    {2, 5, 3, 1, 2, 2},
		300:    {2, 4, 2, 0, 1, 2}, // a message exactly five minutes old does not count
		358.9:  {1, 4, 2, 0, 1, 2},
		400:    {0, 3, 2, 0, 1, 1},
		598.9:  {0, 1, 1, 0, 0, 0},
		599:    {},
		100000: {},
	} {
		g := r.At(noon.Add(seconds(at)))
		got := counts{g.LastMinute, g.FiveMinutes, len(g.Participants), len(g.Humans), g.Questions, g.Acknowledgements}
		if got != want {
			t.Errorf("after %v s: %+v, want %+v", at, got, want)
		}
	}

	g := r.At(noon.Add(seconds(299)))
	if diff := cmp.Diff([]any{"a", 2, []string{"h", "a", "b", "a", "a"}, map[string]int{"a": 3, "b": 1}},
		[]any{g.LastSpeaker, g.InARow, g.Speakers, g.AIs}); diff != "" {
		t.Errorf("speakers (-want +got):\n%s", diff)
	}
}

func TestConclusion(t *testing.T) {
	two := []spoken{{0, "a", "Sounds good."}, {1, "b", "GREAT DISCUSSION, all"}}
	tests := []struct {
		name  string
		posts []spoken
		at    float64
		want  State
	}{
		{"two signals while it is warm", two, 2, Warming},
		// 0.4·e^(-60/60) + 2/5·0.2 = 0.227 < 0.3
		{"two signals and silence", two, 61, Concluded},
		{"two signals in one message", []spoken{{0, "a", "That makes sense, sounds good!"}}, 61, Concluded},
		{"one signal", two[:1], 100, Cold},
		{"an agent's statement does not reopen", append(two, spoken{100, "a", "One more thing."}), 100, Concluded},
		{"nor later", append(two, spoken{100, "a", "One more thing."}), 101, Concluded},
		{"a person reopens", append(two, spoken{100, "h", "One more thing."}), 100, Warming},
		{"a mention reopens", append(two, spoken{100, "a", "One more thing, @planner."}), 100, Warming},
		{"a direct question reopens", append(two, spoken{100, "a", "Planner, one more?"}), 100, Warming},
		{"a question to nobody does not", append(two, spoken{100, "a", "One more?"}), 100, Concluded},
		{"the signals are cleared", append(two, spoken{100, "h", "One more thing."}), 1000, Cold},
		{
			"and count anew",
			append(two, spoken{100, "h", "Perfect, thank you!"}, spoken{101, "a", "Sounds good."}),
			200,
			Concluded,
		},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := heardBy(test.posts...).At(noon.Add(seconds(test.at))); got.State != test.want {
				t.Errorf("%s, want %s: %+v", got.State, test.want, got)
			}
		})
	}
}

// chatter returns random posts of up to six people and agents within some minutes.
func chatter(random *rand.Rand, most int) (posts []spoken) {
	texts := []string{
		"It is done.",
		"Is it?",
		"Thanks.",
		"Sounds good.",
		"@coder look",
		"coder, is it done?",
		"That makes sense.",
		"Tests fail.",
	}

	at := 0.0
	for range random.IntN(most) {
		at += random.ExpFloat64() * []float64{1, 10, 60}[random.IntN(3)]
		posts = append(posts,
			spoken{at, []string{"h", "a", "b", "c", "d", "e"}[random.IntN(6)], texts[random.IntN(len(texts))]})
	}

	return posts
}

func TestTemperatureStaysInItsBoundsAndFallsWithSilence(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		posts := chatter(random, 40)
		r := heardBy(posts...)
		now, before := noon, 1.0
		if len(posts) > 0 {
			now = posts[len(posts)-1].post(0).At
		}

		concluded := false
		for range 40 {
			got := r.At(now)
			if got.Temperature < 0 || got.Temperature > 1 {
				t.Fatalf("temperature %v of %v", got.Temperature, posts)
			}
			if got.Temperature > before {
				t.Fatalf("silence until %v heats from %v to %v: %v", now.Sub(noon), before, got.Temperature, posts)
			}
			if concluded && got.State != Concluded {
				t.Fatalf("silence until %v reopens: %v", now.Sub(noon), posts)
			}

			before, concluded = got.Temperature, got.State == Concluded
			now = now.Add(seconds(random.Float64() * 20))
		}
	}
}

func TestConcludedReopensOnlyAsStated(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	names, seen := []string{"coder", "planner"}, map[bool]int{}
	for range 2000 {
		r := &Room{}
		for i, s := range chatter(random, 60) {
			p := s.post(i)
			was := r.At(p.At).State == Concluded
			r.Add(p, names)
			calls := p.Human || Mentions(p.Text, "coder") || AsksDirectly(p.Text, "coder")
			if is := r.At(p.At).State == Concluded; was && is == calls {
				t.Fatalf("concluded before %+v; after it: %v", p, is)
			}
			if was {
				seen[calls]++
			}
		}
	}

	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("too few cases seen: %v", seen)
	}
}

func TestRoomIsKeptAsJSONAndBounded(t *testing.T) {
	r := &Room{}
	for i := range 5000 {
		s := spoken{float64(i) / 100, "a", "Sounds good?"}
		r.Add(s.post(i), nil)
	}

	r.Add(spoken{500, "b", "More."}.post(5000), nil) // concluded by then, and not reopened
	r.Cool(noon.Add(seconds(500)))

	kept := must.Have(json.Marshal(r))(t)
	if len(kept) > 50_000 {
		t.Errorf("%d bytes are kept of a room", len(kept))
	}

	again := &Room{}
	must.Do(t, json.Unmarshal(kept, again))

	at := noon.Add(seconds(500))
	if got := again.At(at); got.State != Concluded || got.CooledUntil.IsZero() {
		t.Errorf("made again: %+v", got)
	}
	if diff := cmp.Diff(r.At(at), again.At(at)); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}

	var zero Room
	if b, err := json.Marshal(zero); err != nil || string(b) != "{}" {
		t.Errorf("a room in which nobody spoke: %s, %v", b, err)
	}
}

func TestPostThatRequiresAResponseForgetsConclusions(t *testing.T) {
	r := heardBy(spoken{0, "a", "Thanks everyone."}, spoken{1, "b", "Sounds good."})
	if got := r.At(noon.Add(seconds(600))); got.State != Concluded {
		t.Fatalf("after two phrases it is %s", got.State)
	}

	asks := spoken{600, "a", "Done by noon."}.post(2)
	asks.Asks = true
	r.Add(asks, nil)
	if got := r.At(noon.Add(seconds(1200))); got.State == Concluded {
		t.Error("it is concluded after a post that requires a response")
	}
}

func TestClockSetBackChangesNothing(t *testing.T) {
	r := heardBy(spoken{100, "a", "One."}, spoken{50, "b", "Two."})
	if got := r.At(noon.Add(seconds(100))); got.LastMinute != 2 || !near(got.Temperature, 0.4+0.06+0.08) {
		t.Errorf("%+v", got)
	}
	if got := r.At(noon); got.Temperature > 1 {
		t.Errorf("read before its last message: %+v", got)
	}
}
