package tmux

// Reads says whether the programs that have a terminal read it.
type Reads int

// The answers. A program that waits for several things at once may wait for its terminal among them.
const (
	ReadsUnknown Reads = iota
	ReadsNot
	ReadsInput
)

// ReadsTerminal returns whether a program of the foreground process group of a process's terminal waits for
// what is typed there. It takes some tenths of a millisecond. It fails as Foreground does, and with
// ErrUnsupported outside Linux.
func ReadsTerminal(panePID int) (Reads, error) { return readsTerminal(panePID) }

// Suspended returns the command line of a program that the system has stopped since it stands in the
// background of a process's terminal; nil if there is none, and outside Linux.
func Suspended(panePID int) []string { return suspended(panePID) }
