package agents

// scene is something that a program must pass.
type scene struct {
	name string
	try  func(*onStage) // nil: it is played in a run of its own, see alone
	need need           // "": nothing that a program may lack
}

// need is what a scene needs of a program. One that lacks it says why, see realProgram.
type need string

const (
	briefing      need = "briefing"       // it takes instructions for one run
	tools         need = "tools"          // it takes parley's tools for one run
	question      need = "question"       // it asks before it runs a command
	conversation  need = "conversation"   // parley can bring it back with its conversation
	fork          need = "fork"           // a person can fork its conversation
	tokens        need = "tokens"         // parley reads what its models used
	edits         need = "edits"          // parley reads which files it wrote
	firstQuestion need = "first question" // it asks something at its first start
	trust         need = "trust"          // it asks whether it may trust the directory
)

// scenes are played with each program at each size, in this order.
var scenes = []scene{
	{"a message sent before it is ready arrives", (*onStage).startsUp, ""},
	{"it is told who it is and has the tools", (*onStage).isBriefed, briefing},
	{"it reports what it does", (*onStage).reportsWhatItDoes, ""},
	{"it answers through MCP without asking", (*onStage).sendsWithoutAsking, tools},
	{"several messages wait for its work, each arrives once", (*onStage).waitsForItsWork, ""},
	{"a message waits for the end of an answer that is being written", (*onStage).waitsForItsAnswer, ""},
	{"an urgent message goes into its own queue, if that is safe", (*onStage).usesItsQueue, ""},
	{"a draft holds a message and is not touched", (*onStage).leavesTheDraft, ""},
	{"what a person types while a message is typed is left", (*onStage).leavesWhatIsTypedMeanwhile, ""},
	{"a dialog holds a message and is not answered", (*onStage).leavesTheQuestion, question},
	{"hostile and many-lined texts arrive unchanged", (*onStage).getsEveryText, ""},
	{"texts of every length arrive whole", (*onStage).getsWholeTexts, ""},
	{"texts that fill a row of its composer arrive whole", (*onStage).getsFullRows, ""},
	{"a message waits for a restart after kill -9", (*onStage).survivesItsCrash, ""},
	{"kill -9 of the daemon loses and doubles nothing", (*onStage).outlivesTheDaemon, ""},
	{"decomposed letters arrive unchanged", (*onStage).getsDecomposedLetters, ""},
	{"rows that tmux garbles hold no message for long", (*onStage).survivesGarbledRows, ""},
	{"stop leaves nothing behind", (*onStage).stops, ""},
}

// The scenes that a program is started for anew.
const (
	theFirstQuestion    = "its question at its first start is the operator's, and holds messages"
	theTrust            = "the question whether a directory is trusted is answered from outside"
	theAnswers          = "its dialogs are answered from outside"
	theReturn           = "after the death of the machine it comes back with its conversation"
	theNewConversation  = "a conversation that a person begins in it is followed"
	theFork             = "so is one that a person forks"
	theGoneConversation = "a conversation that it no longer has is not begun afresh by itself"
	theTokens           = "what it used is what its model said"
	theEdits            = "two that write one file are told"
	theTouch            = "for a person who attaches, Shift+Enter and the wheel do what they should"
	theColours          = "a draft, and what only hints at one, are told apart by their colours"
	theLimit            = "a usage limit holds messages"
)

// scenesAlone are played in runs of their own.
var scenesAlone = []scene{
	{theFirstQuestion, nil, firstQuestion}, {theTrust, nil, trust}, {theAnswers, nil, question},
	{theReturn, nil, conversation}, {theNewConversation, nil, conversation}, {theFork, nil, fork}, {theGoneConversation, nil, conversation},
	{theTokens, nil, tokens}, {theEdits, nil, edits}, {theTouch, nil, ""}, {theColours, nil, ""}, {theLimit, nil, ""},
}

// aloneAt is the size of the terminal in these.
const aloneAt = "120x40"
