// Package conversation is the protocol that lets agents talk without talking for
// ever. A Room is a thread: its heat, its state, and whether an agent should
// answer a post in it. Budgets are what agents may say to each other before a
// person speaks again. Everything here is values and functions: the time and the
// chance come in as arguments, and the same arguments give the same answer.
package conversation

import "time"

// State is how a conversation goes.
type State string

// The states of the seed.
const (
	Cold      State = "cold"      // no recent activity
	Warming   State = "warming"   // activity starts
	Hot       State = "hot"       // active
	Cooling   State = "cooling"   // winding down
	Concluded State = "concluded" // it has come to its end
)

// Reason is a stable code: why an agent speaks or stays silent, or a message is
// held.
type Reason string

// The reasons of the seed, in the order of its rules. The last two are of one
// draw: rule 7 says yes, rule 8 no.
const (
	MentionedByAI         Reason = "mentioned-by-ai"
	AskedDirectly         Reason = "direct-question"
	ConversationConcluded Reason = "conversation-concluded"
	JustSpoke             Reason = "just-spoke-wait-turn"
	Dominating            Reason = "dominating-conversation"
	HumansDisengaged      Reason = "humans-disengaged"
	TurnTaking            Reason = "turn-taking-probability"
	NoCompellingReason    Reason = "no-compelling-reason"
)

// The reasons that the seed has no rule for.
const (
	FromHuman       Reason = "human-message" // a person's message always passes
	ProtocolOff     Reason = "protocol-off"
	MutedByOperator Reason = "muted"
	CooledDown      Reason = "cooled"
	ChainSpent      Reason = "chain-budget"
	PairSpent       Reason = "pair-budget"
	CycleSpent      Reason = "cycle-budget"
)

// The temperature, by the seed: 0.4·decay + 0.3·activity + 0.2·diversity +
// 0.1·questions.
const (
	weightDecay     = 0.4
	weightActivity  = 0.3
	weightDiversity = 0.2
	weightQuestions = 0.1

	decayTime        = time.Minute // e^(-t/60 s): a time constant, not a half-life
	fullActivity     = 10          // messages in the last minute
	fullDiversity    = 5           // participants
	questionEmphasis = 2           // half of the messages asking is as hot as all
)

// A state holds above its threshold, by the seed; below all of them it is cold.
const (
	hotAbove     = 0.7
	warmingAbove = 0.4
	coolingAbove = 0.2

	concludedBelow  = 0.3 // with so many signals:
	concludingCount = 2
)

// The windows over which the seed counts.
const (
	minute      = time.Minute
	fiveMinutes = 5 * time.Minute
)

// The seed's numbers for rules 1 to 6.
const (
	confidenceMention  = 0.95
	confidenceQuestion = 0.9
	relevantEnough     = 0.7
	dominatingShare    = 0.4
	leftAlone          = 3 // messages in the last minute, none of them in five by a human
)

// The seed's numbers for the probability that it is an agent's turn.
const (
	keptSpeakers  = 10 // of the sequence
	turnSpeakers  = 5  // of them the latest count
	spokenOften   = 2
	turnOften     = 0.1
	turnFresh     = 0.7
	turnHeatShare = 0.5
)

// conclusionPhrases are the seed's, in its order, found anywhere in a text.
var conclusionPhrases = []string{
	"thanks everyone",
	"great discussion",
	"appreciate the help",
	"got it, thanks",
	"perfect, thank you",
	"that makes sense",
	"sounds good",
}

// acknowledgements are those that the seed names: "Thanks" and "Got it" beside its
// count of them, the others in its rules for prompts.
var acknowledgements = []string{"thanks", "got it", "perfect", "sounds good"}
