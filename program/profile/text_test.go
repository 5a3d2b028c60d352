package profile_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

// What a program writes when it works, asks or is blocked can stand on its screen as anybody's text: a message may
// quote it, a model may answer with it, a person's status line may say it.

// telling returns the rows of the screens of a real program that look like something else without them, by what
// they make it look like.
func telling(t *testing.T, p *profile.Profile, files []string) map[profile.State][]string {
	t.Helper()
	found := map[profile.State]map[string]bool{}
	for _, file := range files {
		want, lines := readGolden(t, file)
		if want.State == profile.Idle || want.State == profile.Unknown {
			continue
		}
		for row, line := range lines {
			words := strings.TrimSpace(line)
			if words == "" || strings.Trim(words, "─━▀▄▔╭╮╰╯│┃└┘▰▱■⬝ ") == "" {
				continue
			}
			without := slices.Clone(lines)
			without[row] = ""
			if p.Look(without) != want.State {
				if found[want.State] == nil {
					found[want.State] = map[string]bool{}
				}
				found[want.State][words] = true
			}
		}
	}

	telling := map[profile.State][]string{}
	for state, words := range found {
		telling[state] = slices.Sorted(maps.Keys(words))
	}
	return telling
}

// lastAnswer returns the row of the last answer, -1 if there is none, or if it cannot be told from a failure:
// Claude Code 2.1.197 writes nothing below it, and only its report tells.
func lastAnswer(screen []string) int {
	row := lastIndex(screen, answer.MatchString)
	old := row >= 0 && strings.HasPrefix(screen[row], "● ") && lastIndex(screen, oldClaude.MatchString) >= 0
	if old && lastIndex(screen, doneAt.MatchString) < row {
		return -1
	}
	return row
}

// oldClaude matches what Claude Code shows below its composer where it writes no time below an answer.
var oldClaude = regexp.MustCompile(`← for agents|/effort`)

// places are where other people's text stands on an idle screen: a function puts words there, "" if it cannot.
var places = map[string]func(p *profile.Profile, screen []string, words string) []string{
	"an answer": func(_ *profile.Profile, screen []string, words string) []string {
		row := lastAnswer(screen)
		if row < 0 {
			return nil
		}
		screen[row] = answer.FindStringSubmatch(screen[row])[1] + words
		return screen
	},
	"a later row of an answer": func(_ *profile.Profile, screen []string, words string) []string {
		row := lastAnswer(screen)
		if row < 0 {
			return nil
		}
		indent := strings.Repeat(" ", len([]rune(answer.FindStringSubmatch(screen[row])[1])))
		return slices.Insert(screen, row+1, indent+words)
	},
	"a message": func(_ *profile.Profile, screen []string, words string) []string {
		row := lastIndex(screen, footer.MatchString)
		if row < 0 {
			return nil
		}
		return slices.Insert(screen, row, footer.FindStringSubmatch(screen[row])[1]+words)
	},
	"the status line": func(p *profile.Profile, screen []string, words string) []string {
		if p.Markers.Footer == "" || strings.HasPrefix(words, "? for shortcuts") {
			return nil // it has none, or the words are its own
		}
		if lastIndex(screen, func(s string) bool { return strings.HasPrefix(s, "  ? for shortcuts") }) > 0 {
			return nil // it shows that only without a status line
		}
		row := lastIndex(screen, func(s string) bool {
			return strings.HasPrefix(s, "────────────────────")
		})
		return slices.Insert(screen, row+1, "  "+words, "  "+words, "  four", "  five", "  six", "  seven")
	},
}

func TestWordsOfMarkersInOthersTextChangeNoState(t *testing.T) {
	files := must.Have(filepath.Glob("testdata/*/*.txt"))(t)
	byProgram := map[string][]string{}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		byProgram[name] = append(byProgram[name], file)
	}

	set, tried := builtin(t), map[string]int{}
	for name, files := range byProgram {
		p := find(t, set, name)
		if !p.HasMarkers() {
			continue
		}
		words := telling(t, p, files)
		for _, file := range files {
			want, lines := readGolden(t, file)
			if want.State != profile.Idle {
				continue
			}
			for place, put := range places {
				for state, rows := range words {
					for _, row := range rows {
						screen := put(p, slices.Clone(lines), row)
						if screen == nil {
							continue
						}
						tried[name+", "+place]++
						if got := p.Look(screen); got != profile.Idle {
							t.Errorf("%s with %q in %s looks %s (where it means %s)", file, row, place, got, state)
						}
					}
				}
			}
		}
	}
	t.Log(tried)
}
