package daemon

import (
	"encoding/json"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"

	"parley/internal/place"
	"parley/internal/plainfile"
	"parley/orchestrator/team"
)

// Beginning is what a daemon takes from whoever starts it.
type Beginning struct {
	Env     Environ
	Flags   map[string]string // settings given on the command line, by key
	Ignored []string          // the names of what it does not take
	Proven  bool              // the operator starts it
}

// Begin returns what the daemon in this process takes from its environment and flags: all of it from the
// operator. Whoever else starts it, such as an agent whose command found none, decides nothing: it begins as
// the last one that the operator started.
func Begin(at place.Place, env Environ, flags map[string]string) Beginning {
	if !OfAgent(os.Getpid()) {
		return Beginning{Env: env, Flags: flags, Proven: true}
	}
	return beginAs(lastStart(at), env, flags)
}

// OfAgent reports whether a process can be traced back to an agent, here or in another workspace, while no daemon
// knows the agents.
func OfAgent(pid int) bool { return !team.IsOperators(pid) }

type start struct {
	Env    Environ           `json:"env"`
	Flags  map[string]string `json:"flags"`
	Hashes []string          `json:"hashes"` // of entries that may have secrets in them
}

// begunFile is the name of the file in the home that holds a start. A repository cannot bring it.
const begunFile = "begun.json"

// lastStart returns how the operator last started a daemon here, nil if that is not known.
func lastStart(p place.Place) *start {
	if p.Home == "" {
		return nil
	}
	last := new(start)
	b, err := plainfile.Read(p.State(begunFile), place.MaxNote)
	if err != nil || json.Unmarshal(b, last) != nil {
		return nil
	}
	return last
}

// startOf returns a start without secrets: of what may have some there is only the hash.
func startOf(env Environ, flags map[string]string) start {
	s := start{Flags: map[string]string{}}
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); isPlain(name) {
			s.Env = append(s.Env, entry)
		} else {
			s.Hashes = append(s.Hashes, hashOf([]byte(entry)))
		}
	}
	for name, value := range flags {
		if name == databaseSetting {
			s.Hashes = append(s.Hashes, hashOf([]byte(flagEntry(name, value))))
		} else {
			s.Flags[name] = value
		}
	}
	return s
}

func flagEntry(name, value string) string { return "--" + name + "=" + value }

// isPlain reports whether a variable holds no secret.
func isPlain(name string) bool {
	return name != settingVariable(databaseSetting) &&
		(slices.Contains(forTmux, name) || strings.HasPrefix(name, "LC_") || decides(name)) &&
		name != OperatorKey && name != operatorHash
}

func settingVariable(name string) string { return "PARLEY_" + strings.ToUpper(name) }

// decides reports whether a variable says what the daemon trusts, where it listens, or which files are the
// user's own.
func decides(name string) bool {
	switch name {
	case "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", TrustHashes, OperatorKey, operatorHash:
		return true
	}
	return strings.HasPrefix(name, "PARLEY_ATTACH_") ||
		slices.ContainsFunc(settingNames(), func(s string) bool { return name == settingVariable(s) })
}

func settingNames() (names []string) {
	for _, f := range SettingFields() {
		names = append(names, f.Name)
	}
	return names
}

// beginAs returns the beginning of a daemon that somebody else than the operator starts. Last may be nil. What
// may have secrets counts if it is the same as then.
func beginAs(last *start, env Environ, flags map[string]string) Beginning {
	b := Beginning{Flags: map[string]string{}}
	if last != nil {
		b.Env = slices.Clone(last.Env)
		for name, value := range last.Flags {
			b.Flags[name] = value
		}
	} else if home := ownHome(); home != "" {
		b.Env = Environ{"HOME=" + home}
	}

	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		isSame := last != nil && slices.Contains(last.Hashes, hashOf([]byte(entry)))
		switch {
		case isSame, last == nil && !decides(name):
			b.Env = append(b.Env, entry)
		case decides(name) && b.Env.Get(name) != value:
			b.Ignored = append(b.Ignored, name)
		}
	}
	for name, value := range flags {
		if last != nil && slices.Contains(last.Hashes, hashOf([]byte(flagEntry(name, value)))) {
			b.Flags[name] = value
		}
		if b.Flags[name] != value {
			b.Ignored = append(b.Ignored, "--"+strings.ReplaceAll(name, "_", "-"))
		}
	}
	slices.Sort(b.Ignored)
	b.Ignored = slices.Compact(b.Ignored)

	return b
}

// ownHome returns the user's home directory as the system knows it.
func ownHome() string {
	own, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return ""
	}
	return own.HomeDir
}

// Apply makes the environment that of this process: what it starts inherits it.
func (b *Beginning) Apply() error {
	if b.Proven {
		return nil
	}
	os.Clearenv()
	for _, entry := range b.Env {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}
