package daemon

import (
	"encoding/json"
	"os"
	"strings"

	"parley"
	"parley/internal/disk"
	"parley/plain"
)

// publish writes the daemon's address.
func (d *daemon) publish() error {
	return writeInfo(d.Place.Info(), d.address())
}

// address returns what commands know of the daemon.
func (d *daemon) address() Info {
	return Info{
		PID:           d.info.PID,
		Socket:        d.info.Socket,
		HTTP:          d.info.HTTP,
		Version:       d.info.Version,
		StartedAt:     d.info.StartedAt,
		Toolsets:      d.settings.MCPToolsets,
		AgentToolsets: d.toolsets,
		Withheld:      d.withheld,
	}
}

// warnings returns what of its workspace the operator is told.
func (d *daemon) warnings() (words []string) {
	if d.told = readNote(d.Place.State(noticeFile)); d.told != "" {
		words = append(words, d.told)
	}
	if first := d.Place.inRoot(databaseFile); disk.Exists(first) {
		words = append(words, first+" is not used: it came with the files of the project. "+
			"parley's own is "+d.Place.Database()+".")
	}
	if d.withheld != "" {
		words = append(words, d.withheld+". Run parley trust.")
	}
	return words
}

// remember stores how the operator started this daemon.
func (d *daemon) remember() error {
	if !d.Proven || d.Place.Home == "" {
		return nil
	}
	b, err := json.Marshal(startOf(d.Env, d.Flags))
	if err != nil {
		return err
	}
	return os.WriteFile(d.Place.State(begunFile), append(b, '\n'), 0o600)
}

// notes notes what is out of order, unless it is nil, with the command to start with.
func (d *daemon) notes(wrong *parley.Error, command, further string) {
	if wrong == nil {
		return
	}
	text, _, _ := strings.Cut(wrong.Message, "\n")
	d.wrong = append(d.wrong, parley.Need{
		Text: plain.CleanLine(text), Command: command, Action: wrong.Action + further,
	})
}
