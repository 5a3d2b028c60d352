package tui

// verb is an act of the shell that a screen has a key for.
type verb int

const (
	doWrite verb = iota
	doReply
	doBroadcast
	doSteer
	doRunCommand
)
