package review

import (
	"strconv"
	"strings"
)

// fileHead begins the lines of a file in a diff.
const fileHead = "diff --git "

// headName returns the name of a file from the two behind fileHead, which git separates by a space only. They differ
// where the file was renamed; then another line has the name.
func headName(names string) string {
	if i := strings.LastIndex(names, ` "b/`); i >= 0 && strings.HasSuffix(names, `"`) {
		return unprefixed(names[i+1:], "b/")
	}

	half := len(names) / 2
	if len(names)%2 == 1 && names[half] == ' ' && names[:half] == "a/"+strings.TrimPrefix(names[half+1:], "b/") {
		return names[half+len(" b/"):]
	}
	_, after, _ := strings.Cut(names, " b/")

	return after
}

// nameIn returns the name that a line above the first hunk has, "" if it has none.
func nameIn(line string) string {
	if name, ok := strings.CutPrefix(line, "+++ "); ok {
		return unprefixed(strings.TrimSuffix(name, "\t"), "b/") // the tab ends a name with spaces in it
	}
	if name, ok := strings.CutPrefix(line, "rename to "); ok {
		return unquoted(name)
	}
	return ""
}

// unprefixed returns the name behind a prefix, "" if it has another one, as /dev/null has.
func unprefixed(name, prefix string) string {
	name, ok := strings.CutPrefix(unquoted(name), prefix)
	if !ok {
		return ""
	}
	return name
}

// unquoted returns a name as it is. Git quotes one with control characters or quotes in it as C does.
func unquoted(name string) string {
	if !strings.HasPrefix(name, `"`) {
		return name
	}
	if plain, err := strconv.Unquote(name); err == nil {
		return plain
	}
	return name
}
