package store

import (
	"log/slog"
	"time"

	"parley/store/engine"
)

// Options say where the database is.
type Options struct {
	Path string // the database file; Open creates it when it is missing

	// URL names a PostgreSQL database, which is used in place of a file. Path then only tells this
	// daemon from others of the same machine.
	URL string

	// Host names this machine among those that share a PostgreSQL database; its own name if empty.
	Host string

	Copies Copies // automatic ones

	Now func() time.Time // the clock; time.Now if nil
	Log *slog.Logger     // for what needs no answer; nothing is logged if nil
}

func (o *Options) clock() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// Copies says where automatic copies of the database lie, and how many are kept.
type Copies = engine.Copies

// Copy is an automatic copy of the database, which was checked when it was made.
type Copy = engine.Copy
