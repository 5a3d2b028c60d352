package daemon

import (
	"fmt"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"parley"
	"parley/internal/setting"
	"parley/mcpserver"
	"parley/orchestrator/settings"
	"parley/orchestrator/terminal"
	"parley/plain"
	"parley/store"
)

// Settings are the daemon's settings: those of the service, and how the daemon is
// reached. The variable PARLEY_MAX_TEXT and the flag --max-text of `parley serve`
// follow from the name max_text.
type Settings struct {
	settings.Settings `yaml:",inline"`

	MCPToolsets string `yaml:"mcp_toolsets" doc:"The groups of MCP tools for agents, with commas: messages, team, threads, schedules, files, orchestrate; all unless set."`
	Database    string `yaml:"database" trust:"true" doc:"The workspace's PostgreSQL database, postgres://USER@HOST/NAME; a file unless set."`
	Host        string `yaml:"host" doc:"The name of this machine among those that share a database; its own unless set."`
	HTTPPort    int    `yaml:"http_port" min:"0" max:"65535" doc:"The daemon's TCP port; 0 takes a free one and keeps it."`
	HTTPAddress string `yaml:"http_address" trust:"true" default:"127.0.0.1" format:"ip" doc:"The IP address that the daemon listens on. Beyond loopback, everyone needs a key."`
	HTTPHosts   string `yaml:"http_hosts" trust:"true" doc:"Names by which other machines may call the daemon, with commas. IP addresses need none."`

	OpenRegistration  bool `yaml:"open_registration" trust:"true" doc:"Let agents of other users and other machines register without a key."`
	TrustLocalAgentID bool `yaml:"trust_local_agent_id" trust:"true" doc:"Believe X-Agent-ID without a key, from this machine. Every local program can then be any agent."`
}

// hostNames are the names that a host may have.
var hostNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// HostName returns the name of this machine among those of the team.
func (s *Settings) HostName() (string, error) {
	if s.Host != "" {
		return s.Host, nil
	}
	name, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("get the host's name: %w", err)
	}
	return name, nil
}

// SettingFields describes the daemon's settings.
func SettingFields() []setting.Field { return setting.Fields(reflect.TypeFor[Settings]()) }

// check refuses values out of bounds. Source tells where they stand.
func (s *Settings) check(source string) error {
	if err := setting.Check(s, source); err != nil {
		return err
	}
	if s.Database != "" {
		if err := store.CheckURL(s.Database); err != nil {
			return err
		}
	}
	if s.Host != "" && !hostNames.MatchString(s.Host) {
		return parley.Errorf(parley.InvalidArgument, "the host name is %q", plain.CleanLine(s.Host)).
			With("setting", "host").
			Suggest("Give %s up to 63 letters, digits, dots, dashes or underscores.", source)
	}
	if _, err := mcpserver.ParseToolsets(s.MCPToolsets); err != nil {
		e := parley.AsError(err)
		return parley.Errorf(e.Code, "mcp_toolsets: %w", err).With("setting", "mcp_toolsets").Suggest("%s", e.Action)
	}
	return nil
}

// Override applies the environment's PARLEY_KEY variables.
func (s *Settings) Override(env Environ) error {
	for _, f := range SettingFields() {
		name := "PARLEY_" + strings.ToUpper(f.Name)
		if text := env.Get(name); text != "" {
			if err := s.set(f, text, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// set sets one setting from the text of the variable or flag that source names.
// If the text is refused, nothing changes.
func (s *Settings) set(f setting.Field, text, source string) error {
	changed := *s
	if err := setting.Set(&changed, f.Name, text); err != nil {
		return parley.Errorf(parley.InvalidArgument, "%s is %q", source, plain.CleanLine(text)).
			With("setting", f.Name).
			Suggest("Give %s a value that fits: %s. %s", f.Name, f.Kind(), f.Description())
	}
	if err := changed.check(source); err != nil {
		return err
	}
	*s = changed
	return nil
}

// beyondLoopback reports whether other machines can reach the daemon.
func (s *Settings) beyondLoopback() bool {
	ip, err := netip.ParseAddr(s.HTTPAddress)
	return err == nil && !ip.IsLoopback()
}

// databaseSetting is the name of the setting. Its value may hold a password.
const databaseSetting = "database"

// Environ is an environment in the form of os.Environ. If a name occurs twice,
// the last entry counts.
type Environ []string

// Get returns the value of a variable, "" if it is not set.
func (e Environ) Get(name string) string {
	for _, entry := range slices.Backward(e) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// Map returns the environment as launch requests carry it.
func (e Environ) Map() map[string]string {
	m := make(map[string]string, len(e))
	for _, entry := range e {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			m[name] = value
		}
	}
	return m
}

// Scrubbed returns the environment without the variables that a child process
// must not inherit.
func (e Environ) Scrubbed() Environ {
	return slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(terminal.NotInherited, name)
	})
}

// forTmux lists the variables that parley's tmux server needs. Every program there can read the
// environment of the server, so that it holds nothing else: a launched agent gets its environment
// in a private file.
var forTmux = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TERMINFO", "TERMINFO_DIRS",
	"TMPDIR", "TMUX_TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
}

// ForTmux returns the environment of parley's tmux server.
func (e Environ) ForTmux() Environ {
	return slices.DeleteFunc(slices.Clone(e), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(forTmux, name) && !strings.HasPrefix(name, "LC_")
	})
}
