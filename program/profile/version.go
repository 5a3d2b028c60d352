package profile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// VersionIn returns the version in the output of a program that prints its version, ""
// if there is none.
func VersionIn(printed string) string { return versionForm.FindString(printed) }

// Covers reports whether a version lies between the oldest and the newest that the
// profile was tried with. A profile tried with none covers every version.
func (p *Profile) Covers(version string) bool {
	if len(p.Tested) == 0 {
		return true
	}
	oldest, newest := slices.MinFunc(p.Tested, compareVersions), slices.MaxFunc(p.Tested, compareVersions)
	return compareVersions(oldest, version) <= 0 && compareVersions(version, newest) <= 0
}

// IsNewer reports whether a version is newer than all of others. It is not if there are none.
func IsNewer(version string, others []string) bool {
	return len(others) > 0 && compareVersions(version, slices.MaxFunc(others, compareVersions)) > 0
}

// compareVersions compares dotted numbers part by part. A version that lacks a part is
// older.
func compareVersions(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		m, _ := strconv.ParseUint(a, 10, 64)
		n, _ := strconv.ParseUint(b, 10, 64)
		return cmp.Compare(m, n)
	})
}
