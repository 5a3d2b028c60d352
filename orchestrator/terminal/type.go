package terminal

import (
	"context"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/tmux"
)

// typingBegins is how long a session must have typed nothing for its next key to be recorded again.
const typingBegins = 10 * time.Minute

// begins notes that a session types, and reports whether that is worth a record.
func (k *keyboard) begins(agentID, session string, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last == nil {
		k.last = map[string]pressed{}
	}
	before := k.last[agentID]
	k.last[agentID] = pressed{session, now}
	return before.session != session || now.Sub(before.at) >= typingBegins
}

// TypeInTerminal does op.TypeInTerminal. Its keys are a person's: what is typed for parley never stands
// between them, and messages wait for them as for those of somebody who is attached.
func (ts *Terminals) TypeInTerminal(
	ctx context.Context, req parley.TypeInTerminalRequest,
) (*parley.TypeInTerminalResult, error) {
	by, err := ts.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	m, t, err := ts.terminalOf(req.Agent)
	if err != nil {
		return nil, err
	}
	if !ts.opts.Keyboard {
		return nil, parley.Errorf(parley.NotAuthorized, "typing from the web page is disabled here").
			Suggest("Type in the terminal itself: parley attach %s. Or set keyboard: true below web: in parley.yaml, "+
				"and start the daemon again.", m.Name)
	}

	ctx, cancel := ts.withAnswerTime(ctx)
	defer cancel()
	typing, stop := context.WithTimeout(ctx, typingEnds)
	defer stop()
	if wait.Until(typing, lookEvery, func() (bool, error) { return m.Typing.TryLock(), nil }) != nil {
		return nil, parley.
			Errorf(parley.AgentUnavailable, "a message is just being typed into %s's terminal", m.Name).
			Suggest("Your keys were not typed. Try again in some seconds.")
	}
	defer ts.watcher.lookSoon()
	defer m.Typing.Unlock()

	if req.Dialog != "" {
		a := &answer{m: m, t: t, now: ts.now, log: ts.log, typing: -1, chosen: -1}
		if err := a.saw(ctx, req.Dialog); err != nil {
			return nil, err
		}
	}

	keys := make([]tmux.Key, len(req.Keys))
	for i, key := range req.Keys {
		keys[i] = tmux.Key(key)
	}
	t.NoteKeys(ts.now())
	refusal, detail, err := t.Pane.Type(ctx, tmux.Typing{Owner: m.ID, On: t.Instance, Text: req.Text, Keys: keys})
	switch {
	case err != nil:
		return nil, lookError(m, t, err)
	case refusal != tmux.NoRefusal:
		return nil, parley.Errorf(parley.AgentUnavailable, "nothing was typed into %s's terminal: %s", m.Name, detail).
			Suggest("Try again when that has passed.")
	}

	res := &parley.TypeInTerminalResult{Answer: parley.OK, AgentID: m.ID, Name: m.Name}
	session := parley.CallerFrom(ctx).Session
	if !ts.keyboard.begins(m.ID, session, ts.now()) {
		return res, nil
	}
	return res, ts.store.Agents.LogTyping(context.WithoutCancel(ctx), m.ID, by.Name, session)
}

// saw returns DIALOG_CHANGED unless the dialog that was seen is open, or none.
func (a *answer) saw(ctx context.Context, dialog string) error {
	if err := a.look(ctx); err != nil {
		return lookError(a.m, a.t, err)
	}
	open := parley.NoDialog
	if a.open {
		open = a.menu.ID()
	}
	if open != dialog {
		return a.changed()
	}
	return nil
}
