package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/op"
	"parley/store"
)

// repair puts the database of a workspace in order.
type repair struct {
	cli  *cli
	asIs bool // it uses no copy
}

// run puts back a database that was removed while parley ran. It ends the daemon only if
// that accepts nothing more. What it did is nil for nothing, and without --json: then it is printed.
func (r repair) run(ctx context.Context) (*repaired, error) {
	at, err := r.cli.at.place()
	if err != nil {
		return nil, err
	}

	if _, err := os.Stat(at.DatabaseNote()); err == nil {
		return nil, parley.Errorf(parley.InvalidArgument,
			"the database of this workspace is on a server, which parley does not repair").
			Suggest("Look at the server's log and disk. parley doctor says what parley sees of it.")
	}

	info, err := daemon.Find(ctx, at, r.cli.out.now)
	if err != nil {
		return nil, err
	}
	if info != nil {
		if ok, err := health(ctx, "unix", info.Socket); ok || err != nil {
			return nil, err
		}
		if _, err := op.ShutDown.Call(ctx, r.cli.at.clientOf(info),
			parley.ShutDownRequest{KeepAgents: true}); err != nil {
			return nil, err
		}
	}

	return r.replace(ctx, at)
}

// replace repairs the database once the daemon has ended, and keeps the next one from opening it
// meanwhile.
func (r repair) replace(ctx context.Context, at daemon.Place) (did *repaired, err error) {
	ending, cancel := context.WithTimeoutCause(ctx, daemon.EndWithin+daemon.StartWithin, stillEnding(at))
	defer cancel()
	held, err := daemon.AwaitLock(ending, at)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()

	mend := store.Repair
	if r.asIs {
		mend = store.GoOn
	}
	done, err := mend(ctx, at.Store(""))
	if text := r.words(done); err == nil && text != "" {
		text += " The next command starts the daemon."
		if r.cli.out.json {
			return repairedOf(done, text), nil
		}
		return nil, r.cli.out.printLine(text)
	}

	return nil, err
}

func repairedOf(done store.Repaired, text string) *repaired {
	r := &repaired{Message: text, PutBack: done.PutBack, Damaged: done.Aside}
	if done.Copy != nil {
		r.Copy, r.CopyMade = done.Copy.Path, &done.Copy.Made
	}
	if done.Lacks != nil {
		r.LacksMessages, r.LacksEvents = done.Lacks.Messages, done.Lacks.Events
	}
	return r
}

// words says what a repair did, "" for nothing.
func (r repair) words(done store.Repaired) string {
	switch {
	case !done.Replaced && done.PutBack:
		return "The database was put back."
	case !done.Replaced:
		return ""
	}

	text := "The database was not whole. It was rebuilt from what it held."
	switch {
	case done.Copy != nil:
		text = fmt.Sprintf("The database was not whole. The copy of %s ago took its place.",
			r.cli.out.ago(done.Copy.Made))
	case done.Aside == "":
		text = "Nothing was left of the database. It begins again, without agents and messages."
	}
	if done.Lacks != nil {
		text += fmt.Sprintf(" It lacks %s that parley had acknowledged.", done.Lacks.Words())
	} else {
		text += " Nothing that was acknowledged is missing."
	}
	if done.Aside == "" {
		return text
	}

	return text + " What was there is " + done.Aside + "."
}

// repaired is what a repair did, for programs.
type repaired struct {
	Message       string     `json:"message"`
	PutBack       bool       `json:"put_back"`               // the database had been removed
	Damaged       string     `json:"damaged_file,omitempty"` // where is now what was there
	Copy          string     `json:"copy,omitempty"`         // what took its place; "" if it was rebuilt
	CopyMade      *time.Time `json:"copy_made,omitempty"`
	LacksMessages int64      `json:"lacks_messages"` // that parley had acknowledged
	LacksEvents   int64      `json:"lacks_events"`
}
