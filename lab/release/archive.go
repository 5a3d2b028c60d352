package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"time"
)

// tree is files by their slash-separated paths below a prefix.
type tree map[string]file

type file struct {
	content    []byte
	executable bool
}

func (f file) mode() fs.FileMode {
	if f.executable {
		return 0o755
	}
	return 0o644
}

func (t tree) clone() tree { return maps.Clone(t) }

// addFile adds a file of this machine.
func (t tree) addFile(from, to string) error {
	content, err := os.ReadFile(from)
	t[to] = file{content: content}
	return err
}

// addDir adds the files of a flat directory of this machine.
func (t tree) addDir(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := t.addFile(filepath.Join(from, e.Name()), path.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// write writes the files below a directory of this machine.
func (t tree) write(dir string, date time.Time) error {
	for _, name := range t.sortedKeys() {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, t[name].content, t[name].mode()); err != nil {
			return err
		}
		if err := os.Chtimes(to, date, date); err != nil {
			return err
		}
	}
	return nil
}

// archive returns a .tar.gz of the files in a directory of that name. It depends on nothing else:
// paths in order, one time, no owner.
func (t tree) archive(name string, date time.Time) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one of those that exist
	w := tar.NewWriter(z)
	for _, p := range t.sortedKeys() {
		f := t[p]
		// Writing to memory fails only where sizes do not agree, which they do.
		_ = w.WriteHeader(&tar.Header{
			Name: path.Join(name, p), Size: int64(len(f.content)), Mode: int64(f.mode()), ModTime: date,
			Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		})
		_, _ = w.Write(f.content)
	}
	_ = w.Close()
	_ = z.Close()
	return b.Bytes()
}
