package demoagent

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeysDoNotDependOnHowBytesArrive(t *testing.T) {
	t.Parallel()
	in := "hé\x1b[200~pa\r\nste\x1bx界\x1b[201~\r\x1b[A\x1bOP\x7f\x15"
	want := []key{{keyPaste, "pa\nste\x1bx界"}, {kind: keyEnter}, {kind: keyUp}, {kind: keyBackspace}, {kind: keyClear}}
	for size := 1; size <= len(in); size++ {
		var r keyReader
		var got []key
		typed := ""
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			for _, k := range r.read([]byte(rest[:n])) {
				if k.kind == keyText {
					typed += k.text
				} else {
					got = append(got, k)
				}
			}

			rest = rest[n:]
		}

		if diff := cmp.Diff(want, got, cmp.AllowUnexported(key{})); diff != "" || typed != "hé" {
			t.Errorf("%d bytes at a time: typed %q (-want +got):\n%s", size, typed, diff)
		}
	}
}
