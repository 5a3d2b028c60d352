package terminal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
)

func TestSpoolIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spool")
	if err := os.WriteFile(path, make([]byte, maxSpool-100), 0o600); err != nil {
		t.Fatal(err)
	}
	req := parley.ReportStateRequest{Event: "Done", Detail: strings.Repeat("x", 200)}
	if err := Spool(t.Context(), path, "k", req); !errors.Is(err, errSpoolFull) {
		t.Errorf("got %v, want that it is full", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > maxSpool {
		t.Errorf("it has %d bytes (%v)", info.Size(), err)
	}
}
