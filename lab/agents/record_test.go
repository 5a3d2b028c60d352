package agents

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	checked "parley/orchestrator/trial"
)

// record is what a run found of a program. docs/measured/agents.md is drawn from all that are kept: what is found
// later of a scene counts, and deliveries add up. To begin again, delete the program's file.
type record struct {
	Program string `json:"program"`
	Version string `json:"version"`
	Date    string `json:"date"`
	On      string `json:"on"` // the system
	Size    string `json:"size,omitempty"`
	Sandbox bool   `json:"sandbox,omitempty"` // it ran in one

	Scenes     map[string]bool                       `json:"scenes,omitempty"` // whether they passed
	Guarantees map[checked.Guarantee]checked.Verdict `json:"guarantees,omitempty"`
	Seed       uint64                                `json:"seed,omitempty"`
	Deliveries *figures                              `json:"deliveries,omitempty"`
	Door       *doorFigures                          `json:"entrance,omitempty"` // deliveries through its own door
	Hooks      *hookFigures                          `json:"hooks,omitempty"`    // deliveries that its hooks could take
}

// recordsDir holds a file for each version of a program, with a record in each line.
const recordsDir = "testdata/results"

// keep keeps what a run found, if a page is to be drawn.
func keep(t *testing.T, program installed, r record) {
	t.Helper()
	if os.Getenv(agentsPage) == "" {
		return
	}

	tmux := must.Have(exec.Command("tmux", "-V").Output())(t)
	r.Program, r.Version, r.Date = program.profile, program.version, time.Now().UTC().Format(time.DateOnly)
	r.Sandbox = sandboxed()
	r.On = fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, strings.TrimSpace(string(tmux)))
	line := must.Have(json.Marshal(r))(t)

	must.Do(t, os.MkdirAll(recordsDir, 0o755))
	name := filepath.Join(recordsDir, r.Program+"-"+r.Version+".jsonl")
	f := must.Have(os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644))(t)
	_, err := f.Write(append(line, '\n')) // in one piece: several runs may write
	must.Do(t, errors.Join(err, f.Close()))
}

// readRecords returns the records that are kept, those of a program in their order.
func readRecords() (all []record, err error) {
	files, err := filepath.Glob(filepath.Join(recordsDir, "*.jsonl"))
	for _, name := range files {
		if all, err = appendRecords(all, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, err
}

func appendRecords(all []record, name string) ([]record, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, lines.Err()
}
