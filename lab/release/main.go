// Command release builds what is published of a version: archives for every system, packages, the
// installer, a Homebrew formula, a Nix flake, bills of materials and checksums. The same commit
// gives the same bytes.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// address is where releases are published: the one place that names it.
//
//go:embed address.txt
var address string

func main() {
	var r release
	targets := flag.String("targets", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64", "systems to build for")
	date := flag.Int64("date", 0, "when the commit was made, in seconds since 1970")
	flag.StringVar(&r.version, "version", "", "the version")
	flag.StringVar(&r.commit, "commit", "", "the commit")
	flag.StringVar(&r.out, "out", "", "the directory for the results; it must not exist")
	flag.StringVar(&r.nfpm, "nfpm", "", "the command that packs .deb and .rpm; without it there are none")
	flag.Parse()

	r.date, r.targets = time.Unix(*date, 0).UTC(), strings.Split(*targets, ",")
	r.version, r.address = strings.TrimPrefix(r.version, "v"), strings.TrimSpace(address)
	if err := r.run(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one run.
type release struct {
	version, commit string
	date            time.Time
	targets         []string // such as linux/amd64
	out             string
	nfpm            string
	address         string
}

func (r *release) run() error {
	if r.version == "" || r.commit == "" || r.out == "" || r.date.IsZero() {
		return errors.New("-version, -commit, -date and -out are required")
	}

	scratch, err := os.MkdirTemp("", "parley-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}

	pages, err := r.pages(scratch)
	if err != nil {
		return err
	}

	for _, target := range r.targets {
		if err := r.build(scratch, target, pages); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
	}

	return r.publish()
}

// program returns the path of the program for a system, which is compiled once.
func (r *release) program(scratch, target string) (string, error) {
	path := filepath.Join(scratch, strings.ReplaceAll(target, "/", "_"))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, r.compile(target, path)
}

// compile builds the program for a system.
func (r *release) compile(target, out string) error {
	system, arch, _ := strings.Cut(target, "/")
	flags := fmt.Sprintf("-s -w -X main.version=%s -X main.commit=%s -X main.date=%s", r.version, r.commit,
		r.date.Format(time.RFC3339))
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", out, "./cmd/parley")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// pages returns what the program writes about itself, by its path below a prefix: manual pages and
// completions. They are the same on all systems.
func (r *release) pages(scratch string) (tree, error) {
	program, err := r.program(scratch, runtime.GOOS+"/"+runtime.GOARCH)
	if err != nil {
		return nil, err
	}

	man := filepath.Join(scratch, "man")
	if out, err := exec.Command(program, "man", man).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("parley man: %w: %s", err, out)
	}

	files := tree{}
	if err := files.addDir(man, "share/man/man1"); err != nil {
		return nil, err
	}

	for shell, path := range map[string]string{
		"bash": "share/bash-completion/completions/parley",
		"zsh":  "share/zsh/site-functions/_parley",
		"fish": "share/fish/vendor_completions.d/parley.fish",
	} {
		out, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("parley completion %s: %w", shell, err)
		}
		files[path] = file{content: out}
	}

	return files, nil
}

// build makes the archive, the bill of materials and the packages of one system.
func (r *release) build(scratch, target string, pages tree) error {
	name := "parley_" + r.version + "_" + strings.ReplaceAll(target, "/", "_")
	program, err := r.program(scratch, target)
	if err != nil {
		return err
	}

	modules, err := modulesOf(program)
	if err != nil {
		return err
	}

	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}

	files := pages.clone()
	files["bin/parley"] = file{content: content, executable: true}
	for _, page := range []string{"LICENSE", "README.md"} {
		if err := files.addFile(page, "share/doc/parley/"+page); err != nil {
			return err
		}
	}
	for _, m := range modules {
		for path, text := range m.licences {
			files["share/doc/parley/licences/"+m.path+"/"+path] = file{content: text}
		}
	}

	bill, err := r.bill(name, modules)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, name+".spdx.json"), bill, 0o644); err != nil {
		return err
	}

	archive := files.archive(name, r.date)
	if err := os.WriteFile(filepath.Join(r.out, name+".tar.gz"), archive, 0o644); err != nil {
		return err
	}

	if strings.HasPrefix(target, "linux/") && r.nfpm != "" {
		return r.pack(filepath.Join(scratch, name+".root"), strings.TrimPrefix(target, "linux/"), files)
	}
	return nil
}

// sortedKeys returns the keys of a tree in order.
func (t tree) sortedKeys() []string {
	keys := make([]string, 0, len(t))
	for path := range t {
		keys = append(keys, path)
	}
	slices.Sort(keys)
	return keys
}
