package store

import (
	"context"
)

// read answers a query from a connection that cannot write. The driver does not
// stop a query whose context has ended, so every query here is bounded.
func (s *Store) read(ctx context.Context, doing string, dest any, sql string, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.reader.WithContext(ctx).Raw(sql, args...).Scan(dest).Error; err != nil {
		return s.fail(doing, err)
	}
	return nil
}
