package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"
)

// rebuild reads the rows of a damaged database's tables into a new one. It needs none of the
// indexes, and makes the index of words again. The error says that a table is damaged.
func rebuild(ctx context.Context, path, to string) (has progress, err error) {
	made, err := Open(ctx, Options{Path: to})
	if err != nil {
		return has, err
	}
	if err := made.Close(); err != nil {
		return has, err
	}

	if err := transfer(ctx, path, to); err != nil {
		return has, err
	}
	if has, err = examineCopy(ctx, to); err != nil {
		return has, err
	}

	f, err := os.OpenFile(to, os.O_RDWR, 0)
	if err != nil {
		return has, err
	}

	return has, errors.Join(f.Sync(), f.Close())
}

// transfer copies all rows from one database to another, which has the same tables.
func transfer(ctx context.Context, path, to string) error {
	pool, err := connect(dsn(to, time.Second, "foreign_keys(0)"), 1)
	if err != nil {
		return err
	}
	defer pool.Close()

	if _, err := pool.ExecContext(ctx, `ATTACH ? AS old`, path); err != nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	if err := transferTables(ctx, tx); err != nil {
		return err
	}
	if err := fillWords(ctx, tx, &sqliteDialect); err != nil {
		return err
	}

	return tx.Commit()
}

func transferTables(ctx context.Context, tx *sql.Tx) error {
	names, err := textsOf(ctx, tx, `SELECT name FROM main.sqlite_master
		WHERE type = 'table' AND name NOT LIKE 'message_words%' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	if err != nil {
		return err
	}

	for _, name := range append(names, "sqlite_sequence") { // which the other tables have filled
		columns, err := textsOf(ctx, tx, `SELECT group_concat(name, ', ') FROM pragma_table_info(?)`, name)
		if err != nil {
			return err
		}
		err = execAll(ctx, tx, `DELETE FROM main.`+name,
			fmt.Sprintf(`INSERT INTO main.%[1]s (%[2]s) SELECT %[2]s FROM old.%[1]s NOT INDEXED`, name, columns[0]))
		if err != nil {
			return fmt.Errorf("read the table %s: %w", name, err)
		}
	}

	return nil
}

func textsOf(ctx context.Context, tx *sql.Tx, query string, args ...any) (list []string, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}

	return list, rows.Err()
}
