package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestLogTurnsOverWhileItIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "daemon.log")
	stderr := must.Have(os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))(t)
	defer stderr.Close()
	log := &logFile{path: path, max: 100}
	defer log.Close()

	for i := range 50 {
		must.Have(fmt.Fprintf(log, "line %02d.\n", i))(t)
	}
	must.Have(stderr.WriteString("panic\n"))(t)

	now, old := string(must.Have(os.ReadFile(path))(t)), string(must.Have(os.ReadFile(path+".old"))(t))
	if len(now) > 110 || len(old) > 110 || !strings.HasSuffix(now, "line 49.\npanic\n") {
		t.Errorf("got %q", now)
	}
	first, _, _ := strings.Cut(now, "\n")
	last := strings.Fields(old)[len(strings.Fields(old))-1]
	var a, b int
	must.Have(fmt.Sscanf(last, "%d", &b))(t)
	must.Have(fmt.Sscanf(first, "line %d", &a))(t)
	if a != b+1 {
		t.Errorf("the log begins with %q, and the older one ends with %q", first, last)
	}
	if info := must.Have(os.Stat(path + ".old"))(t); info.Mode() != 0o600 {
		t.Errorf("the older log has mode %v", info.Mode())
	}
}

func TestRemovedLogIsMadeAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "daemon.log")
	log := &logFile{path: path, max: 1000}
	defer log.Close()
	must.Have(log.Write([]byte("one\n")))(t)
	must.Do(t, os.Remove(path))
	must.Have(log.Write([]byte("two\n")))(t)
	if got := string(must.Have(os.ReadFile(path))(t)); got != "two\n" {
		t.Errorf("got %q, want the second line", got)
	}
}
