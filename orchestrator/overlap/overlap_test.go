package overlap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
	"parley/store"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// of returns an overlap of a and b.
func of(name string, since time.Duration) store.Overlap {
	return store.Overlap{Agents: [2]string{"a", "b"}, Repository: "/r/.git", Name: name,
		Paths: [2]string{"/a/" + name, "/b/" + name}, Since: noon.Add(since)}
}

func told(o store.Overlap, at time.Duration) store.Overlap { o.Told = noon.Add(at); return o }
func gone(o store.Overlap, at time.Duration) store.Overlap { o.Gone = noon.Add(at); return o }

// What lasts keeps its time, what is over is remembered for a while, and what comes back soon is not
// told again.
func TestOverlapsAreFollowed(t *testing.T) {
	for name, test := range map[string]struct{ before, found, want []store.Overlap }{
		"new": {nil, []store.Overlap{of("x", 0)}, []store.Overlap{of("x", 0)}},
		"lasts": {[]store.Overlap{told(of("x", -5), -4)}, []store.Overlap{of("x", 0)},
			[]store.Overlap{told(of("x", -5), -4)}},
		"ends": {[]store.Overlap{of("x", -5)}, nil, []store.Overlap{gone(of("x", -5), 0)}},
		"remembered": {[]store.Overlap{gone(of("x", -2*lull), -lull)},
			nil, []store.Overlap{gone(of("x", -2*lull), -lull)}},
		"forgotten": {[]store.Overlap{gone(of("x", -2*remembered), -remembered)}, nil, nil},
		"comes back late": {[]store.Overlap{gone(told(of("x", -2*lull), -2*lull), -lull)}, []store.Overlap{of("x", 0)},
			[]store.Overlap{of("x", 0)}},
		"comes back": {[]store.Overlap{gone(told(of("x", -9), -8), -3)}, []store.Overlap{of("x", 0)},
			[]store.Overlap{told(of("x", 0), -8)}},
		"another file": {[]store.Overlap{of("x", -5)}, []store.Overlap{of("y", 0)},
			[]store.Overlap{of("y", 0), gone(of("x", -5), 0)}},
	} {
		if diff := cmp.Diff(test.want, follow(test.before, test.found, noon)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTheNewestOfManyAreRemembered(t *testing.T) {
	var over []store.Overlap
	for i := range mostRemembered + 3 {
		over = append(over, gone(of(fmt.Sprint(i), -9), -time.Duration(mostRemembered+3-i)*time.Second))
	}
	got := forget(slices.Clone(over), noon)
	slices.Reverse(over)
	if diff := cmp.Diff(over[:mostRemembered], got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A pair is told of all that is new at once, and then left in peace for a while.
func TestAPairIsToldSeldom(t *testing.T) {
	pair := [2]string{"a", "b"}
	for name, test := range map[string]struct {
		list []store.Overlap
		want []int
	}{
		"two new ones":   {[]store.Overlap{of("x", 0), of("y", 0)}, []int{0, 1}},
		"told":           {[]store.Overlap{told(of("x", 0), 0)}, nil},
		"over":           {[]store.Overlap{gone(of("x", 0), 0)}, nil},
		"one more, soon": {[]store.Overlap{told(of("x", 0), -lull+1), of("y", 0)}, nil},
		"one more":       {[]store.Overlap{told(of("x", 0), -lull), of("y", 0)}, []int{1}},
	} {
		if got := due(test.list, noon)[pair]; !cmp.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

func TestFilesOfSeveralAgentsAreCompared(t *testing.T) {
	f, g := file{"/r/.git", "f"}, file{"/r/.git", "g"}
	found := candidates(map[string]touched{
		"c": {f: {path: "/c/f"}, {"", "/tmp/f"}: {path: "/tmp/f"}},
		"a": {f: {path: "/a/f"}, g: {path: "/a/g"}},
		"b": {g: {path: "/b/g"}, f: {path: "/b/f"}, {"/other/.git", "f"}: {path: "/o/f"}},
	})
	var got []string
	for _, c := range found {
		got = append(got, c.agents[0]+c.agents[1]+" "+c.changes[0].path+" "+c.changes[1].path)
	}
	want := []string{"ab /a/f /b/f", "ab /a/g /b/g", "ac /a/f /c/f", "bc /b/f /c/f"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEqualCopiesAreNotAtOdds(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"one": "1\n", "copy": "1\n", "two": "2\n", "long": "1\n1\n"} {
		must.Do(t, os.WriteFile(path(name), []byte(text), 0o600))
	}
	for name, to := range map[string]string{"link": "one", "same link": "one", "other link": "two"} {
		must.Do(t, os.Symlink(to, path(name)))
	}

	for pair, want := range map[[2]string]bool{
		{"one", "copy"}: true, {"one", "two"}: false, {"one", "long"}: false, {"one", "missing"}: false,
		{"missing", "gone"}: true, {"link", "same link"}: true, {"link", "other link"}: false, {"one", "link"}: false,
	} {
		if got := same(path(pair[0]), path(pair[1])); got != want {
			t.Errorf("%q: got %v", pair, got)
		}
	}
}

func TestNoticesNameTheFiles(t *testing.T) {
	here := of("z.go", 0)
	here.Paths[1] = here.Paths[0]
	for want, list := range map[string][]store.Overlap{
		"kim has changed x.go (its copy: /b/x.go), too, in another worktree: merging may conflict. " +
			"Agree who goes on there: send_message to kim.": {of("x.go", 0)},
		"kim has edited z.go, too, in this directory: read it again before you write. " +
			"Agree who goes on there: send_message to kim.": {here},
		"kim has edited z.go, z.go, z.go, z.go and 1 more, too, in this directory: read them again before you write. " +
			"Agree who goes on there: send_message to kim.": {here, here, here, here, here},
	} {
		if got := notice("kim", 0, list); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
