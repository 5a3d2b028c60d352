package store

import "parley/store/engine"

// tx is one transaction.
type tx = engine.Tx

// querier reads in a transaction, or outside of one.
type querier = engine.Querier
