package tmux

import "time"

// Reads says whether a program that has a terminal reads it.
type Reads int

// The answers, from the weakest on. A program that waits for several things at once may wait for its terminal among
// them.
const (
	ReadsNot Reads = iota
	ReadsUnknown
	ReadsInput
)

// Program is what a process runs.
type Program struct {
	File string   // that is executed, without links; "" if the system does not show it
	Args []string // its command line, or what it shows in its place
	Dir  string   // in which it works; "" if the system does not show it
}

// ProgramAt returns what a process runs.
func ProgramAt(pid int) Program { return programAt(pid) }

// Reader is the process that gets what is typed in a terminal.
type Reader struct {
	Program
	PID   int // 0: none has the terminal open
	Waits Reads
}

// Suspended returns the command line of a program that the system has stopped since it stands in the
// background of a process's terminal; nil if there is none, and outside Linux.
func Suspended(panePID int) []string { return suspended(panePID) }

// ReaderOf returns the process that gets what is typed in the terminal of the process panePID: of those in the
// foreground that have it open, the one that waits for it, or else one that may, the youngest if there are several;
// or else the oldest, whose children come and go. The processes are listed now, or were after a time. It takes some
// tenths of a millisecond. It fails as Foreground does.
func (p *Processes) ReaderOf(panePID int, since time.Time) (Reader, error) {
	l := p.look(since)
	if l.err != nil {
		return Reader{}, l.err
	}
	return readerOf(panePID, l.groups)
}
