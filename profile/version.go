package profile

import "regexp"

// versionForm is the first dotted number: the programs print names, brackets and
// commits around it.
var versionForm = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+`)

// VersionIn is the version in what a program printed when asked for it; "" if there
// is none.
func VersionIn(printed string) string { return versionForm.FindString(printed) }
