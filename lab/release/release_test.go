package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// stub is a release of this system whose program only tells its version.
func stub(version string) tree {
	files := tree{
		"bin/parley":                 {content: []byte("#!/bin/sh\necho parley " + version + "\n"), executable: true},
		"share/man/man1/parley.1":    {content: []byte(".TH PARLEY 1\n")},
		"share/doc/parley/LICENSE":   {content: []byte("MIT\n")},
		"share/man/man1/more page.1": {content: []byte(".TH MORE 1\n")},
	}
	if version == "1.0.0" {
		files["share/parley-old/only.txt"] = file{content: []byte("only in the first version\n")}
	}
	return files
}

// The same files give the same bytes, in whatever order they came.
func TestArchivesAreReproducible(t *testing.T) {
	first := stub("1.0.0").archive("parley", noon)
	for range 5 {
		if again := stub("1.0.0").clone().archive("parley", noon); !bytes.Equal(first, again) {
			t.Fatal("two archives of the same files differ")
		}
	}
	if other := stub("1.0.1").archive("parley", noon); bytes.Equal(first, other) {
		t.Error("archives of different files are equal")
	}
}

// published writes a release of a stub as a server would have it, and returns the server's address.
func published(t *testing.T, versions ...string) (dir, address string) {
	t.Helper()
	dir = t.TempDir()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)

	for _, version := range versions {
		r := &release{version: version, date: noon, targets: []string{runtime.GOOS + "/" + runtime.GOARCH},
			out: filepath.Join(dir, version), address: server.URL}
		must.Do(t, os.Mkdir(r.out, 0o755))
		name := fmt.Sprintf("parley_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH)
		must.Do(t, os.WriteFile(filepath.Join(r.out, name+".tar.gz"), stub(version).archive(name, noon), 0o644))
		must.Do(t, r.publish())
		must.Do(t, os.Rename(filepath.Join(r.out, "latest"), filepath.Join(dir, "latest")))
	}

	return dir, server.URL
}

// install runs the installer in a shell.
func install(t *testing.T, shell, script, home string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(shell, append([]string{script}, args...)...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	for len(args) > 0 && strings.Contains(args[0], "=") {
		cmd.Env, args = append(cmd.Env, args[0]), args[1:]
		cmd.Args = append([]string{shell, script}, args...)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestInstallerInstallsUpdatesAndRemoves(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}

	dir, _ := published(t, "1.0.0", "1.1.0")
	script := filepath.Join(dir, "1.1.0", "install.sh")
	for _, shell := range []string{"dash", "bash"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("not tried under %s, which is not installed", shell)
			continue
		}

		home := t.TempDir()
		mine := filepath.Join(home, ".local/share/man/man1/mine.1")
		must.Do(t, os.MkdirAll(filepath.Dir(mine), 0o755))
		must.Do(t, os.WriteFile(mine, nil, 0o644))

		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"uninstall"}, "nothing is installed"},
			{[]string{"VERSION=v1.0.0"}, "installed parley 1.0.0 in " + home + "/.local/bin"},
			{nil, "installed parley 1.1.0"},
			{[]string{"VERSION=9.9.9"}, "cannot fetch"},
			{[]string{"ADDRESS=http://127.0.0.1:1"}, "cannot fetch http://127.0.0.1:1/latest"},
			{[]string{"PREFIX=" + home + "/a b"}, "installed parley 1.1.0 in " + home + "/a b/bin"},
			{[]string{"PREFIX=" + home + "/a b", "uninstall"}, "parley is removed from " + home + "/a b"},
			{[]string{"remove"}, "it takes nothing, or: uninstall"},
			{[]string{"uninstall"}, "parley is removed from " + home + "/.local"},
		} {
			if out, _ := install(t, shell, script, home, c.args...); !strings.Contains(out, c.want) {
				t.Errorf("%s install.sh %q: got %q, want %q", shell, c.args, out, c.want)
			}
			if _, err := os.Stat(filepath.Join(home, ".local/share/parley-old")); c.args == nil && err == nil {
				t.Errorf("%s: what only the version before had is still there", shell)
			}
		}

		var left []string
		must.Do(t, filepath.WalkDir(home, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				left = append(left, path)
			}
			return err
		}))
		if len(left) != 1 || left[0] != mine {
			t.Errorf("%s: after the removal there is %q, want only what was there before", shell, left)
		}
	}
}

