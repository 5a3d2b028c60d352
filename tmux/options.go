package tmux

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Options says which tmux server to use, and how.
type Options struct {
	Binary string // default "tmux"
	Path   string // socket path (-S)

	// Join uses a running server that belongs to somebody else: parley starts
	// nothing there, attaches no client, makes no session, and sets no option but
	// its own on a pane. Each command is one process. Notify is never called.
	Join bool

	// Keeper is the beginning of a command line that runs Keep, which starts the server if none
	// runs and stays as its parent. Empty: the server is started without one.
	Keeper []string

	// View is how its terminals look and behave for a person who attaches. Not with Join.
	View View

	// Env is the environment of a server that is started, without TMUX and TMUX_PANE.
	// nil: that of this process.
	Env []string
	// Dir is where message texts wait for tmux. Default: $XDG_RUNTIME_DIR, /dev/shm or
	// os.TempDir(), the first that can be written.
	Dir string
	// Notify is called from the reader, so it must not block. It may be nil.
	Notify func(Notification)
}

// socket returns the flags that name the server's socket.
func (o *Options) socket() []string { return []string{"-S", o.Path} }

// Kind says what a Notification is about.
type Kind string

// The kinds of Notification.
const (
	Connected    Kind = "connected"    // commands work (again); Instance tells whether the server is a new one
	Disconnected Kind = "disconnected" // the client or the server died; Err is the symptom
	ModeChanged  Kind = "mode"         // Pane entered or left a mode, such as copy mode
	WindowsMoved Kind = "windows"      // windows or sessions were opened, closed or renamed
	ClientsMoved Kind = "clients"      // a terminal attached, detached or changed its session
)

// Notification is something that the server reported unasked. It never reports that
// a pane died, changed its title or printed something: tmux does not tell.
type Notification struct {
	Kind     Kind
	Pane     string // ModeChanged: %N
	Instance string // Connected: the server now connected
	Text     string // tmux's own line, if there was one
	Err      error  // Disconnected
}

// transport carries command lines to one tmux server.
type transport interface {
	// do runs the line that compose makes of a token, and returns what it printed.
	// The line must print its token as its very last act, and must not contain a
	// line feed. When ctx ends first, the line may still run.
	do(ctx context.Context, compose func(token string) string) (reply, error)
	// known returns the facts of the server last reached. Their instance is empty
	// while no server is known to run.
	known() facts
	// close ends the transport and waits for it. Calls in flight fail with ErrClosed.
	close()
}

// facts are what a server says about itself.
type facts struct {
	pid      int
	instance string
	path     string
	version  Version
}

func endWithToken(commands []string) func(string) string {
	return func(token string) string {
		return strings.Join(commands, " ; ") + " ; display-message -p " + token
	}
}

// View says how terminals on parley's own server look and behave for a person who attaches
// to them. The zero View leaves out everything that is not needed to see one.
type View struct {
	Mouse     bool   // the wheel scrolls and dragging selects, unless the program takes the mouse itself
	Keys      bool   // Shift+Enter makes a new line, and Ctrl and Alt reach the program with any key
	Clipboard string // who may fill the person's clipboard: on (also programs), external (what is selected) or off
	Status    bool   // the last line names the agent

	// History is how many lines that scroll off a new terminal keeps, while there are at most
	// FullHistories. Later ones keep shortHistory.
	History int

	NextKey, PreviousKey string // show the next and the previous agent; "" for no such key
}

// settings returns the commands that set the options of parley's own server. Sizes: a
// window follows the person who attaches, and keeps that size until Pane.Resize gives it
// another.
func settings(env []string) []string {
	return []string{
		"set-option -s exit-empty off",
		"set-option -s message-limit 0", // the log of command lines: 1000 held 27 MB of old texts, 10 would keep ten
		"set-option -s escape-time 0",
		"set-option -s focus-events on",
		"set-option -s default-terminal " + terminal(env),
		"set-option -g default-size 200x50",
		"set-option -g destroy-unattached off",
		"set-option -wg window-size latest",
		"set-option -wg remain-on-exit on", // before any session: later is too late for a program that exits at once
		"set-option -wg automatic-rename off",
		"set-option -wg allow-rename off",
	}
}

// terminal returns the best terminal description that programs in panes will find on
// this machine.
func terminal(env []string) string {
	dirs := []string{"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/share/lib/terminfo",
		"/usr/local/share/terminfo", "/opt/homebrew/share/terminfo"}
	for _, kv := range env {
		switch key, value, _ := strings.Cut(kv, "="); key {
		case "TERMINFO":
			dirs = append(dirs, value)
		case "HOME":
			dirs = append(dirs, filepath.Join(value, ".terminfo"))
		case "TERMINFO_DIRS":
			dirs = append(dirs, filepath.SplitList(value)...)
		}
	}

	for _, dir := range dirs {
		for _, sub := range []string{"t", "74"} { // by first letter, or by its hexadecimal code
			if _, err := os.Stat(filepath.Join(dir, sub, "tmux-256color")); dir != "" && err == nil {
				return "tmux-256color"
			}
		}
	}

	return "screen-256color"
}
