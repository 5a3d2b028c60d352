package main

import (
	"os"
	"path/filepath"
	"strings"

	"parley/internal/daemon"
)

// existing returns path, or the nearest directory above it that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// openAbove returns the first of path and the directories above it that other users may
// write to, "" if there is none.
func openAbove(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o022 != 0 {
			return path
		}
		if path == filepath.Dir(path) {
			return ""
		}
		path = filepath.Dir(path)
	}
}

// lookPath finds a program in the same way as a launch in dir.
func lookPath(env daemon.Environ, name, dir string) (string, bool) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, isProgram(name)
	}
	for _, at := range filepath.SplitList(env.Get("PATH")) {
		if path := filepath.Join(at, name); filepath.IsAbs(at) && isProgram(path) {
			return path, true
		}
	}
	return "", false
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
