package store

import "parley/store/engine"

// tx is one transaction.
type tx = engine.Tx

// querier reads in a transaction, or outside of one.
type querier = engine.Querier

// The nouns in a transaction. What is done about one there stands in the files of that noun.
type (
	agentsIn     struct{ *tx }
	deliveriesIn struct{ *tx }
	filesIn      struct{ *tx }
	hostsIn      struct{ *tx } // the other hosts
	keysIn       struct{ *tx } // to the API
	respondersIn struct{ *tx }
	threadsIn    struct{ *tx }
)
