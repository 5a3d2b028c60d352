// Package opencode reads what opencode records in its own database: which session was given a prompt, what
// its models used, and which files it wrote. It never writes there.
package opencode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"parley"
	"parley/program/transcript"
	"parley/store/engine"
)

// maxPrompts bounds how many prompts are looked at.
const maxPrompts = 50

// Prompts returns the newest prompts since a time, the newest first. Sessions of subagents are left out.
func Prompts(ctx context.Context, path string, since time.Time) (prompts []transcript.Prompt, err error) {
	err = query(ctx, path, func(scan func(...any) error) error {
		var p transcript.Prompt
		var at int64
		err := scan(&p.Session, &p.Text, &at)
		p.At = time.UnixMilli(at)
		prompts = append(prompts, p)
		return err
	}, `SELECT s.id, json_extract(p.data, '$.text'), m.time_created
		FROM session s
		JOIN message m ON m.session_id = s.id AND m.time_created >= ? AND json_extract(m.data, '$.role') = 'user'
		JOIN part p ON p.message_id = m.id AND json_extract(p.data, '$.type') = 'text'
		WHERE s.parent_id IS NULL AND s.time_updated >= ?
		ORDER BY m.time_created DESC, p.id LIMIT ?`, since.UnixMilli(), since.UnixMilli(), maxPrompts)
	return prompts, err
}

// tree begins a query over a session and those of its subagents. What a session has copied from the one
// that it was forked from is older than itself.
const tree = `WITH RECURSIVE tree (id, born) AS (
	SELECT id, time_created FROM session WHERE id = ?
	UNION SELECT s.id, s.time_created FROM session s JOIN tree t ON s.parent_id = t.id) `

// Responses returns what the responses used that a session has got since a position, and the position
// for the next call. A response may be returned again.
func Responses(
	ctx context.Context, path, session string, after int64,
) (records []transcript.Record, position int64, err error) {
	position = after
	err = query(ctx, path, func(scan func(...any) error) error {
		var id, model string
		var updated, completed int64
		var input, output, reasoning, cached, written *int64
		err := scan(&id, &updated, &completed, &model, &input, &output, &reasoning, &cached, &written)
		if err == nil && (model == "" || input == nil || output == nil) {
			err = transcript.ErrUnknown
		}
		if err != nil {
			return err
		}

		position = max(position, updated)
		records = append(records, transcript.Record{
			ID: id, At: time.UnixMilli(completed), Model: model,
			Tokens: parley.Tokens{
				Input: *input, Cached: orZero(cached), CacheWrite: orZero(written),
				Output: *output + orZero(reasoning), Reasoning: orZero(reasoning),
			},
		})
		return nil
	}, tree+`SELECT m.id, m.time_updated, json_extract(m.data, '$.time.completed'),
			coalesce(json_extract(m.data, '$.modelID'), ''),
			json_extract(m.data, '$.tokens.input'), json_extract(m.data, '$.tokens.output'),
			json_extract(m.data, '$.tokens.reasoning'), json_extract(m.data, '$.tokens.cache.read'),
			json_extract(m.data, '$.tokens.cache.write')
		FROM tree JOIN message m ON m.session_id = tree.id
		WHERE m.time_updated >= ? AND json_extract(m.data, '$.role') = 'assistant'
			AND json_extract(m.data, '$.time.completed') IS NOT NULL
			AND json_extract(m.data, '$.time.created') >= tree.born`, session, after)
	return records, position, err
}

// Edits returns the files that a session has written since a position.
func Edits(ctx context.Context, path, session string, after int64) (edits []transcript.Edit, err error) {
	err = query(ctx, path, func(scan func(...any) error) error {
		var file string
		var at int64
		err := scan(&file, &at)
		edits = append(edits, transcript.Edit{Path: file, At: time.UnixMilli(at)})
		return err
	}, tree+`SELECT json_extract(p.data, '$.state.input.filePath'), json_extract(p.data, '$.state.time.end')
		FROM tree JOIN part p ON p.session_id = tree.id
		WHERE p.time_updated >= ? AND json_extract(p.data, '$.type') = 'tool'
			AND json_extract(p.data, '$.tool') IN ('write', 'edit')
			AND json_extract(p.data, '$.state.status') = 'completed'
			AND json_extract(p.data, '$.state.input.filePath') LIKE '/%'
			AND json_extract(p.data, '$.state.time.end') IS NOT NULL`, session, after)
	return edits, err
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// query runs a query on a database. The file must be the user's own.
func query(
	ctx context.Context, path string, take func(scan func(...any) error) error, sql string, args ...any,
) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !info.Mode().IsRegular() || !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s is no file of the user", path)
	}

	db, err := engine.OpenForeign(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()

	return db.Each(ctx, take, sql, args...)
}

// Conversation is a session that a person began.
type Conversation struct {
	ID, Dir string
	At      time.Time // when it last changed
	Size    int64     // of its messages in bytes; 0 if it is not known
}

// Conversations returns all conversations. Sessions of subagents are left out.
func Conversations(ctx context.Context, path string) (all []Conversation, err error) {
	err = query(ctx, path, func(scan func(...any) error) error {
		var c Conversation
		var at int64
		err := scan(&c.ID, &c.Dir, &at)
		c.At = time.UnixMilli(at)
		all = append(all, c)
		return err
	}, `SELECT id, directory, time_updated FROM session WHERE parent_id IS NULL`)
	return all, err
}

// errEnough ends a query of which enough was read.
var errEnough = errors.New("enough")

// Turns calls take for what was said in a session, in its order, until that is not ok.
func Turns(ctx context.Context, path, session string, take func(transcript.Turn) bool) error {
	err := query(ctx, path, func(scan func(...any) error) error {
		var t transcript.Turn
		if err := scan(&t.Person, &t.Text); err != nil {
			return err
		}
		if !take(t) {
			return errEnough
		}
		return nil
	}, `SELECT json_extract(m.data, '$.role') = 'user', json_extract(p.data, '$.text')
		FROM message m JOIN part p ON p.message_id = m.id
		WHERE m.session_id = ? AND json_extract(p.data, '$.type') = 'text'
			AND json_extract(p.data, '$.text') IS NOT NULL
			AND coalesce(json_extract(p.data, '$.synthetic'), 0) = 0
		ORDER BY m.time_created, p.id`, session)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
