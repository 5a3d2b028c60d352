package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestAFilmShowsEachFrameInItsTurn(t *testing.T) {
	got := must.Have(film("a film", "\f\nthis is one\n\fpress k\nthis is two\n\f\nthis is three"))(t)
	for _, want := range []string{
		`this is one`, `>press k<`, `this is three`, `animation:f 9s`, `0%{visibility:visible}33.333%{visibility:hidden}`,
		`class="f f1" style="animation-delay:-6s"`, `prefers-reduced-motion:reduce`, `<desc>Four agents`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the film has no %s:\n%s", want, got)
		}
	}
	if n := strings.Count(got, `class="f f0"`); n != 1 {
		t.Errorf("%d frames are visible where nothing moves, want 1", n)
	}

	d := xml.NewDecoder(strings.NewReader(got))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("it is no SVG: %v", err)
		}
	}
}

// The screen's tests hold its frames to what the story shows.
func TestTheFilmIsDrawnFromItsFrames(t *testing.T) {
	frames := must.Have(os.ReadFile("../../tui/testdata/film.frames"))(t)
	got := must.Have(film(filmTitle, string(frames)))(t)
	if want := must.Have(os.ReadFile("../../docs/pictures/tour.svg"))(t); got != string(want) {
		t.Error("docs/pictures/tour.svg is not drawn from the frames: run make film")
	}
}
