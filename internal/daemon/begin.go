package daemon

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/plainfile"
	"parley/orchestrator/team"
	"parley/store"
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
func Begin(at Place, env Environ, flags map[string]string) Beginning {
	if !OfAgent(os.Getpid()) {
		return Beginning{Env: env, Flags: flags, Proven: true}
	}
	return beginAs(at.lastStart(), env, flags)
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
func (p Place) lastStart() *start {
	if p.Home == "" {
		return nil
	}
	last := new(start)
	b, err := plainfile.Read(p.State(begunFile), maxNote)
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

// OperatorKey is the variable with a key of the operator's. Commands send it when PARLEY_KEY is not set.
// A daemon that starts with it in a workspace without agents believes it: where there is no terminal, as in
// continuous integration, nobody else could issue the first key.
const OperatorKey = "PARLEY_OPERATOR_KEY"

// operatorHash hands the id and the hash of that key to a daemon, in whose environment other programs of
// the user could read the key itself.
const operatorHash = "PARLEY_OPERATOR_HASH"

// minOperatorKey is the length of the shortest key of the operator: "parley_" and 128 bits in hexadecimal.
const minOperatorKey = 39

// withOperatorHash returns the environment of a daemon.
func (e Environ) withOperatorHash() (Environ, error) {
	key := e.Get(OperatorKey)
	e = e.Scrubbed()
	if key == "" {
		return e, nil
	}
	if !strings.HasPrefix(key, "parley_") || len(key) < minOperatorKey {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is not a key", OperatorKey).
			Suggest("Make one: export %s=parley_$(openssl rand -hex 32)", OperatorKey)
	}
	return append(e, operatorHash+"="+key[:parley.KeyIDLength]+":"+hex.EncodeToString(team.HashKey(key))), nil
}

// operatorKey returns the operator's first key, nil if there is none in the environment.
func (e Environ) operatorKey(now time.Time) (*store.APIKey, error) {
	if e.Get(operatorHash) == "" {
		var err error
		if e, err = e.withOperatorHash(); err != nil { // a daemon in the foreground
			return nil, err
		}
	}

	id, hash, _ := strings.Cut(e.Get(operatorHash), ":")
	sum, err := hex.DecodeString(hash)
	if err != nil || len(sum) == 0 {
		return nil, nil
	}

	return &store.APIKey{
		Hash: sum,
		Key:  parley.Key{KeyID: id, Origin: parley.KeyIssued, CreatedAt: now},
	}, nil
}
