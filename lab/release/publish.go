package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
	"time"
)

//go:embed templates
var templates embed.FS

// page is what the templates may use.
type page struct {
	Version, Address, Date string
	Arch, Root             string            // of a package
	PackageVersion         string            // as those of packages may be
	Sums                   map[string]string // of the archives, by system and architecture: linux_amd64
}

// fill fills in a template.
func fill(name string, p page) ([]byte, error) {
	t, err := template.New(name).Delims("<<", ">>").ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, name, p)
	return b.Bytes(), err
}

// page returns the facts of the release.
func (r *release) page() page {
	return page{
		Version: r.version, PackageVersion: packageVersion(r.version), Address: r.address,
		Date: r.date.Format(time.RFC3339), Sums: map[string]string{},
	}
}

// described is what git describe says of a commit after a tag: the tag, how many commits after it, which one.
var described = regexp.MustCompile(`^(.+)-([0-9]+)-(g[0-9a-f]+.*)$`)

// packageVersion returns a version as those of a .deb and a .rpm may be: it begins with a digit and has no
// hyphen. A commit after a tag is newer than the tag, what is called by a hyphen is older, and a commit
// without any tag is older than all versions.
func packageVersion(version string) string {
	after := ""
	if m := described.FindStringSubmatch(version); m != nil {
		version, after = m[1], "+"+m[2]+"."+strings.ReplaceAll(m[3], "-", ".")
	}

	base, earlier, isEarlier := strings.Cut(version, "-")
	if isEarlier {
		base += "~" + strings.ReplaceAll(earlier, "-", ".")
	}
	if base[0] < '0' || base[0] > '9' {
		base = "0~" + base
	}

	return base + after
}

// pack makes the .deb and the .rpm of an architecture.
func (r *release) pack(root, arch string, files tree) error {
	if err := files.write(filepath.Join(root, "usr"), r.date); err != nil {
		return err
	}

	p := r.page()
	p.Arch, p.Root = arch, root
	config, err := fill("nfpm.yaml", p)
	if err != nil {
		return err
	}
	if err := os.WriteFile(root+".yaml", config, 0o644); err != nil {
		return err
	}

	for _, kind := range []string{"deb", "rpm"} {
		words := append(strings.Fields(r.nfpm), "package", "--config", root+".yaml", "--packager", kind, "--target",
			r.out)
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("pack the .%s: %w: %s", kind, err, out)
		}
	}

	return nil
}

// publish writes the installer, the formula, the flake, and the checksums of everything.
func (r *release) publish() error {
	p := r.page()
	for _, target := range r.targets {
		system := strings.ReplaceAll(target, "/", "_")
		sum, err := sumOf(filepath.Join(r.out, "parley_"+r.version+"_"+system+".tar.gz"))
		if err != nil {
			return err
		}
		p.Sums[system] = sum
	}

	for _, name := range []string{"install.sh", "parley.rb", "flake.nix"} {
		text, err := fill(name, p)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, name), text, 0o644); err != nil {
			return err
		}
	}

	if err := os.WriteFile(filepath.Join(r.out, "latest"), []byte(r.version+"\n"), 0o644); err != nil {
		return err
	}

	return writeSums(r.out)
}

// writeSums writes the checksums of a directory's files, as sha256sum does.
func writeSums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}

	var lines strings.Builder
	for _, e := range entries {
		if e.Name() == "checksums.txt" || e.Name() == "latest" {
			continue
		}
		sum, err := sumOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", sum, e.Name())
	}

	return os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(lines.String()), 0o644)
}

func sumOf(path string) (string, error) {
	content, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(content)), err
}
