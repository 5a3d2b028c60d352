package conversation

import (
	"slices"
	"strings"
	"unicode"

	"parley"
)

// The weights of one word that a text shares with an agent's profile. One word of its
// capabilities or role is not enough for rule 2; together with its name or a word of its
// description it is.
const (
	wordOfCapability  = 0.6
	wordOfRole        = 0.6
	wordOfDescription = 0.3
	wordOfName        = 0.3

	relevanceUnknown = 0.5 // of an agent without a profile
)

// interests are the words of an agent's profile and name, as texts are compared with them.
type interests struct {
	agent   parley.Agent // whose words they are, as it was then
	name    string       // in lower case
	own     []string     // the words of its name
	profile bool         // it has a word other than those of its name
	words   []string     // all of them
	weights []float64    // of each; 0 for a word that counts only where the text has the whole name
}

func interestsOf(agent *parley.Agent) *interests {
	i := &interests{agent: *agent, name: strings.ToLower(agent.Name), own: wordsOf(agent.Name)}
	i.agent.Capabilities = slices.Clone(agent.Capabilities)
	i.add(wordsOf(strings.Join(agent.Capabilities, " ")), wordOfCapability)
	i.add(wordsOf(agent.Role), wordOfRole)
	i.add(wordsOf(agent.Description), wordOfDescription)
	i.profile = len(i.words) > 0
	i.add(i.own, 0)
	return i
}

// add gives words a weight, unless they have a higher one.
func (i *interests) add(words []string, weight float64) {
	for _, w := range words {
		at := slices.Index(i.words, w)
		if at < 0 {
			i.words, i.weights = append(i.words, w), append(i.weights, weight)
			continue
		}
		i.weights[at] = max(i.weights[at], weight)
	}
}

// areOf reports whether the interests are those of the agent as it is now.
func (i *interests) areOf(agent *parley.Agent) bool {
	was := &i.agent
	return was.Name == agent.Name && was.Role == agent.Role && was.Description == agent.Description &&
		slices.Equal(was.Capabilities, agent.Capabilities)
}

// relevance returns how much the text concerns an agent, from 0 to 1.
//
// Each distinct word that the text shares with the agent's capabilities, role,
// description or name has the highest weight w of the places where it stands. The
// relevance is 1 - (1-w1)(1-w2)…: it is 0 without a common word, and each further one
// brings it nearer to 1. The comparison ignores case, the usual English endings, and the
// words that every text has.
//
// A text without any other words ("coder, what do you think?") has a relevance of 1 for
// the agents that it names, and 0 for all others. An agent without role, capabilities and
// description has a relevance of 0.5 for every other text.
func (t *parsedText) relevance(agent *interests) float64 {
	named := agent.name != "" && hasWord(t.lower, agent.name)
	ofName := func(w string) bool { return named && slices.Contains(agent.own, w) }
	nothingElse := !slices.ContainsFunc(t.words, func(w string) bool { return !ofName(w) })
	switch {
	case nothingElse && named:
		return 1
	case nothingElse:
		return 0
	case !agent.profile:
		return relevanceUnknown
	}

	doubt := 1.0
	for i, w := range agent.words {
		if !t.has[w] {
			continue
		}
		weight := agent.weights[i]
		if ofName(w) {
			weight = max(weight, wordOfName)
		}
		doubt *= 1 - weight
	}

	return 1 - doubt
}

// wordsOf returns the distinct stems of the words in text, in order, without the common
// words.
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

// stem removes the usual endings from an English word: tests, tested, tester and testing
// become one. The result need not be a word, since both sides of a comparison are stemmed.
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

// common words do not tell what a text is about. They include words of agreement and
// thanks.
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
