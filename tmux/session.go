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

// SessionOptions describes a session of one window and one pane.
type SessionOptions struct {
	Name   string // letters, digits, - and _
	Dir    string // working directory; default: the server's
	Width  int    // columns, default 200
	Height int    // rows, default 50
	Argv   []string
	Owner  string            // identity of the agent; set before anything can be typed to the program
	Env    map[string]string // added to the environment; visible in tmux's log, so never secrets
}

// NewSession starts a detached session that runs Argv without a shell, and claims
// its pane for Owner with sequence 0, all in one command line. Argv needs at least
// two words, since tmux gives a single one to a shell. NewSession fails with
// ErrSessionExists if the name is in use. A program that cannot be started leaves a
// dead pane, not an error.
func (s *Server) NewSession(ctx context.Context, opts SessionOptions) (PaneInfo, error) {
	if s.opts.Join {
		return PaneInfo{}, invalid("parley makes no sessions on a joined server")
	}
	if err := opts.check(); err != nil {
		return PaneInfo{}, err
	}

	others, err := s.run(ctx, "list-sessions -F x")
	if err != nil {
		return PaneInfo{}, fmt.Errorf("count the sessions: %w", err)
	}

	limit := s.opts.View.historyLimit(len(others) - 1) // without the hub
	lines, err := s.run(ctx, opts.commands(limit)...)
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

// commands returns the commands that start the session, whose pane keeps limit lines. tmux
// reads that global option when it makes a pane, or from 3.8 on whenever the option changes, so
// there the pane has its own.
func (o *SessionOptions) commands(limit int) []string {
	width, height := o.Width, o.Height
	if width == 0 {
		width = 200
	}
	if height == 0 {
		height = 50
	}

	start := []string{"new-session", "-d", "-s", o.Name, "-x", strconv.Itoa(width), "-y", strconv.Itoa(height)}
	var before, after []string
	switch {
	case strings.Contains(o.Dir, "#"): // tmux takes the word for a format, but not what a format names
		before = []string{"set-option -g " + dirOption + " " + quote(o.Dir)}
		start = append(start, "-c", "#{"+dirOption+"}")
		after = []string{"set-option -g -u " + dirOption}
	case o.Dir != "":
		start = append(start, "-c", o.Dir)
	}

	for _, key := range slices.Sorted(maps.Keys(o.Env)) {
		start = append(start, "-e", key+"="+o.Env[key])
	}

	start = append(append(start, "--"), o.Argv...)

	// "=name:" is the active pane of exactly that session. A bare name would also
	// match a longer one.
	target := quote("=" + o.Name + ":")
	keep := "history-limit " + strconv.Itoa(limit)
	commands := append(before, "set-option -g "+keep, quoteAll(start))
	commands = append(commands, after...)
	commands = append(commands, "set-option -p -t "+target+" "+keep)
	if o.Owner != "" {
		commands = append(commands, "set-option -p -t "+target+" "+ownerOption+" "+quote(o.Owner))
	}

	return append(commands,
		"set-option -w -F -t "+target+" "+sizeOption+" "+quote(windowSize),
		"list-panes -t "+target+" -F "+quote(paneFormat))
}

// FindSession returns the id of the session of exactly that name, if owner has a pane in it. It fails
// with ErrNoSession if there is no such session, and with ErrOtherSession if owner has no pane in it:
// a person can give a session any name. Owner "" has none.
func (s *Server) FindSession(ctx context.Context, name, owner string) (id string, err error) {
	if name == "" || strings.ContainsAny(name, ":.\x00") {
		return "", invalid("session name %q", name)
	}

	panes, err := s.run(ctx, "list-panes -s -t "+quote("="+name+":")+" -F "+quote("#{session_id} #{"+ownerOption+"}"))
	if err != nil {
		return "", fmt.Errorf("find session %s: %w", name, err)
	}
	for _, pane := range panes {
		id, has, _ := strings.Cut(pane, " ")
		if has == owner && owner != "" {
			return id, nil
		}
	}

	return "", fmt.Errorf("find session %s: %w", name, ErrOtherSession)
}

// KillSession ends the session of that name that FindSession finds, with every pane in it. Its programs
// get SIGHUP, which some ignore.
func (s *Server) KillSession(ctx context.Context, name, owner string) error {
	id, err := s.FindSession(ctx, name, owner)
	if err != nil {
		return err
	}
	s.forgetLast(ctx, id)
	if _, err := s.run(ctx, "kill-session -t "+quote(id)); err != nil {
		return fmt.Errorf("end session %s: %w", name, err)
	}
	return nil
}

// Kill ends the pane if owner has it, and its session if that has no other. The server checks that in the
// same step. A pane that does not exist is no error.
func (p *Pane) Kill(ctx context.Context, owner string) error {
	if err := errors.Join(checkOwner(owner), p.check()); err != nil {
		return err
	}

	_, err := p.server.run(ctx, "if-shell -F -t "+p.id+" "+quote("#{==:#{"+ownerOption+"},"+owner+"}")+
		" { "+forget(p.Target())+" ; kill-pane -t "+p.id+" }")
	if err == nil || errors.Is(err, ErrNoPane) {
		return nil
	}

	return fmt.Errorf("end pane %s: %w", p.id, err)
}

// AttachCommand returns the command that shows a session in a person's terminal.
func (s *Server) AttachCommand(session string) []string {
	return []string{s.opts.Binary, "-S", s.SocketPath(), "attach-session", "-t", "=" + session}
}

// AttachToPane returns the command that shows a pane in a person's terminal, whichever
// session it is in. It makes that pane the current one of its session.
func (s *Server) AttachToPane(id string) []string {
	return []string{s.opts.Binary, "-S", s.SocketPath(), "attach-session", "-t", id}
}

// Claim marks a pane that somebody else started as owner's, with sequence 0. The
// server checks that the pane is free and marks it in one step. Claim fails with
// ErrClaimed if the pane has another owner, and with ErrInvalid if its program has
// ended. It sets nothing but parley's options on that pane, and nothing at all if
// owner has it already.
func (p *Pane) Claim(ctx context.Context, owner string) error {
	if err := errors.Join(checkOwner(owner), p.check()); err != nil {
		return err
	}

	r, err := p.server.transport.do(ctx, func(token string) string {
		taken := "#{||:#{pane_dead},#{!=:#{" + ownerOption + "},}}"
		tell := "display-message -p -t " + p.id + " " + quote(token+" #{pane_id}|#{pane_dead}|"+escaped(ownerOption))
		return "if-shell -F -t " + p.id + " " + quote(taken) + " { " + tell + " } { " +
			"set-option -p -t " + p.id + " " + ownerOption + " " + quote(owner) +
			" ; " + record(p.id, p.server.opts.Join, "0") + " ; " + tell + " }"
	})
	if err != nil {
		return fmt.Errorf("claim pane %s: %w", p.id, err)
	}

	f := splitFields(r.text)
	switch {
	case len(f) != 3 || f[0] != p.id:
		return fmt.Errorf("claim pane %s: %w", p.id, ErrNoPane)
	case f[2] != owner && f[2] != "":
		return fmt.Errorf("claim pane %s: it belongs to %s: %w", p.id, f[2], ErrClaimed)
	case f[2] != owner || f[1] == "1":
		return fmt.Errorf("claim pane %s: its program has ended: %w", p.id, ErrInvalid)
	}

	return nil
}

// Release removes parley's options from a pane. The server checks in the same step
// that owner has it. Release leaves any other pane alone, and a pane that does not
// exist is no error.
func (p *Pane) Release(ctx context.Context, owner string) error {
	if err := errors.Join(checkOwner(owner), p.check()); err != nil {
		return err
	}
	_, err := p.server.run(ctx, "if-shell -F -t "+p.id+" "+quote("#{==:#{"+ownerOption+"},"+owner+"}")+
		" { set-option -p -u -t "+p.id+" "+ownerOption+" ; "+forget(p.Target())+" }")
	if errors.Is(err, ErrNoPane) {
		return nil
	}
	return err
}

// SetBar sets what the status line of the pane's session says behind the agent's name. It has
// no '#', which would begin a style.
func (p *Pane) SetBar(ctx context.Context, text string) error {
	if err := p.check(); err != nil {
		return err
	}
	if strings.Contains(text, "#") {
		return invalid("status line %q", text)
	}
	_, err := p.server.run(ctx, "set-option -t "+p.id+" "+barOption+" "+quote(text))
	return err
}
