package conversation

import (
	"cmp"
	"time"

	"parley/internal/setting"
)

// Settings are the budgets of a team, or of one thread. A 0 means the default. The tags declare them
// for parley.yaml and its documentation too: see package setting.
type Settings struct {
	Off            bool `yaml:"off" json:"off,omitempty" doc:"Hold nothing but what you mute and cool yourself."`
	ChainHops      int  `yaml:"chain_hops" json:"chain_hops,omitempty" default:"20" min:"1" max:"1000" doc:"How many messages of agents may follow from one another since a person began."`
	PairMinute     int  `yaml:"pair_minute" json:"pair_minute,omitempty" default:"10" min:"1" max:"1000" doc:"How many messages two agents may exchange in a minute."`
	PairTenMinutes int  `yaml:"pair_ten_minutes" json:"pair_ten_minutes,omitempty" default:"40" min:"1" max:"1000" doc:"How many messages two agents may exchange in ten minutes."`
	CycleRounds    int  `yaml:"cycle_rounds" json:"cycle_rounds,omitempty" default:"3" min:"1" max:"1000" doc:"How many rounds messages may go in a circle of agents."`

	// Nothing can be held from an inbox.
	RefuseMailboxes bool `yaml:"refuse_mailboxes" json:"refuse_mailboxes,omitempty" default:"true" doc:"Refuse what goes back and forth beyond a budget, where a mailbox gets it, instead of telling its sender and you."`
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
