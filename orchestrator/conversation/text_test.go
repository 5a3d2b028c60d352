package conversation

import (
	"slices"
	"testing"

	"parley"
)

func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{
		"@coder": true, "ask @Coder, please": true, "(@coder)": true, "@coder's": true, "@coder?": true,
		"coder": false, "@coder2": false, "@coder-x": false, "me@coder": false, "@ coder": false, "": false,
		"@cod": false, "@coderé": false,
		"@coder2 and @coder": true,
	} {
		if got := Mentions(text, "coder"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if Mentions("@", "") {
		t.Error("nobody is mentioned")
	}
}

func TestAsksDirectly(t *testing.T) {
	for text, want := range map[string]bool{
		"CodeAI, what do you think?":                 true,
		"What do you think, codeai?":                 true,
		"I'd check the logs. @CodeAI what's up?":     true,
		"codeai: I looked at it. Can you test it?":   true,
		"(Is it done, codeai?) I wait.":              true,
		"codeai、できましたか？":                             true,
		"codeai did it. Who is next?":                true, // it begins with the name
		"It was codeai. Who is next?":                false,
		"codeai, test it.":                           false,
		"What do you think?":                         false,
		"codeai, see http://x/?a=b":                  false,
		"codeai2, what do you think?":                false,
		"codeai has version 1.2 now, is that right?": true,
		"codeai really?!":                            true,
		"":                                           false,
	} {
		if got := AsksDirectly(text, "CodeAI"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestQuestionsAcknowledgementsAndSignals(t *testing.T) {
	tests := []struct {
		text           string
		asks, consents bool
		signals        []string
	}{
		{"Is it done? I wait.", true, false, nil},
		{"Got it, thanks everyone!", false, true, []string{"thanks everyone", "got it, thanks"}},
		{"Perfect, thank you. Appreciate the help", false, true, []string{"appreciate the help", "perfect, thank you"}},
		{
			"That makes sense, sounds good, great discussion",
			false,
			true,
			[]string{"great discussion", "that makes sense", "sounds good"},
		},
		{"a perfectly good x ? y : z", true, false, nil},
		{"see /?q=1", false, false, nil},
		{"", false, false, nil},
	}

	for _, test := range tests {
		if got := IsQuestion(test.text); got != test.asks {
			t.Errorf("%q asks: %v, want %v", test.text, got, test.asks)
		}
		if got := Acknowledges(test.text); got != test.consents {
			t.Errorf("%q consents: %v, want %v", test.text, got, test.consents)
		}
		if got := parseText(test.text).signals(); !slices.Equal(got, test.signals) {
			t.Errorf("%q signals %q, want %q", test.text, got, test.signals)
		}
	}
}

func TestRelevance(t *testing.T) {
	coder := &parley.Agent{
		Name: "coder",
		AgentSpec: parley.AgentSpec{
			Role:         "Go programmer",
			Capabilities: []string{"debugging", "unit tests"},
			Description:  "writes the parser and its documentation",
		},
	}

	unknown := &parley.Agent{Name: "stranger"}
	tests := []struct {
		name  string
		agent *parley.Agent
		text  string
		want  float64
	}{
		{"nothing in common", coder, "The weather in Paris", 0},
		{"one capability", coder, "We should debug this", 0.6},
		{"one capability, twice", coder, "Debug and debugged", 0.6},
		{"one word of the description", coder, "the parsers fail", 0.3},
		{"a capability and the name", coder, "coder, can you test it?", 0.72},  // 1 - 0.4·0.7
		{"two capabilities", coder, "a unit that debugs", 0.84},                // 1 - 0.4·0.4
		{"role and description", coder, "programmers and documentation", 0.72}, // 1 - 0.4·0.7
		{"the name, and a foreign subject", coder, "coder, is Paris rainy?", 0.3},
		{"the name alone", coder, "Coder, what do you think?", 1},
		{"nothing but courtesy", coder, "Thanks, sounds great!", 0},
		{"no words", coder, "", 0},
		{"an agent that says nothing of itself", unknown, "We should debug this", 0.5},
		{"courtesy for it", unknown, "Thank you all", 0},
		{"it alone", unknown, "stranger?", 1},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Relevance(test.agent, test.text); !near(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestStemsOfOneWordAreEqual(t *testing.T) {
	for _, words := range [][]string{
		{"plan", "plans", "planning", "planner", "planned"}, {"test", "tests", "testing", "tester", "tested"},
		{"code", "coder", "coding", "codes"},
		{"review", "reviewer", "reviews"}, {"database", "databases"}, {"class", "classes"},
	} {
		for _, w := range words {
			if got, want := stem(w), stem(words[0]); got != want {
				t.Errorf("%s: %s, want %s", w, got, want)
			}
		}
	}
}

func TestDrawIsKeptAndEven(t *testing.T) {
	draw, other := Keyed([]byte("one")), Keyed([]byte("two"))
	if draw("m", "a") != draw("m", "a") {
		t.Error("asking again rolls again")
	}
	if draw("m", "a") == other("m", "a") || draw("m", "a") == draw("m", "b") || draw("m", "a") == draw("ma", "") {
		t.Error("key, message and recipient do not all count")
	}

	var tenths [10]int
	for i := range 10_000 {
		x := draw("m", string(rune(i)))
		if x < 0 || x >= 1 {
			t.Fatalf("drew %v", x)
		}
		tenths[int(x*10)]++
	}

	for i, n := range tenths {
		if n < 850 || n > 1150 { // five standard deviations of 30
			t.Errorf("%d of 10000 in tenth %d", n, i)
		}
	}
}
