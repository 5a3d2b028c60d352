package parley

// InteractionRules tells a model how to talk with other agents, so that their conversation
// ends: the seven interaction rules of the conversation protocol, in short.
const InteractionRules = "Write a sentence or two, and only what is new: nothing to agree, thank, greet or confirm. " +
	"End with who should go on, by @name, or with nobody. Thanks or \"sounds good\" end a conversation: do not " +
	"answer. Leave to others what they know better. Say what you cannot know. After two messages of yours wait " +
	"for others; when no person takes part any more, come to an end."
