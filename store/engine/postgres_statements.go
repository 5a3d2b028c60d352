package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strconv"
	"strings"
	"sync"

	"gorm.io/gorm"
)

// PostgresRows runs the package's statements on connections to PostgreSQL. The driver keeps what it
// has prepared.
type PostgresRows struct {
	gorm.ConnPool

	Failed bool     // a statement of the writing goroutine has failed
	Outage *Outage  // of the server, for connections that only read: a query that failed is made again
	texts  sync.Map // of statements, with their parameters numbered
}

// ExecContext runs a statement that returns no rows.
func (p *PostgresRows) ExecContext(ctx context.Context, text string, args ...any) (res sql.Result, err error) {
	err = p.with(ctx, text, args, func(ctx context.Context, text string, values []any) error {
		res, err = p.ConnPool.ExecContext(ctx, text, values...)
		return err
	})
	return res, err
}

// QueryContext runs a statement that returns rows.
func (p *PostgresRows) QueryContext(ctx context.Context, text string, args ...any) (rows *sql.Rows, err error) {
	err = p.with(ctx, text, args, func(ctx context.Context, text string, values []any) error {
		rows, err = p.ConnPool.QueryContext(ctx, text, values...)
		return err
	})
	return rows, err
}

// with runs a statement. It goes on when the context ends: a connection on which one was interrupted
// is lost. The times of the connection bound it.
func (p *PostgresRows) with(
	ctx context.Context, text string, args []any, run func(context.Context, string, []any) error,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	values, err := postgresValues(args)
	if err != nil {
		return err
	}
	for text = p.numbered(text); ; {
		err := run(context.WithoutCancel(ctx), text, values)
		if p.Outage == nil {
			p.Failed = p.Failed || err != nil
			return err
		}
		if !p.Outage.Again(ctx, err) {
			return err
		}
	}
}

// numbered returns a statement as PostgreSQL takes it.
func (p *PostgresRows) numbered(text string) string {
	if !strings.Contains(text, "?") {
		return text
	}
	if known, ok := p.texts.Load(text); ok {
		return known.(string)
	}
	fresh := Numbered(text)
	p.texts.Store(text, fresh)
	return fresh
}

// Numbered replaces ? by $1, $2 and so on, and ?1 by $1. No text of ours holds a question mark.
func Numbered(statement string) string {
	parts := strings.Split(statement, "?")
	var b strings.Builder
	b.WriteString(parts[0])
	for i, part := range parts[1:] {
		b.WriteByte('$')
		if part == "" || part[0] < '0' || part[0] > '9' {
			b.WriteString(strconv.Itoa(i + 1))
		}
		b.WriteString(part)
	}
	return b.String()
}

// postgresValues returns the parameters of a statement as PostgreSQL takes them: truth is a number
// in the schema, and a text holds neither NUL nor bytes that are not UTF-8.
func postgresValues(args []any) ([]any, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, err
		}

		switch v := value.(type) {
		case bool:
			value = int64(0)
			if v {
				value = int64(1)
			}
		case string:
			value = ValidText(v)
		}
		values[i] = value
	}

	return values, nil
}

// ValidText replaces what PostgreSQL's texts cannot hold.
func ValidText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
