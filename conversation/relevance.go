package conversation

import (
	"slices"
	"strings"
	"unicode"

	"parley"
)

// What one word in common with an agent's profile says for its being concerned. The
// numbers are chosen so that one word of its capabilities or role is not enough for
// rule 2, and becomes enough with its name or a word of its description beside it.
const (
	wordOfCapability  = 0.6
	wordOfRole        = 0.6
	wordOfDescription = 0.3
	wordOfName        = 0.3

	relevanceUnknown = 0.5 // of an agent that says nothing of itself
)

// Relevance says from 0 to 1 how much text concerns an agent.
//
// Each distinct word that the text shares with the agent's capabilities, role,
// description or name says so with the highest weight w of the places where it
// stands, and the relevance is 1 - (1-w1)(1-w2)…: no word in common gives 0, and each
// further one brings it nearer to 1. Words are compared without case, without their
// usual English endings, and without the words that every text has.
//
// Where a text has no words of its own ("coder, what do you think?") it concerns those
// whom it names wholly, and nobody else. An agent without role, capabilities and
// description is concerned by half in every text that has any.
func Relevance(agent *parley.Agent, text string) float64 { return hear(text).relevance(agent) }

func (s *said) relevance(agent *parley.Agent) float64 {
	own := wordsOf(agent.Name)
	named := agent.Name != "" && hasWord(s.lower, strings.ToLower(agent.Name))
	nameOnly := func(w string) bool { return named && slices.Contains(own, w) }
	if !slices.ContainsFunc(s.words, func(w string) bool { return !nameOnly(w) }) {
		if named {
			return 1
		}
		return 0
	}

	weights := weigh(agent)
	if len(weights) == 0 {
		return relevanceUnknown
	}

	if named {
		for _, w := range own {
			weights[w] = max(weights[w], wordOfName)
		}
	}

	doubt := 1.0
	for _, w := range s.words {
		doubt *= 1 - weights[w]
	}

	return 1 - doubt
}

// weigh gives each word of an agent's profile its weight.
func weigh(agent *parley.Agent) map[string]float64 {
	weights := map[string]float64{}
	add := func(text string, weight float64) {
		for _, w := range wordsOf(text) {
			weights[w] = max(weights[w], weight)
		}
	}
	add(strings.Join(agent.Capabilities, " "), wordOfCapability)
	add(agent.Role, wordOfRole)
	add(agent.Description, wordOfDescription)
	return weights
}

// wordsOf returns the distinct words of text, in order, that say what it is about.
func wordsOf(text string) (words []string) {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})

	for _, w := range fields {
		w, _, _ = strings.Cut(w, "'")
		if len(w) < 2 || common[w] {
			continue
		}
		if w = stem(w); !slices.Contains(words, w) {
			words = append(words, w)
		}
	}

	return words
}

// stem takes the usual endings from an English word: tests, tested, tester and
// testing become one. It needs only to do the same to both sides.
func stem(w string) string {
	for _, ending := range []string{"ings", "ing", "ers", "er", "ed", "es", "s", "e"} {
		rest, found := strings.CutSuffix(w, ending)
		if !found || len(rest) < 3 {
			continue
		}
		if n := len(rest); rest[n-1] == rest[n-2] { // planning, planner: plan
			rest = rest[:n-1]
		}
		return rest
	}
	return w
}

// common words say nothing of what a text is about; those of agreement and thanks are
// among them.
var common = setOf(`
	about absolutely after again agree agreed all also am an and any anyone appreciate are as at be because been
	before but by can could did do does doing don done everyone fine for from further get give glad go going good
	got great had has have he hello her here hi him his how if in indeed into is it its just know let like ll
	looks makes many may me more much must my nice no not now of off ok okay on one only or other our out over
	perfect please pleasure point put re ready really right same say see sense shall she should so some soon
	sounds still such sure take thank thanks that the their them then there these they thing think this those
	thoughts to too up us ve very was we welcome well were what when where which while who why will with would yes
	yet you your
`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
