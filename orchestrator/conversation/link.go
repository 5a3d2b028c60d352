package conversation

// Link is the place of a message in a chain.
type Link struct {
	Chain string `json:"chain_id"` // id of the message that began the chain
	Hop   int    `json:"hop"`      // messages of agents from the begin of the chain to this one
}

// Next returns the link of a new message. A person's message begins a chain, at hop 0.
// An agent's message continues the one that it answers (replied), else the one that
// started the sender's current turn (turn). If both are of the same chain, it continues
// the one with the higher hop. If both are zero, it begins a chain at hop 1.
//
// If a sender's turns are not known, as with a mailbox, pass its latest turn (see
// Budgets.Turn): otherwise it could begin new chains without end.
func Next(message string, human bool, replied, turn Link) Link {
	switch {
	case human:
		return Link{message, 0}
	case replied.Chain != "" && replied.Chain == turn.Chain:
		return Link{replied.Chain, max(replied.Hop, turn.Hop) + 1}
	case replied.Chain != "":
		return Link{replied.Chain, replied.Hop + 1}
	case turn.Chain != "":
		return Link{turn.Chain, turn.Hop + 1}
	}
	return Link{message, 1}
}
