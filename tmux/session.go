package tmux

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The pane options that remember whose pane it is, and the last message and how far
// it got (see remembrance). They outlive the daemon and die with the pane.
const (
	ownerOption = "@parley_agent"
	seqOption   = "@parley_seq"
	sizeOption  = "@parley_size" // of the window, of a session of ours: the size that it was launched with
)

// SessionOptions describes a session of one window and one pane.
type SessionOptions struct {
	Name   string // letters, digits, - and _
	Dir    string // working directory; "" is the server's
	Width  int    // columns, default 200
	Height int    // rows, default 50
	Argv   []string
	Owner  string            // identity of who lives there; set before the program can be typed to
	Env    map[string]string // added to the environment; visible in tmux's log, so never secrets
}

// NewSession starts a detached session that runs Argv without a shell, and claims
// its pane for Owner with sequence 0, all in one command line. Argv has at least
// two words, since tmux gives a single one to a shell. A name in use is
// ErrSessionExists. A program that cannot be started is a dead pane, not an error.
func (s *Server) NewSession(ctx context.Context, opts SessionOptions) (PaneInfo, error) {
	if s.opts.Join {
		return PaneInfo{}, invalid("a joined server is not ours to make sessions on")
	}
	if err := opts.check(); err != nil {
		return PaneInfo{}, err
	}

	lines, err := s.run(ctx, opts.commands()...)
	if err != nil {
		return PaneInfo{}, fmt.Errorf("start session %s: %w", opts.Name, err)
	}
	if len(lines) != 1 {
		return PaneInfo{}, fmt.Errorf("start session %s: tmux listed %q", opts.Name, lines)
	}

	return parsePane(lines[0])
}

func (o *SessionOptions) check() error {
	if err := checkSessionName(o.Name); err != nil {
		return err
	}
	if len(o.Argv) < 2 {
		return invalid("argv of %d words: one word alone would go through a shell", len(o.Argv))
	}

	if o.Owner != "" {
		if err := checkOwner(o.Owner); err != nil {
			return err
		}
	}

	for key := range o.Env {
		if key == "" || strings.ContainsRune(key, '=') {
			return invalid("environment variable %q", key)
		}
	}

	if o.Width < 0 || o.Width > 10000 || o.Height < 0 || o.Height > 10000 {
		return invalid("size %dx%d", o.Width, o.Height)
	}

	words := append(slices.Collect(maps.Values(o.Env)), o.Dir)
	words = slices.AppendSeq(words, maps.Keys(o.Env))

	return noNUL(append(words, o.Argv...)...)
}

func (o *SessionOptions) commands() []string {
	width, height := o.Width, o.Height
	if width == 0 {
		width = 200
	}
	if height == 0 {
		height = 50
	}

	start := []string{"new-session", "-d", "-s", o.Name, "-x", strconv.Itoa(width), "-y", strconv.Itoa(height)}
	if o.Dir != "" {
		start = append(start, "-c", o.Dir)
	}

	for _, key := range slices.Sorted(maps.Keys(o.Env)) {
		start = append(start, "-e", key+"="+o.Env[key])
	}

	start = append(append(start, "--"), o.Argv...)

	// "=name:" is the active pane of exactly that session; a bare name would also
	// match a longer one.
	target := quote("=" + o.Name + ":")
	commands := []string{quoteAll(start)}
	if o.Owner != "" {
		commands = append(commands, "set-option -p -t "+target+" "+ownerOption+" "+quote(o.Owner))
	}

	return append(commands,
		"set-option -p -t "+target+" "+seqOption+" 0",
		"set-option -w -F -t "+target+" "+sizeOption+" "+quote(windowSize),
		"list-panes -t "+target+" -F "+quote(paneFormat))
}

// KillSession ends the session of exactly that name; its programs get SIGHUP, which
// some ignore. No such session is ErrNoSession.
func (s *Server) KillSession(ctx context.Context, name string) error {
	if name == "" || strings.ContainsAny(name, ":.\x00") {
		return invalid("session name %q", name)
	}
	if _, err := s.run(ctx, "kill-session -t "+quote("="+name)); err != nil {
		return fmt.Errorf("end session %s: %w", name, err)
	}
	return nil
}

// AttachCommand is the command with which a person looks at session in a terminal.
func (s *Server) AttachCommand(session string) []string {
	return []string{s.opts.Binary, "-S", s.SocketPath(), "attach-session", "-t", "=" + session}
}

// AttachToPane is the command with which a person looks at a pane wherever it is; it
// makes that pane the current one of its session.
func (s *Server) AttachToPane(id string) []string {
	return []string{s.opts.Binary, "-S", s.SocketPath(), "attach-session", "-t", id}
}

// Claim marks a pane that somebody else started as owner's, with sequence 0. That and
// the look whether it is free are one step of the server. A pane that is another's is
// ErrClaimed, one whose program has ended ErrInvalid. It changes nothing but our
// options on that pane, and nothing at all when it is owner's already.
func (p *Pane) Claim(ctx context.Context, owner string) error {
	if err := errors.Join(checkOwner(owner), p.check()); err != nil {
		return err
	}

	r, err := p.server.do(ctx, func(token string) string {
		taken := "#{||:#{pane_dead},#{!=:#{" + ownerOption + "},}}"
		say := "display-message -p -t " + p.id + " " + quote(token+" #{pane_id}|#{pane_dead}|#{q:"+ownerOption+"}")
		return "if-shell -F -t " + p.id + " " + quote(taken) + " { " + say + " } { " +
			"set-option -p -t " + p.id + " " + ownerOption + " " + quote(owner) +
			" ; set-option -p -t " + p.id + " " + seqOption + " 0 ; " + say + " }"
	})
	if err != nil {
		return fmt.Errorf("claim pane %s: %w", p.id, err)
	}

	f := splitFields(r.text)
	switch {
	case len(f) != 3 || f[0] != p.id:
		return fmt.Errorf("claim pane %s: %w", p.id, ErrNoPane)
	case f[2] != owner && f[2] != "":
		return fmt.Errorf("claim pane %s: it is %s's: %w", p.id, f[2], ErrClaimed)
	case f[2] != owner || f[1] == "1":
		return fmt.Errorf("claim pane %s: its program has ended: %w", p.id, ErrInvalid)
	}

	return nil
}

// Release takes our options off a pane that is owner's, in one step with the look at
// that. Any other pane, and one that is gone, is left as it is.
func (p *Pane) Release(ctx context.Context, owner string) error {
	if err := errors.Join(checkOwner(owner), p.check()); err != nil {
		return err
	}
	_, err := p.server.run(ctx, "if-shell -F -t "+p.id+" "+quote("#{==:#{"+ownerOption+"},"+owner+"}")+
		" { set-option -p -u -t "+p.id+" "+ownerOption+" ; set-option -p -u -t "+p.id+" "+seqOption+" }")
	if errors.Is(err, ErrNoPane) {
		return nil
	}
	return err
}
