package store

import "time"

// SearchQuery asks for messages. Each of its conditions must hold; lists name alternatives.
type SearchQuery struct {
	Words string // all must occur; a phrase in double quotes must occur as it is; "" for any text
	Begun bool   // where no message has all of them as words, they may be parts of words
	// Named holds, for words of which an agent's name is the beginning, the IDs of these agents.
	// A message from or to one of them has the word.
	Named map[string][]string

	For    string   // the ID of the agent that asks, for the messages that it sent, got, or may read in a thread
	All    bool     // all messages, whether or not that agent may read them
	From   []string // only from these senders
	To     []string // only to these recipients
	Agents []string // only from or to these
	Thread []string // only of these threads
	Since  time.Time
	Until  time.Time // not later than this; zero for now
	Before string    // only before this message
	Match  SearchMatch
	Limit  int

	parts bool     // words may be parts of words
	late  []string // threads that the agent joined late: it may read posts that it did not get
}
