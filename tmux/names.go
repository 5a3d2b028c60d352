package tmux

// The options in which tmux records what parley must not forget. They outlive the
// daemon and die with the pane.
const (
	ownerOption = "@parley_agent" // of the pane: the identity of its agent
	seqOption   = "@parley_seq"   // of the pane: its progress, see record
	sizeOption  = "@parley_size"  // of the window, if parley made it: the size at launch
	dirOption   = "@parley_dir"   // of the server, while a session is started: its directory
	queueOption = "@parley_hold"  // of the session: number of the message for which keys wait
)

// queueTable is the key table of a session whose keys wait, see queueKeys.
const queueTable = "parley-hold"

// hubSession keeps the server alive and gives the control client a session to be
// attached to. It is never listed.
const hubSession = "_hub"
