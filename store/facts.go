package store

import "parley/store/engine"

// factsTable has facts about the whole workspace, by name. Some are about the database itself, and not copied.
var factsTable = engine.Table[struct{}]{Name: "facts", Key: []string{"name"},
	Which: `name NOT IN ('` + engine.OpenFact + `', '` + movingFact + `', '` + movedFact + `')`}

// The facts that keep a daemon away from a database: it holds only a part of what is moved to it, or
// what it held was moved away. Their values name the other database.
const (
	movingFact = "moving"
	movedFact  = "moved"
)

// shortfallFact is the name of the fact that holds the last shortfall until it is dismissed.
const shortfallFact = "shortfall"
