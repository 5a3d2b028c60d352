package daemon

import (
	"parley/conversation"
	"parley/internal/setting"
)

// ConversationSettings limit what agents may say before a person speaks again.
type ConversationSettings struct {
	Off            bool `yaml:"off" doc:"Hold nothing but what you mute and cool yourself."`
	ChainHops      int  `yaml:"chain_hops" default:"20" min:"1" max:"1000" doc:"How many messages of agents may follow from one another since a person began."`
	PairMinute     int  `yaml:"pair_minute" default:"10" min:"1" max:"1000" doc:"How many messages two agents may exchange in a minute."`
	PairTenMinutes int  `yaml:"pair_ten_minutes" default:"40" min:"1" max:"1000" doc:"How many messages two agents may exchange in ten minutes."`
	CycleRounds    int  `yaml:"cycle_rounds" default:"3" min:"1" max:"1000" doc:"How many rounds messages may go in a circle of agents."`

	RefuseMailboxes bool `yaml:"refuse_mailboxes" doc:"Refuse what goes to a mailbox beyond a budget, instead of telling its sender and you."`
}

func (s ConversationSettings) budgets() conversation.Settings { return conversation.Settings(s) }

// check refuses values out of bounds. File is the name of the file that has them.
func (s *ConversationSettings) check(file string) error {
	return setting.Check(s, file+": conversation")
}
