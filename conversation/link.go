package conversation

// Link says where a message stands: in which chain, and how many messages of agents
// lead to it from the one that began the chain. A chain is named by that message.
type Link struct {
	Chain string `json:"chain_id"`
	Hop   int    `json:"hop"`
}

// Next returns the link of a new message. A person's begins a chain, at hop 0. An
// agent's goes on from the message that it answers (replied), else from the one that
// began the sender's current turn (turn); where both are of one chain, from the
// farther. An agent's message that goes on from nothing begins a chain at hop 1.
// Links that there are not are zero.
//
// A sender of whose turns nothing is known, such as a mailbox, is taken to be in the
// one that it was last given (see Budgets.Turn): else it could begin anew for ever.
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
