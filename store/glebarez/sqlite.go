// Package sqlite stands in for the driver github.com/glebarez/go-sqlite: the dialector github.com/glebarez/sqlite
// imports a driver only for its registration and for the type of its errors. That driver prepares each statement
// again whenever it runs. modernc.org/sqlite, from which it was made, keeps them.
package sqlite

import "modernc.org/sqlite"

// Error is an error of the driver.
type Error = sqlite.Error
