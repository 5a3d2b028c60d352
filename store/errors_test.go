package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

var engineError = regexp.MustCompile(`(?m)^func \(e \*?(\w+)\) Error\(\) string`)

// What the engine says of a database is told to people with what they can do, also when it comes wrapped.
func TestTroublesOfTheEngineHaveWords(t *testing.T) {
	troubles := map[string]error{
		"DamagedError":  &engine.DamagedError{Path: "/x/parley.db", Cause: "a page is bad"},
		"DiffersError":  &engine.DiffersError{Table: "messages", Had: 2, Has: 1},
		"ForeignError":  &engine.ForeignError{Path: "/x/parley.db"},
		"HopelessError": &engine.HopelessError{Path: "/x/parley.db", Cause: "a page is bad"},
		"LacksError": &engine.LacksError{
			Path: "/x/parley.db", Is: "is missing", Known: engine.Progress{Event: 3, Row: 1},
		},
		"LostError":   &engine.LostError{Place: "db", Host: "one", Holder: "two"},
		"MissedError": &engine.MissedError{Place: "db"},
		"SharedError": &engine.SharedError{Place: "db", Others: []string{"two"}},
		"TakenError":  &engine.TakenError{Place: "db", Host: "one", Holder: "two"},
		"TooOldError": &engine.TooOldError{Place: "/x/parley.db", Version: 1},

		"UnknownError": &engine.UnknownError{Cause: errors.New("the connection has ended")},
	}

	var known []string
	for _, file := range must.Have(filepath.Glob("engine/*.go"))(t) {
		for _, m := range engineError.FindAllStringSubmatch(string(must.Have(os.ReadFile(file))(t)), -1) {
			known = append(known, m[1])
		}
	}
	for _, name := range known {
		if troubles[name] == nil {
			t.Errorf("nothing is known here of %s", name)
		}
	}

	for name, trouble := range troubles {
		if !slices.Contains(known, name) {
			t.Errorf("the engine has no %s", name)
		}
		for _, err := range []error{trouble, fmt.Errorf("reading: %w", trouble)} {
			e, ok := errors.AsType[*parley.Error](failure("/x/parley.db", "reading", err))
			if !ok || e.Code != parley.StorageUnavailable || e.Action == "" {
				t.Errorf("%s becomes %v, without what to do", name, failure("/x/parley.db", "reading", err))
			}
		}
	}
}
