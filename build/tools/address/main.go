// Command address gives the program its public address: the path of its modules, and where its releases are.
//
//	go -C build/tools run ./address ../.. github.com/ann/parley https://github.com/ann/parley/releases/download
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: address DIRECTORY MODULE URL")
		os.Exit(2)
	}
	if err := give(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "address:", err)
		os.Exit(1)
	}
}

// addressFile holds where the releases are.
const addressFile = "lab/release/address.txt"

// installs is the heading below which the README installs the program.
const installs = "## Install\n"

// give changes each file below root that names the modules, and those that name the releases.
func give(root, module, releases string) error {
	before, err := moduleOf(root)
	if err != nil {
		return err
	}
	if u, err := url.Parse(releases); err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%s is no https address", releases)
	}

	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go"):
			return change(path, func(text []byte) ([]byte, error) { return imports(text, before, module) })
		case slices.Contains([]string{"go.mod", "go.work"}, d.Name()):
			return change(path, func(text []byte) ([]byte, error) { return required(text, before, module), nil })
		}
		return nil
	})
	if err != nil {
		return err
	}

	if err := os.WriteFile(filepath.Join(root, addressFile), []byte(releases+"\n"), 0o644); err != nil {
		return err
	}
	return change(filepath.Join(root, "README.md"), func(text []byte) ([]byte, error) { return readme(text, releases) })
}

// moduleOf returns the path of the module in a directory.
func moduleOf(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "module "), nil
}

func change(path string, f func([]byte) ([]byte, error)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := f(text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(text, changed) {
		return nil
	}
	return os.WriteFile(path, changed, 0o644)
}

// renamed returns the path of a package in the module after, if it is in the module before.
func renamed(path, before, after string) string {
	if path == before || strings.HasPrefix(path, before+"/") {
		return after + strings.TrimPrefix(path, before)
	}
	return path
}

// imports returns a Go file that imports the packages of another module.
func imports(text []byte, before, after string) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	out, at := []byte(nil), 0
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, text[at:files.Position(spec.Path.Pos()).Offset]...)
		out = append(out, strconv.Quote(renamed(path, before, after))...)
		at = files.Position(spec.Path.End()).Offset
	}
	if at == 0 {
		return text, nil
	}
	return format.Source(append(out, text[at:]...))
}

// required returns a go.mod that names another module.
func required(text []byte, before, after string) []byte {
	word := regexp.MustCompile(`(?m)(^|[\s])` + regexp.QuoteMeta(before) + `((?:/[\w/]+)?)(\s)`)
	return word.ReplaceAll(text, []byte("${1}"+after+"${2}${3}"))
}

// readme returns the README with the line that installs a release, in place of one from before.
func readme(text []byte, releases string) ([]byte, error) {
	before, after, ok := bytes.Cut(text, []byte(installs))
	if !ok {
		return nil, fmt.Errorf("there is no %q", strings.TrimSpace(installs))
	}
	line := "\n```sh\ncurl -fsSL " + strings.TrimSuffix(releases, "/") + "/install.sh | sh\n```\n"
	after = regexp.MustCompile("\n```sh\ncurl -fsSL [^\n]*/install.sh \\| sh\n```\n").ReplaceAll(after, nil)
	return slices.Concat(before, []byte(installs+line), after), nil
}
