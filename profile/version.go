package profile

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// versionForm is the first dotted number: the programs print names, brackets and
// commits around it.
var versionForm = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+`)

// VersionIn is the version in what a program printed when asked for it; "" if there
// is none.
func VersionIn(printed string) string { return versionForm.FindString(printed) }

// Covers reports whether a version lies between the oldest and the newest with which
// the profile was tried. A profile that was tried with none covers every one.
func (p *Profile) Covers(version string) bool {
	if len(p.Tested) == 0 {
		return true
	}
	oldest, newest := slices.MinFunc(p.Tested, compareVersions), slices.MaxFunc(p.Tested, compareVersions)
	return compareVersions(oldest, version) <= 0 && compareVersions(version, newest) <= 0
}

// compareVersions compares dotted numbers as numbers; what lacks a part is older.
func compareVersions(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		m, _ := strconv.ParseUint(a, 10, 64)
		n, _ := strconv.ParseUint(b, 10, 64)
		return cmp.Compare(m, n)
	})
}
