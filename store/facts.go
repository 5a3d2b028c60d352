package store

import "parley/store/engine"

// factsTable has facts about the whole workspace, by name. Some are about the database itself, and not copied.
var factsTable = engine.Table[struct{}]{Name: "facts", Key: []string{"name"},
	Which: `name NOT IN ('` + engine.OpenFact + `', '` + movedFact + `')`}

// movedFact keeps a daemon away from a database whose content was moved away. Its value names the other database.
const movedFact = "moved"

// shortfallFact is the name of the fact that holds the last shortfall until it is dismissed.
const shortfallFact = "shortfall"