func TestInstallerRefusesWhatTheChecksumsDoNotSay(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}

	dir, _ := published(t, "1.0.0")
	archives := must.Have(filepath.Glob(filepath.Join(dir, "1.0.0", "*.tar.gz")))(t)
	must.Do(t, os.WriteFile(archives[0], stub("6.6.6").archive("parley", noon), 0o644))

	home := t.TempDir()
	out, err := install(t, "sh", filepath.Join(dir, "1.0.0", "install.sh"), home)
	if err == nil || !strings.Contains(out, "nothing was installed") {
		t.Errorf("got %q (%v), want a refusal", out, err)
	}
	if found := must.Have(os.ReadDir(home))(t); len(found) != 0 {
		t.Errorf("it left %v", found)
	}
}

// Every dependency of the program has its licence in the archive, and a name for it in the bill, whichever system it
// is built for. What stands in for one is parley's own.
func TestEveryDependencyHasALicence(t *testing.T) {
	t.Parallel()
	const modules = "{{with .Module}}{{with .Replace}}{{else}}{{if .Version}}{{.Path}}@{{.Version}}{{end}}{{end}}{{end}}"
	var names []string
	for _, system := range []string{"linux", "darwin"} {
		list := exec.Command("go", "list", "-deps", "-f", modules, "./cmd/parley")
		list.Dir, list.Env = "../..", append(os.Environ(), "GOOS="+system)
		names = append(names, strings.Fields(string(must.Have(list.Output())(t)))...)
	}
	slices.Sort(names)
	names = slices.Compact(names)

	dirs := must.Have(moduleDirs(names))(t)
	if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "github.com/mattn/go-isatty@") }) {
		t.Errorf("no module is of another system: %q", names)
	}
	for _, name := range names {
		texts, err := licencesIn(dirs[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := (module{path: name, licences: texts}).spdx(); got == "NOASSERTION" {
			t.Errorf("%s: its licence is not recognized", name)
		}
	}
}

func TestTheFormulaAndTheFlakeHaveTheSums(t *testing.T) {
	p := page{Version: "1.2.3", Address: "https://x.invalid", Sums: map[string]string{}}
	for _, target := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
		p.Sums[target] = "sum-of-" + target
	}

	for _, name := range []string{"parley.rb", "flake.nix"} {
		text := string(must.Have(fill(name, p))(t))
		for _, sum := range p.Sums {
			if !strings.Contains(text, `"`+sum+`"`) || !strings.Contains(text, "https://x.invalid") {
				t.Errorf("%s does not have %s and the address:\n%s", name, sum, text)
			}
		}
	}
}

// A package manager takes the version of a package, and knows which one is newer.
func TestPackagesHaveVersionsInOrder(t *testing.T) {
	var versions []string
	for _, c := range []struct{ version, want string }{
		{"dev", "0~dev"},
		{"d389b39a-dirty", "0~d389b39a~dirty"},
		{"1.2.3-rc1", "1.2.3~rc1"},
		{"1.2.3", "1.2.3"},
		{"1.2.3-4-gabcdef0", "1.2.3+4.gabcdef0"},
		{"1.2.3-14-gabcdef0-dirty", "1.2.3+14.gabcdef0.dirty"},
		{"1.2.4-rc1-2-gabcdef0", "1.2.4~rc1+2.gabcdef0"},
		{"1.2.4", "1.2.4"},
	} {
		if got := packageVersion(c.version); got != c.want {
			t.Errorf("%s: got %s, want %s", c.version, got, c.want)
		}
		versions = append(versions, packageVersion(c.version))
	}

	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not installed")
	}
	for i := range versions[2:] {
		older, newer := versions[i+1], versions[i+2]
		if out, err := exec.Command("dpkg", "--compare-versions", older, "lt", newer).CombinedOutput(); err != nil {
			t.Errorf("dpkg does not take %s for newer than %s: %s", newer, older, out)
		}
	}
}
