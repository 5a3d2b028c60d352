package engine

import (
	"context"
	"database/sql"
	"errors"

	"gorm.io/gorm"
)

// ConnPool is a connection, or a pool of them.
type ConnPool = gorm.ConnPool

// Rows runs statements on a connection or a pool of them.
//
// There are two ways to run SQL. Query and Exec go through gorm, which fills structs and lets a ? stand for a list:
// take them for everything, but for what is done for each message or each delivery. That goes through QueryRows,
// ExecRow and the tables, which keep the statement and cost a third.
type Rows struct {
	orm  *gorm.DB
	pool ConnPool
}

// Over returns what runs statements on a connection or a pool of them.
func (d *Dialect) Over(pool ConnPool) (*Rows, error) {
	orm, err := gormOn(d.gorm(pool))
	return &Rows{orm, pool}, err
}

// With returns the same with a context, which ends a query that has not begun.
func (r *Rows) With(ctx context.Context) *Rows { return &Rows{r.orm.WithContext(ctx), r.pool} }

// Exec runs a statement and returns how many rows it changed.
func (r *Rows) Exec(sql string, args ...any) (int64, error) {
	res := r.orm.Exec(sql, args...)
	return res.RowsAffected, res.Error
}

// Query reads into dest, a struct, a scalar, or a slice of them.
func (r *Rows) Query(dest any, sql string, args ...any) error {
	return r.orm.Raw(sql, args...).Scan(dest).Error
}

// ExecResult runs a statement that is run often: it is kept, and gorm is not asked. In args, each has a type of the
// driver's.
func (r *Rows) ExecResult(statement string, args ...any) (sql.Result, error) {
	return r.pool.ExecContext(context.Background(), statement, args...)
}

// QueryRows reads what is read often, as ExecResult writes. scan is called for each row.
func (r *Rows) QueryRows(scan func(*sql.Rows) error, statement string, args ...any) error {
	rows, err := r.pool.QueryContext(context.Background(), statement, args...)
	if err != nil {
		return err
	}
	for rows.Next() && err == nil {
		err = scan(rows)
	}
	return errors.Join(err, rows.Err(), rows.Close())
}
