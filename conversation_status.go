package parley

// ConversationStatus says whether something can still be said in a conversation.
type ConversationStatus string

// A conversation of two is archived while one of them is terminated, a thread while all
// who take part in it are: nobody is there to be told. Launching one again under its name
// makes it active.
const (
	ConversationActive   ConversationStatus = "active"
	ConversationArchived ConversationStatus = "archived"
)

// StatusOfConversation returns the status of what so many agents say to each other, of
// whom so many are not terminated.
func StatusOfConversation(thread bool, agents, there int) ConversationStatus {
	if there == 0 || !thread && there < agents {
		return ConversationArchived
	}
	return ConversationActive
}
