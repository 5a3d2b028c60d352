package team

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"parley/tmux"
)

// Past remembers, over restarts of the daemon, when the first terminal agent was started since the machine was.
// What is older descends from no agent.
type Past struct {
	files []string
	boot  string // "" on a system that does not tell
	log   *slog.Logger

	mu    sync.Mutex
	first string // when the first agent was born, at the latest; "" if there was none
}

// record is what a file of a Past holds.
type record struct {
	Boot  string `json:"boot"`
	First string `json:"first"`
}

// maxRecord bounds what is read of such a file, in bytes.
const maxRecord = 1 << 10

// pastFile is the name of the file of a Past in its directories.
const pastFile = "first-agent"

// OpenPast reads a Past from several directories: of what they say about this boot, the oldest agent counts.
// So a daemon that finds only one of them, because it is started with another environment, knows enough.
func OpenPast(dirs []string, log *slog.Logger) *Past {
	p := &Past{boot: tmux.Boot(), log: log}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		file := filepath.Join(dir, pastFile)
		p.files = append(p.files, file)
		var r record
		b, err := os.ReadFile(file)
		if err != nil || len(b) > maxRecord || json.Unmarshal(b, &r) != nil || r.Boot != p.boot {
			continue
		}
		if p.first == "" || tmux.Older(r.First, p.first) {
			p.first = r.First
		}
	}
	return p
}

// Note records an agent that was born then, "" for now at the latest. It returns once that is stored.
func (p *Past) Note(born string) {
	if p == nil || p.boot == "" {
		return
	}
	if born == "" {
		born = tmux.BirthNow()
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	if p.first != "" && !tmux.Older(born, p.first) {
		return
	}
	p.first = born
	b, _ := json.Marshal(record{p.boot, p.first})
	for _, file := range p.files {
		err := os.Mkdir(filepath.Dir(file), 0o700) // not in a workspace that was renamed
		if err == nil || errors.Is(err, fs.ErrExist) {
			err = os.WriteFile(file+".part", append(b, '\n'), 0o600)
		}
		if err == nil {
			err = os.Rename(file+".part", file)
		}
		if err != nil {
			p.log.Error("remember when the first agent was started", "file", file, "error", err)
		}
	}
}

// era is what the age of a process proves.
type era struct {
	known bool   // the system tells one boot from another
	first string // when the first agent was born, at the latest; "" if there was none
}

func (p *Past) era() era {
	if p == nil || p.boot == "" {
		return era{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return era{known: true, first: p.first}
}
