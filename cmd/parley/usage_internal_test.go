package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestUsageSaysHowManyArgumentsACommandTakes(t *testing.T) {
	for use, want := range map[string]string{
		"list":                        "0",
		"show ID":                     "1",
		"show THREAD|NAME [NAME]":     "1 2",
		"add ID NAME":                 "2",
		"create TITLE [NAME…]":        "1 2 3 9",
		"stop NAME…":                  "1 2 3 9",
		"find [FILTER…]":              "0 1 2 3 9",
		"prune --older-than DAYS":     "0",
		"add NAME --model MODEL":      "1",
		"check NAME [-- COMMAND...]":  "1 2 3 9",
		"learn NAME -- COMMAND...":    "2 3 9",
		"handoff NAME --to P [-- C…]": "1 2 3 9",
	} {
		var got []string
		check := argumentsOf(use)
		for _, n := range []int{0, 1, 2, 3, 9} {
			if check(&cobra.Command{}, make([]string, n)) == nil {
				got = append(got, string(rune('0'+n)))
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s takes %s arguments, want %s", use, got, want)
		}
	}
}
