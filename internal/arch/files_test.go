package arch_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// largest is how many bytes a file that is kept has at most: what is built, or recorded at length, is made again.
const largest = 1 << 20

// programs are how files begin that a compiler has made.
var programs = []string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xfe\xed\xfa", "!<arch>"}

// widestFront is how many files and directories the root has at most: README begins below them.
const widestFront = 48

func TestTheFrontStaysInOrder(t *testing.T) {
	entries := map[string]bool{}
	for _, name := range keptFiles(t) {
		entry, _, _ := strings.Cut(name, "/")
		entries[entry] = true
	}
	if len(entries) > widestFront {
		t.Errorf("the root has %d entries, want %d at most: %v", len(entries), widestFront,
			slices.Sorted(maps.Keys(entries)))
	}
}

// keptFiles lists the files that git keeps.
func keptFiles(t *testing.T) []string {
	t.Helper()
	list, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("this is no clone: ", err)
	}
	names := strings.Split(strings.TrimRight(string(list), "\x00"), "\x00")
	if len(names) < 100 {
		t.Fatalf("git lists %d files", len(names))
	}
	return names
}

func TestNothingBuiltIsKept(t *testing.T) {
	for _, name := range keptFiles(t) {
		if problem := builtFile(t, name); problem != "" {
			t.Errorf("%s %s", name, problem)
		}
	}
}

func TestBuiltFilesAreReported(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"": "package parley\n", "is a program": "\x7fELF\x02", "is too large": strings.Repeat("a", largest+1),
	} {
		must.Do(t, os.WriteFile("file", []byte(text), 0o600))
		if got := builtFile(t, "file"); got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
	if got := builtFile(t, "gone"); got != "" { // it is deleted, and not yet committed
		t.Errorf("got %q", got)
	}
}

// builtFile says why a file should not be kept, "" if it may be.
func builtFile(t *testing.T, name string) string {
	t.Helper()
	about, err := os.Lstat(name)
	if err != nil || !about.Mode().IsRegular() {
		return ""
	}
	if about.Size() > largest {
		return "is too large"
	}
	text := must.Have(os.ReadFile(name))(t)
	for _, begin := range programs {
		if bytes.HasPrefix(text, []byte(begin)) {
			return "is a program"
		}
	}
	return ""
}
