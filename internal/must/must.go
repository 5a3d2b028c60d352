// Package must ends a test when what it needs fails.
package must

import "testing"

// Do fails the test at once if there is an error.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Have returns a value, or fails the test at once: file := must.Have(os.Open(name))(t).
func Have[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		Do(t, err)
		return v
	}
}
