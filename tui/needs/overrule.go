package needs

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// overruling says that what parley takes for a draft is none.
type overruling struct{ *Screen }

// ask has the first message typed that waits behind a draft, if that is none: a program can show there what
// nobody has typed. It counts for exactly the text that the question shows.
func (n overruling) ask(x *need) tea.Cmd {
	if x.Draft == "" || x.MessageID == "" {
		n.Tell("It disappears once the cause is gone.")
		return nil
	}

	question := fmt.Sprintf("Nobody has typed “%s”? Then a message is typed there.", kit.SafeLine(x.Draft))
	over := parley.RetryDeliveryRequest{MessageID: x.MessageID, Recipient: x.AgentID, Draft: x.Draft}
	return n.Ask(question, func() tea.Cmd { return n.Run(room.Act(parley.Service.RetryDelivery, over)) })
}
