package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/must"
)

// Two builds of a release are equal byte for byte, and an archive has all that belongs to the program.
func TestTwoReleasesAreEqual(t *testing.T) {
	if testing.Short() {
		t.Skip("it links the program twice")
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("there is no release for this system")
	}

	t.Chdir("../..")
	var outs []string
	for range 2 {
		r := &release{version: "1.2.3", commit: "0123456789ab", date: noon, out: filepath.Join(t.TempDir(), "out"),
			targets: []string{runtime.GOOS + "/" + runtime.GOARCH}, address: "https://x.invalid"}
		must.Do(t, r.run())
		outs = append(outs, r.out)
	}

	name := "parley_1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH
	for _, file := range []string{name + ".tar.gz", name + ".spdx.json", "install.sh", "parley.rb", "flake.nix",
		"checksums.txt", "latest"} {
		first := must.Have(os.ReadFile(filepath.Join(outs[0], file)))(t)
		second := must.Have(os.ReadFile(filepath.Join(outs[1], file)))(t)
		if !bytes.Equal(first, second) {
			t.Errorf("%s differs between two builds", file)
		}
	}

	files := contents(t, filepath.Join(outs[0], name+".tar.gz"))
	for _, file := range []string{"bin/parley", "share/man/man1/parley.1", "share/man/man1/parley-send.1",
		"share/bash-completion/completions/parley", "share/zsh/site-functions/_parley",
		"share/fish/vendor_completions.d/parley.fish", "share/doc/parley/LICENSE"} {
		if files[name+"/"+file] == 0 {
			t.Errorf("the archive has no %s", file)
		}
	}
	checkBill(t, filepath.Join(outs[0], name+".spdx.json"), files, name+"/share/doc/parley/licences/")
}

// contents returns the sizes of the files of an archive.
func contents(t *testing.T, archive string) map[string]int64 {
	t.Helper()
	z := must.Have(gzip.NewReader(bytes.NewReader(must.Have(os.ReadFile(archive))(t))))(t)
	files := map[string]int64{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must.Do(t, err)
		files[h.Name] = h.Size
	}
}

// checkBill wants a licence in the archive for each part of the bill of materials, and each part once.
func checkBill(t *testing.T, file string, files map[string]int64, licences string) {
	t.Helper()
	var bill struct {
		Packages []struct {
			ID   string `json:"SPDXID"`
			Name string `json:"name"`
		} `json:"packages"`
	}
	must.Do(t, json.Unmarshal(must.Have(os.ReadFile(file))(t), &bill))
	if len(bill.Packages) < 20 {
		t.Errorf("the bill has %d parts, want all modules of the program", len(bill.Packages))
	}

	seen := map[string]bool{}
	for _, p := range bill.Packages {
		found := p.Name == "parley"
		for path := range files {
			found = found || strings.HasPrefix(path, licences+p.Name+"/")
		}
		if !found || seen[p.ID] {
			t.Errorf("%s has no licence in the archive, or is in the bill twice", p.Name)
		}
		seen[p.ID] = true
	}
}
