package traffic

import (
	"maps"
	"slices"
	"strings"

	"parley"
	"parley/plain"
)

// CheckFilters reports what is wrong with the filters of the settings, which are given by name.
func CheckFilters(filters map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		refused := parley.Errorf(parley.InvalidArgument, "filters has %q", plain.CleanLine(name)).With("setting",
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

// expandFilters replaces the names of saved filters in a text by the filters: @name stands for one.
func expandFilters(saved map[string]string, text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		if name, ok := strings.CutPrefix(word, "@"); ok && saved[name] != "" {
			words[i] = saved[name]
		}
	}
	return strings.Join(words, " ")
}

// filterNames returns the names of saved filters, with their mark, that a word may become.
func filterNames(saved map[string]string, word string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		if begins("@"+name, word) && "@"+name != word {
			all = append(all, "@"+name)
		}
	}
	return all
}
