package tui

import (
	"maps"
	"slices"
	"strings"

	"parley"
)

// savedFilters are filters that have a name. On the filter line, @name stands for one.
type savedFilters map[string]string

// CheckFilters reports what is wrong with the filters of the settings, which are given by name.
func CheckFilters(filters map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		refused := parley.Errorf(parley.InvalidArgument, "filters has %q", parley.CleanLine(name)).With("setting",
			"filters")
		switch {
		case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
			return refused.Suggest("Give it a name of small letters, digits, - and _.")
		case strings.TrimSpace(filters[name]) == "" || strings.Contains(filters[name], "@"):
			return refused.Suggest("Give it what the filter line takes, such as is:held to:coder.")
		}
	}
	return nil
}

// expand replaces the names of filters in a text by the filters.
func (f savedFilters) expand(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		if name, ok := strings.CutPrefix(word, "@"); ok && f[name] != "" {
			words[i] = f[name]
		}
	}
	return strings.Join(words, " ")
}

// names returns the names, with their mark, that a word may become.
func (f savedFilters) names(word string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if begins("@"+name, word) && "@"+name != word {
			all = append(all, "@"+name)
		}
	}
	return all
}
