package room

// Verb is an act of the shell that a screen has a key for.
type Verb int

const (
	DoWrite Verb = iota
	DoReply
	DoBroadcast
	DoSteer
	DoRunCommand
	DoGoTo
)
