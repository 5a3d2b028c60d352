package tui

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
	"parley/internal/story"
)

// filmFile has the frames of the story "film", from which lab/pictures draws the README's
// moving picture. A form feed begins each, and the keys before it are its first line.
const filmFile = "testdata/film.frames"

// checkFilm fails if the frames in the file are not those that the story has just shown: after the same
// keys, and with the same words. Times, ids and how far things came differ from run to run, so a tenth of
// the words may. With -update it writes the frames.
func checkFilm(t *testing.T, dir string, frames []story.Frame) {
	t.Helper()
	film := filmOf(frames)
	path := regexp.MustCompile(regexp.QuoteMeta(dir) + ` ?`)
	film = path.ReplaceAllStringFunc(film, func(found string) string {
		const instead = "~/storefront "
		return instead + strings.Repeat("─", max(0, len(found)-len(instead)))
	})
	if *update {
		must.Do(t, os.WriteFile(filmFile, []byte(film), 0o644))
		return
	}

	want, got := strings.Split(string(must.Have(os.ReadFile(filmFile))(t)), "\f"), strings.Split(film, "\f")
	if diff := cmp.Diff(keysOf(want), keysOf(got)); diff != "" {
		t.Fatalf("the film has other keys than the story; run make film (-want +got):\n%s", diff)
	}

	words := wordsIn(film)
	missing := wordsIn(strings.Join(want, ""))
	all := len(missing)
	for _, w := range words {
		if i := slices.Index(missing, w); i >= 0 {
			missing = slices.Delete(missing, i, i+1)
		}
	}
	if len(missing) > all/10 {
		t.Errorf("the film is not what the story shows; run make film. Of its %d words the story has not: %q", all, missing)
	}
}

// keysOf returns the keys that led to each frame.
func keysOf(film []string) (keys []string) {
	for _, frame := range film {
		first, _, _ := strings.Cut(frame, "\n")
		keys = append(keys, first)
	}
	return keys
}

// filmOf writes frames one after the other. Of several without a key between them it has the last.
func filmOf(frames []story.Frame) string {
	var film []string
	for i, f := range frames {
		if f.Keys == "" && i > 0 {
			keys, _, _ := strings.Cut(film[len(film)-1], "\n")
			film[len(film)-1] = keys + "\n" + f.Screen
			continue
		}
		film = append(film, f.Keys+"\n"+f.Screen)
	}
	return "\f" + strings.Join(film, "\n\f")
}

// wordsIn returns the words of a film, without the drawn lines.
func wordsIn(film string) []string {
	return strings.Fields(lines.ReplaceAllString(ansi.Strip(film), " "))
}

var lines = regexp.MustCompile(`[·▁▂▃▄▅▆▇█…]+|─+`)
