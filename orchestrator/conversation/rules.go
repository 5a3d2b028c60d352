// Package conversation is the protocol that keeps agents from talking forever. A Room is
// the memory of a thread: its heat, its state, and whether an agent should answer a post
// in it. Budgets bound what agents may say to each other before a person speaks again.
// Everything here is values and functions: time and chance are arguments, and the same
// arguments give the same answer.
package conversation

import (
	"cmp"
	"time"

	"parley/internal/setting"
)

// State is the state of a conversation.
type State string

// The states.
const (
	Cold      State = "cold"      // no recent activity
	Warming   State = "warming"   // activity starts
	Hot       State = "hot"       // active
	Cooling   State = "cooling"   // winding down
	Concluded State = "concluded" // ended
)

// Reason is a stable code for why an agent answers or stays silent, or a message is held.
type Reason string

// The reasons of the rules 1 to 8, in their order. The last two share one draw: rule 7
// says yes, rule 8 no.
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

// The reasons outside of the rules.
const (
	FromHuman       Reason = "human-message" // a person's message always passes
	ProtocolOff     Reason = "protocol-off"
	MutedByOperator Reason = "muted"
	CooledDown      Reason = "cooled"
	ChainSpent      Reason = "chain-budget"
	PairSpent       Reason = "pair-budget"
	CycleSpent      Reason = "cycle-budget"
)

// The temperature is 0.4·decay + 0.3·activity + 0.2·diversity + 0.1·questions.
const (
	weightDecay     = 0.4
	weightActivity  = 0.3
	weightDiversity = 0.2
	weightQuestions = 0.1

	decayTime        = time.Minute // e^(-t/60 s): a time constant, not a half-life
	fullActivity     = 10          // messages in the last minute
	fullDiversity    = 5           // participants
	questionEmphasis = 2           // questions in half of the messages are as hot as in all
)

// A state holds above its threshold. Below all of them it is cold.
const (
	hotAbove     = 0.7
	warmingAbove = 0.4
	coolingAbove = 0.2

	concludedBelow  = 0.3 // with so many signals:
	concludingCount = 2
)

// The windows of the counts.
const (
	minute      = time.Minute
	fiveMinutes = 5 * time.Minute
)

// The numbers of rules 1 to 6.
const (
	confidenceMention  = 0.95
	confidenceQuestion = 0.9
	relevantEnough     = 0.7
	dominatingShare    = 0.4
	unattended         = 3 // messages in the last minute, with no person's in five
)

// The numbers for the probability that it is an agent's turn.
const (
	keptSpeakers  = 10 // remembered
	turnSpeakers  = 5  // the latest of them count
	spokenOften   = 2
	turnOften     = 0.1
	turnFresh     = 0.7
	turnHeatShare = 0.5
)

// conclusionPhrases signal the end of a conversation anywhere in a text.
var conclusionPhrases = []string{
	"thanks everyone",
	"great discussion",
	"appreciate the help",
	"got it, thanks",
	"perfect, thank you",
	"that makes sense",
	"sounds good",
}

// acknowledgements are the words of thanks and consent that are counted.
var acknowledgements = []string{"thanks", "got it", "perfect", "sounds good"}

// Settings are the budgets of a team, or of one thread. A 0 means the default. The tags declare them
// for parley.yaml and its documentation too: see package setting.
type Settings struct {
	Off            bool `yaml:"off" json:"off,omitempty" doc:"Hold nothing but what you mute and cool yourself."`
	ChainHops      int  `yaml:"chain_hops" json:"chain_hops,omitempty" default:"20" min:"1" max:"1000" doc:"Messages of agents that may follow from one another since a person began."`
	PairMinute     int  `yaml:"pair_minute" json:"pair_minute,omitempty" default:"10" min:"1" max:"1000" doc:"Messages between two agents in a minute."`
	PairTenMinutes int  `yaml:"pair_ten_minutes" json:"pair_ten_minutes,omitempty" default:"40" min:"1" max:"1000" doc:"Messages between two agents in ten minutes."`
	CycleRounds    int  `yaml:"cycle_rounds" json:"cycle_rounds,omitempty" default:"3" min:"1" max:"1000" doc:"Rounds of messages in a circle of agents."`

	// Nothing can be held from an inbox.
	RefuseMailboxes bool `yaml:"refuse_mailboxes" json:"refuse_mailboxes,omitempty" default:"true" doc:"Refuse what exceeds a budget at a mailbox, instead of telling its sender and you."`
}

// The windows of a pair's two budgets.
const (
	pairShort = time.Minute
	pairLong  = 10 * time.Minute
)

// coolFor is how long the operator's cool lasts: until the longest window is empty.
const coolFor = pairLong

// maxBudget is the highest setting, and bounds the memory of a pair.
const maxBudget = 1000

var defaults = func() (s Settings) { setting.Fill(&s); return s }()

// Defaults returns the default settings.
func Defaults() Settings { return defaults }

// Filled returns the settings with defaults in place of 0.
func (s Settings) Filled() Settings {
	s.ChainHops = cmp.Or(s.ChainHops, defaults.ChainHops)
	s.PairMinute = cmp.Or(s.PairMinute, defaults.PairMinute)
	s.PairTenMinutes = cmp.Or(s.PairTenMinutes, defaults.PairTenMinutes)
	s.CycleRounds = cmp.Or(s.CycleRounds, defaults.CycleRounds)
	return s
}
