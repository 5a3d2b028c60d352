//go:build !linux

package sandbox

import "parley"

// Exec fails: there is no sandbox on this system.
func Exec([]string, string, []string, []string) error {
	return parley.Errorf(parley.InvalidArgument, "there is no sandbox on this system").
		Suggest("Launch it without --sandbox.")
}
