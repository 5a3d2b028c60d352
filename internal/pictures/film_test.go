package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestAFilmShowsEachPictureInItsTurn(t *testing.T) {
	dir, files := t.TempDir(), []string{}
	for _, name := range []string{"one", "two", "three"} {
		file := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(file, []byte(draw(name, "this is "+name)), 0o600))
		files = append(files, file)
	}

	got := must.Have(film(files))(t)
	for _, want := range []string{
		`this is one`, `this is three`, `keyTimes="0;0.33"`, `keyTimes="0;0.33;0.67"`, `keyTimes="0;0.67"`, `dur="12s"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the film has no %s:\n%s", want, got)
		}
	}
	if n := strings.Count(got, `visibility="visible"`); n != 1 {
		t.Errorf("%d pictures are visible where nothing moves, want 1", n)
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
