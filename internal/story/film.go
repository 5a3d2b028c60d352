package story

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// CheckFilm fails if the frames in a file are not those of a story: after the same keys, each with what the story saw
// there. All else differs from run to run: times, ids, and how far things came. With update it writes the frames. A
// form
// feed begins each, and the keys before it are its first line; lab/pictures draws the moving picture from them.
func CheckFilm(t testing.TB, frames []Frame, file string, update bool) {
	t.Helper()
	frames = merged(frames)
	if update {
		var film strings.Builder
		for _, f := range frames {
			film.WriteString("\f" + f.Keys + "\n" + withoutPlace(f.Screen) + "\n")
		}
		must.Do(t, os.WriteFile(file, []byte(film.String()), 0o644))
		return
	}

	stored := strings.Split(string(must.Have(os.ReadFile(file))(t)), "\f")[1:]
	var got, want []string
	for _, f := range frames {
		want = append(want, f.Keys)
	}
	for i, frame := range stored {
		keys, screen, _ := strings.Cut(frame, "\n")
		got = append(got, keys)
		if i < len(frames) && !strings.Contains(plain(screen), plain(frames[i].saw)) {
			t.Errorf("frame %d of the film has no %q; run make film", i+1, frames[i].saw)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the film has the keys %q, the story %q; run make film", got, want)
	}
}

// merged returns the last of the frames that no key is between.
func merged(frames []Frame) (film []Frame) {
	for i, f := range frames {
		if f.Keys == "" && i > 0 {
			f.Keys = film[len(film)-1].Keys
			film = film[:len(film)-1]
		}
		film = append(film, f)
	}
	return film
}

// withoutPlace names the workspace of the demo as everywhere, with a line in place of what is left.
func withoutPlace(screen string) string {
	return demoPlace.ReplaceAllStringFunc(screen, func(found string) string {
		const instead = "~/demo"
		return instead + strings.Repeat(" ", max(0, len(found)-len(instead)))
	})
}

var demoPlace = regexp.MustCompile(`/tmp/parley-demo-[0-9]+/demo[^ \x1b]*`)
