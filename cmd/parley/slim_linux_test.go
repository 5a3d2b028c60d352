package main

import (
	"bufio"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOnlyUnchangedPagesOfTheProgramAreDropped(t *testing.T) {
	const smaps = `00400000-00500000 r-xp 00000000 fe:00 103  /bin/parley
Size:               1024 kB
Anonymous:             0 kB
00500000-00600000 r--p 00100000 fe:00 103  /bin/parley
Anonymous:             4 kB
00600000-00700000 r--p 00200000 fe:00 103  /bin/parley
Anonymous:             0 kB
00700000-00800000 rw-p 00300000 fe:00 103  /bin/parley
Anonymous:             0 kB
7f0000000000-7f0000100000 r-xp 00000000 fe:00 99  /lib/other.so
Anonymous:             0 kB
7f0000200000-7f0000300000 rw-p 00000000 00:00 0
Anonymous:             0 kB
`

	got := untouched(bufio.NewScanner(strings.NewReader(smaps)), "/bin/parley")
	want := []mapping{{0x400000, 0x500000}, {0x600000, 0x700000}}
	if !cmp.Equal(got, want, cmp.AllowUnexported(mapping{})) {
		t.Errorf("got %x, want %x", got, want)
	}
}
