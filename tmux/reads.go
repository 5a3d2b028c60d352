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

// Reader is the process that waits for what is typed in a terminal.
type Reader struct {
	ID  string // tells the process and the program that it runs from any other; "" if none is known to wait
	PID int
	// Only says that it waits for nothing else: no timer, connection, child or thread can make it go on.
	Only bool
	// Holders are the processes that have the terminal open, told as ID does, if none is known to wait.
	Holders []string
}

// ReaderOf returns the process of the foreground process group of a process's terminal that waits for what is typed
// there, the youngest if several do, or those that have it. It takes some tenths of a millisecond, and fails as
// ReadsTerminal does.
func ReaderOf(panePID int) (Reader, error) { return readerOf(panePID) }
