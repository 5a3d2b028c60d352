package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/place"
)

// A workspace that has its database elsewhere does not begin with an empty one.
func TestOtherDatabaseIsRefused(t *testing.T) {
	at := place.Place{Root: t.TempDir(), Home: t.TempDir()}
	must.Do(t, os.Mkdir(filepath.Dir(at.Database()), 0o700))
	const url = "postgres://ann:geheim@localhost/shop"
	for _, empty := range []string{"", url} {
		must.Do(t, CheckDatabase(at, empty))
	}

	must.Do(t, noteServer(at, url))
	must.Do(t, CheckDatabase(at, url))
	err := CheckDatabase(at, "")
	if e := parley.AsError(err); e.Code != parley.StorageUnavailable || !strings.Contains(e.Message, "ann@localhost") ||
		strings.Contains(e.Message, "geheim") || !strings.Contains(e.Action, "parley trust") {
		t.Errorf("without the setting: %v %s", err, e.Action)
	}

	must.Do(t, os.Remove(at.DatabaseNote()))
	must.Do(t, os.WriteFile(at.Database(), nil, 0o600))
	must.Do(t, CheckDatabase(at, ""))
	err = CheckDatabase(at, url)
	if e := parley.AsError(err); e.Code != parley.StorageUnavailable || !strings.Contains(e.Action,
		"parley move-database server") {
		t.Errorf("with a file and the setting: %v %s", err, e.Action)
	}
}

// The database counts only in a trusted file, and the question does not show the password.
func TestDatabaseIsAClaim(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parley.yaml")
	must.Do(t, os.WriteFile(file, []byte("settings:\n  database: postgres://ann:geheim@db/shop\n"), 0o600))
	team := must.Have(LoadTeam(file, true))(t)
	if len(team.Claims) != 1 || team.Claims[0] != (Claim{"database", "database is postgres://ann@db:5432/shop"}) {
		t.Errorf("the file claims %+v", team.Claims)
	}

	team.withhold(&Team{})
	if team.Settings.Database != "" {
		t.Error("the database counts without trust")
	}

	must.Do(t, os.WriteFile(file, []byte("settings:\n  database: mysql://ann:geheim@db/shop\n"), 0o600))
	_, err := LoadTeam(file, true)
	if parley.ErrorCode(err) != parley.InvalidArgument || strings.Contains(err.Error()+parley.AsError(err).Action,
		"geheim") {
		t.Errorf("a URL of another database: %v", err)
	}
}
