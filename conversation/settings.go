package conversation

import (
	"cmp"
	"time"

	"parley"
)

// Settings are the budgets of a team, or of one thread. A 0 means the default.
type Settings struct {
	Off            bool `json:"off,omitempty"`              // only the operator's mute and cool hold messages
	ChainHops      int  `json:"chain_hops,omitempty"`       // messages that follow from one another since a person's
	PairMinute     int  `json:"pair_minute,omitempty"`      // turns of two agents, in both directions, in a minute
	PairTenMinutes int  `json:"pair_ten_minutes,omitempty"` // the same in ten
	CycleRounds    int  `json:"cycle_rounds,omitempty"`     // rounds of any cycle of agents

	// RefuseMailboxes says that a message to a mailbox beyond a budget is refused: nothing
	// can be held from an inbox.
	RefuseMailboxes bool `json:"refuse_mailboxes,omitempty"`
}

// The windows of a pair's two budgets.
const (
	pairShort = time.Minute
	pairLong  = 10 * time.Minute
)

// coolFor is how long the operator's cool lasts: until the longest window is empty.
const coolFor = pairLong

// maxBudget bounds a setting, and with it the memory of a pair.
const maxBudget = 1000

// Defaults returns the default settings.
func Defaults() Settings { return Settings{}.filled() }

// filled returns the settings with defaults in place of 0.
func (s Settings) filled() Settings {
	s.ChainHops = cmp.Or(s.ChainHops, 20)
	s.PairMinute = cmp.Or(s.PairMinute, 10)
	s.PairTenMinutes = cmp.Or(s.PairTenMinutes, 40)
	s.CycleRounds = cmp.Or(s.CycleRounds, 3)
	return s
}

// Validate fails with INVALID_ARGUMENT if a number is out of range.
func (s Settings) Validate() error {
	s = s.filled()
	for _, budget := range []struct {
		name  string
		value int
	}{
		{"chain_hops", s.ChainHops}, {"pair_minute", s.PairMinute},
		{"pair_ten_minutes", s.PairTenMinutes}, {"cycle_rounds", s.CycleRounds},
	} {
		if budget.value < 1 || budget.value > maxBudget {
			return parley.Errorf(parley.InvalidArgument, "%s is %d", budget.name, budget.value).
				With("field", budget.name).
				Suggest("Use 1 to %d, or leave it out for the default; off switches the protocol off.", maxBudget)
		}
	}

	return nil
}
