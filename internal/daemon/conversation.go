package daemon

import (
	"parley"
	"parley/conversation"
)

// ConversationSettings are what agents may say to each other before a person speaks again.
type ConversationSettings struct {
	Off            bool `yaml:"off" doc:"Hold nothing but what you mute and cool yourself: true or false."`
	ChainHops      int  `yaml:"chain_hops" doc:"How many messages of agents may follow from one another since a person began: 1 to 1000, 20 unless set."`
	PairMinute     int  `yaml:"pair_minute" doc:"How many messages two agents may exchange in a minute: 1 to 1000, 10 unless set."`
	PairTenMinutes int  `yaml:"pair_ten_minutes" doc:"How many messages two agents may exchange in ten minutes: 1 to 1000, 40 unless set."`
	CycleRounds    int  `yaml:"cycle_rounds" doc:"How many rounds messages may go in a circle of agents: 1 to 1000, 3 unless set."`
}

func (s ConversationSettings) budgets() conversation.Settings { return conversation.Settings(s) }

// check refuses numbers that make no budget; at says where they stand.
func (s ConversationSettings) check(at string) error {
	err := s.budgets().Validate()
	if err == nil {
		return nil
	}
	e := parley.AsError(err)
	return parley.Errorf(e.Code, "%s: conversation: %w", at, err).Suggest("%s", e.Action)
}
