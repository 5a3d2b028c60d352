package daemon

import (
	"parley"
	"parley/internal/disk"
	"parley/internal/sh"
)

// refuseEarly refuses a workspace whose state was made before it had an id: the database of such a program is in the
// workspace's .parley. It changes nothing.
func (p Place) refuseEarly() error {
	h := readHome(p.Home)
	if h.root == "" || h.id != "" || !disk.Exists(p.inRoot(databaseFile)) && !disk.Exists(p.State(databaseFile)) {
		return nil
	}
	aside := sh.Line([]string{"mv", p.Home, p.Home + ".early"})
	return parley.Errorf(parley.StorageUnavailable,
		"the state of %s is from a parley before the first release, and this one "+
			"does not read it", p.Root).With("file", p.inRoot(databaseFile)).
		Suggest("Nothing was changed. Go on with the parley that made it. Or begin with an empty workspace: %s", aside)
}
