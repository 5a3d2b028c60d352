package daemon

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/files"
	"parley/orchestrator"
	"parley/profile"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

// team is parley.yaml: who is launched by `parley up`, the settings, and the
// profiles of the workspace's own. Its schema is read off the tags.
type Team struct {
	Agents       []Agent                    `yaml:"agents" doc:"The agents that parley up launches, in this order."`
	Settings     Settings                   `yaml:"settings" doc:"Settings of the daemon. PARLEY_NAME in the environment overrides each, a flag of parley serve overrides both."`
	Conversation ConversationSettings       `yaml:"conversation" doc:"What agents may say to each other before a person speaks again."`
	Screen       ScreenSettings             `yaml:"screen" doc:"How the screen treats you. PARLEY_SCREEN_NAME in the environment overrides each."`
	Responders   []Responder                `yaml:"responders" doc:"The agents for which a model answers at once."`
	Profiles     map[string]yaml.RawMessage `yaml:"profiles" doc:"Profiles of your own, or changes to built-in ones: a name and the keys that differ."`
}

// member is one agent of the team.
type Agent struct {
	Name          string   `yaml:"name" required:"true" doc:"A letter, then letters, digits, - or _, at most 32."`
	Profile       string   `yaml:"profile" doc:"What kind of program it is; generic if left out."`
	Command       []string `yaml:"command" doc:"The program and its arguments; the profile's own if left out."`
	Dir           string   `yaml:"dir" doc:"Working directory, relative to this file; the workspace if left out."`
	Role          string   `yaml:"role" doc:"Its role in the team."`
	Description   string   `yaml:"description" doc:"What it is for, in a sentence."`
	Capabilities  []string `yaml:"capabilities" doc:"What it can do, one word or phrase each."`
	Groups        []string `yaml:"groups" doc:"Groups it is a member of."`
	Orchestrate   bool     `yaml:"orchestrate" doc:"Let it launch and stop other agents."`
	Interruptible bool     `yaml:"interruptible" doc:"Let urgent messages be typed into its work, and end copy mode in its terminal."`
	Toolsets      []string `yaml:"toolsets" doc:"The groups of MCP tools that it is offered, of those that mcp_toolsets leaves: messages, team, threads, files, orchestrate; all if left out."`
	Size          string   `yaml:"size" doc:"Columns and rows of its terminal, such as 200x50."`
}

// settings are the daemon's. Of a field with the key max_text, the environment's
// PARLEY_MAX_TEXT and --max-text of `parley serve` are made by themselves.
type Settings struct {
	MaxText     int           `yaml:"max_text" doc:"How many characters a message may have: 1 to 100000, 2000 unless set."`
	Footer      string        `yaml:"footer" doc:"The line below a typed message: full, or short, which keeps the message id."`
	ExpireAfter time.Duration `yaml:"expire_after" doc:"How long a message may wait for its terminal, such as 24h."`
	StuckAfter  time.Duration `yaml:"stuck_after" doc:"How long an agent may be busy without any output before it needs you, 10m unless set."`
	DraftAfter  time.Duration `yaml:"draft_after" doc:"How long a draft or scrolling in a terminal may hold messages back before it needs you, 5m unless set."`
	OwesAfter   time.Duration `yaml:"owes_after" doc:"How long an idle agent may leave a request unanswered before it needs you, 10m unless set."`
	AutoSteer   bool          `yaml:"auto_steer" doc:"Give stuck agents guidance without being asked, once each time: true or false."`
	MaxFileMB   int           `yaml:"max_file_mb" doc:"How large a file may be that agents send, in MB (1,000,000 bytes): 1 to 10000, 100 unless set."`
	MCPToolsets string        `yaml:"mcp_toolsets" doc:"The groups of MCP tools that agents are offered, separated by commas: messages, team, threads, files, orchestrate; all unless set."`
	HTTPPort    int           `yaml:"http_port" doc:"The loopback port of the daemon; a random one, kept, unless set."`
	HTTPAddress string        `yaml:"http_address" doc:"The IP address that the daemon listens on, 127.0.0.1 unless set; beyond loopback everyone needs a key."`
	HTTPHosts   string        `yaml:"http_hosts" doc:"Names by which other machines may call the daemon, separated by commas; IP addresses need not be named."`

	OpenRegistration  bool `yaml:"open_registration" doc:"Let agents of other machines register without a key: true or false."`
	TrustLocalAgentID bool `yaml:"trust_local_agent_id" doc:"Believe X-Agent-ID without a key, from this machine: true or false. Every local program can then be any agent."`

	MessagesPerMinute      int `yaml:"messages_per_minute" doc:"How many messages one agent may send in a minute: 1 to 1000000, 120 unless set."`
	BroadcastsPerMinute    int `yaml:"broadcasts_per_minute" doc:"How many broadcasts one agent may send in a minute: 1 to 1000000, 30 unless set."`
	RegistrationsPerMinute int `yaml:"registrations_per_minute" doc:"How many agents may register from one address in a minute: 1 to 1000000, 30 unless set."`

	ResponseDeadline time.Duration `yaml:"response_deadline" doc:"By when a required response is due if its sender does not say, 30m unless set."`
	RemindBefore     time.Duration `yaml:"remind_before" doc:"How long before that who owes it is reminded, 5m unless set; at half of the time at the latest."`
	TellSenderAfter  time.Duration `yaml:"tell_sender_after" doc:"How long after that the sender is told that it did not come, 1m unless set."`
	ModelTimeout     time.Duration `yaml:"model_timeout" doc:"How long the model of a responder has to answer, 50s unless set."`
	ModelCalls       int           `yaml:"model_calls" doc:"How many answers of one responder are written at once, 1 to 1000; 4 unless set. The rest wait their turn."`
	OverdueAfter     time.Duration `yaml:"overdue_after" doc:"How long after that it needs you, 10m unless set."`
}

// bytesPerMB is what a megabyte is in settings.
const bytesPerMB = 1_000_000

// LoadTeam reads a parley.yaml; a file that is not there is an empty one,
// unless it must be there.
func LoadTeam(file string, must bool) (*Team, error) {
	t := &Team{}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !must {
		t.Settings.fill()
		return t, nil
	}

	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "%s cannot be read: %w", file, PathCause(err)).
			Suggest("Write one, or name another with -f; parley.example.yaml shows how.")
	}

	err = yaml.NewDecoder(bytes.NewReader(b), yaml.Strict()).Decode(t)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, explainYAML(file, err)
	}

	t.Settings.fill()
	if err := t.check(file); err != nil {
		return nil, err
	}

	return t, nil
}

// fill gives what is not set its default.
func (s *Settings) fill() {
	s.MaxText = cmp.Or(s.MaxText, 2000)
	s.Footer = cmp.Or(s.Footer, "full")
	s.ExpireAfter = cmp.Or(s.ExpireAfter, 24*time.Hour)
	s.StuckAfter = cmp.Or(s.StuckAfter, 10*time.Minute)
	s.DraftAfter = cmp.Or(s.DraftAfter, 5*time.Minute)
	s.OwesAfter = cmp.Or(s.OwesAfter, 10*time.Minute)
	s.HTTPAddress = cmp.Or(s.HTTPAddress, Loopback)
	s.MessagesPerMinute = cmp.Or(s.MessagesPerMinute, 120)
	s.BroadcastsPerMinute = cmp.Or(s.BroadcastsPerMinute, 30)
	s.RegistrationsPerMinute = cmp.Or(s.RegistrationsPerMinute, 30)
	s.ResponseDeadline = cmp.Or(s.ResponseDeadline, 30*time.Minute)
	s.RemindBefore = cmp.Or(s.RemindBefore, 5*time.Minute)
	s.TellSenderAfter = cmp.Or(s.TellSenderAfter, time.Minute)
	s.ModelTimeout = cmp.Or(s.ModelTimeout, 50*time.Second)
	s.ModelCalls = cmp.Or(s.ModelCalls, 4)
	s.OverdueAfter = cmp.Or(s.OverdueAfter, 10*time.Minute)
	s.MaxFileMB = cmp.Or(s.MaxFileMB, files.DefaultLimit/bytesPerMB)
}

// explainYAML turns the decoder's error into one that says where and what
// instead.
func explainYAML(file string, err error) error {
	var e yaml.Error
	if !errors.As(err, &e) {
		return parley.Errorf(parley.InvalidArgument, "%s: %v", file, err).Suggest("Correct the file.")
	}

	position := e.GetToken().Position
	_, excerpt, _ := strings.Cut(
		yaml.FormatErrorWithToken("", e.GetToken(), false, true),
		"\n",
	) // its first line is the position

	message := e.GetMessage()
	action := "Correct that line; parley schema prints what the file may hold."
	if unknown, ok := errors.AsType[*yaml.UnknownFieldError](err); ok {
		key := unknown.Token.Value
		message = fmt.Sprintf("there is no key %q", key)
		known := keysBeside(unknown.Token)
		action = "Use one of: " + strings.Join(known, ", ") + "."
		if near := parley.Nearest(key, known); near != "" {
			action = fmt.Sprintf("Did you mean %q?", near)
		}
	}

	if mistyped, ok := errors.AsType[*yaml.TypeError](err); ok {
		message = fmt.Sprintf("this is %s, where %s belongs", kindName(mistyped.SrcType), kindName(mistyped.DstType))
	}

	return parley.Errorf(parley.InvalidArgument, "%s:%d: %s\n%s", filepath.Base(file), position.Line, message, strings.Trim(excerpt, "\n")).
		With("file", file).
		With("line", position.Line).
		Suggest("%s", action)
}

// kindName says what a Go type is called in YAML.
func kindName(t reflect.Type) string {
	if t == reflect.TypeFor[time.Duration]() {
		return "a duration such as 24h"
	}

	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a map of keys"
	}

	return "a number"
}

// keysBeside lists the keys that may stand where this one does: those of the file
// itself in the first column, else those of the part that begins there above it.
func keysBeside(key *token.Token) []string {
	if key.Position.Column == 1 {
		return keysOf(reflect.TypeFor[Team]())
	}

	part := key
	for part.Prev != nil && (part.Position.Column > 1 || part.Type != token.StringType) {
		part = part.Prev
	}

	switch part.Value {
	case "agents":
		return keysOf(reflect.TypeFor[Agent]())
	case "conversation":
		return keysOf(reflect.TypeFor[ConversationSettings]())
	case "screen":
		return keysOf(reflect.TypeFor[ScreenSettings]())
	case "responders":
		return slices.Concat(keysOf(reflect.TypeFor[Responder]()), keysOf(reflect.TypeFor[parley.ResponderExtras]()))
	}

	return keysOf(reflect.TypeFor[Settings]())
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("yaml"))
	}
	return keys
}

// check refuses what the types allow and the daemon does not.
func (t *Team) check(file string) error {
	at := filepath.Base(file)
	seen := map[string]bool{}
	for i, m := range t.Agents {
		if err := parley.CheckName(m.Name); err != nil {
			e := parley.AsError(err)
			return parley.Errorf(e.Code, "%s: agent %d: %w", at, i+1, err).Suggest("%s", e.Action)
		}

		if seen[strings.ToLower(m.Name)] {
			return parley.Errorf(parley.InvalidArgument, "%s: two agents are named %s", at, m.Name).
				Suggest("Give each a name of its own.")
		}

		seen[strings.ToLower(m.Name)] = true
		if err := m.checkToolsets(at); err != nil {
			return err
		}

		if _, _, err := ParseSize(m.Size); err != nil {
			e := parley.AsError(err)
			return parley.Errorf(e.Code, "%s: agent %s: %w", at, m.Name, err).Suggest("%s", e.Action)
		}
	}

	if err := t.Screen.check(at); err != nil {
		return err
	}
	if err := t.Conversation.check(at); err != nil {
		return err
	}
	if err := t.checkResponders(at, seen); err != nil {
		return err
	}

	return t.Settings.check(at)
}

// check refuses values outside their limits; source says whose they are.
func (s Settings) check(source string) error {
	refuse := func(key string, value any, instead string) error {
		return parley.Errorf(parley.InvalidArgument, "%s: %s is %v", source, key, value).
			With("setting", key).
			Suggest("Give %s.", instead)
	}

	switch {
	case s.MaxText < 1 || s.MaxText > 100_000:
		return refuse("max_text", s.MaxText, "a number from 1 to 100000")
	case !slices.Contains([]string{"full", "short"}, s.Footer):
		return refuse("footer", s.Footer, "full or short")
	case s.ExpireAfter < time.Second:
		return refuse("expire_after", s.ExpireAfter, "a duration of a second or more, such as 24h")
	case s.StuckAfter < time.Second:
		return refuse("stuck_after", s.StuckAfter, "a duration of a second or more, such as 10m")
	case s.DraftAfter < time.Second:
		return refuse("draft_after", s.DraftAfter, "a duration of a second or more, such as 5m")
	case s.OwesAfter < time.Second:
		return refuse("owes_after", s.OwesAfter, "a duration of a second or more, such as 10m")
	case s.ResponseDeadline < time.Second:
		return refuse("response_deadline", s.ResponseDeadline, "a duration of a second or more, such as 30m")
	case s.RemindBefore < 0:
		return refuse("remind_before", s.RemindBefore, "a duration such as 5m")
	case s.TellSenderAfter < 0:
		return refuse("tell_sender_after", s.TellSenderAfter, "a duration such as 1m")
	case s.ModelTimeout < time.Second || s.ModelTimeout > time.Hour:
		return refuse("model_timeout", s.ModelTimeout, "a duration from 1s to 1h, such as 50s")
	case s.ModelCalls < 1 || s.ModelCalls > 1000:
		return refuse("model_calls", s.ModelCalls, "a number from 1 to 1000")
	case s.OverdueAfter < 0:
		return refuse("overdue_after", s.OverdueAfter, "a duration such as 10m")
	case s.MaxFileMB < 1 || s.MaxFileMB > 10_000:
		return refuse("max_file_mb", s.MaxFileMB, "a number from 1 to 10000")
	case s.HTTPPort < 0 || s.HTTPPort > 65535:
		return refuse("http_port", s.HTTPPort, "a port from 1 to 65535, or 0 for a random one")
	}

	return s.checkDoor(refuse)
}

// override sets one setting from the text of a variable or a flag, which source
// names.
func (s *Settings) override(key, text, source string) error {
	changed := *s
	if err := changed.set(key, text); err != nil {
		return parley.Errorf(parley.InvalidArgument, "%s is %q", source, parley.CleanLine(text)).With("setting", key).
			Suggest("Give %s a value that fits: %s", key, SettingDoc(key))
	}
	if err := changed.check(source); err != nil {
		return err
	}
	*s = changed
	return nil
}

func (s *Settings) set(key, text string) (err error) {
	v := reflect.ValueOf(s).Elem().Field(slices.Index(keysOf(reflect.TypeFor[Settings]()), key))
	switch to := v.Addr().Interface().(type) {
	case *int:
		*to, err = strconv.Atoi(text)
	case *time.Duration:
		*to, err = time.ParseDuration(text)
	case *bool:
		*to, err = strconv.ParseBool(text)
	case *string:
		*to = text
	}
	return err
}

// overrideFrom applies the environment's PARLEY_KEY variables.
func (s *Settings) Override(env Environ) error {
	for _, key := range keysOf(reflect.TypeFor[Settings]()) {
		name := "PARLEY_" + strings.ToUpper(key)
		if text := env.Get(name); text != "" {
			if err := s.override(key, text, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func SettingDoc(key string) string {
	t := reflect.TypeFor[Settings]()
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("yaml") == key {
			return t.Field(i).Tag.Get("doc")
		}
	}
	return ""
}

// ProfileSet returns the built-in profiles with the team's own.
func (t *Team) ProfileSet() (profile.Set, error) {
	set, err := profile.Builtin()
	if err != nil {
		return profile.Set{}, err
	}

	for name, text := range t.Profiles {
		if set, err = set.With(name, text); err != nil {
			return profile.Set{}, err
		}

		if p, err := set.Find(name); err != nil || p.Instant() {
			return profile.Set{}, parley.Errorf(parley.InvalidArgument, "profile %s would type without looking", name).
				Suggest("Give it a settle or quiet above 0s, such as 200ms, or an idle marker.")
		}
	}

	return set, nil
}

var sizeForm = regexp.MustCompile(`^([1-9][0-9]{0,3})x([1-9][0-9]{0,3})$`)

// ParseSize reads COLUMNSxROWS; nothing is 0, 0.
func ParseSize(size string) (width, height int, err error) {
	if size == "" {
		return 0, 0, nil
	}
	m := sizeForm.FindStringSubmatch(size)
	if m == nil {
		return 0, 0, parley.Errorf(parley.InvalidArgument, "size is %q", parley.CleanLine(size)).
			With("parameter", "size").
			Suggest("Give columns and rows, such as 200x50.")
	}
	width, _ = strconv.Atoi(m[1]) // four digits at most
	height, _ = strconv.Atoi(m[2])
	return width, height, nil
}

// service returns the settings of the service.
func (t *Team) service() orchestrator.Settings {
	s := t.Settings
	return orchestrator.Settings{
		MaxText:                s.MaxText,
		ShortFooter:            s.Footer == "short",
		ExpireAfter:            s.ExpireAfter,
		StuckAfter:             s.StuckAfter,
		DraftAfter:             s.DraftAfter,
		OwesAfter:              s.OwesAfter,
		AutoSteer:              s.AutoSteer,
		MaxFile:                int64(s.MaxFileMB) * bytesPerMB,
		MessagesPerMinute:      s.MessagesPerMinute,
		BroadcastsPerMinute:    s.BroadcastsPerMinute,
		RegistrationsPerMinute: s.RegistrationsPerMinute,
		ResponseDeadline:       s.ResponseDeadline,
		RemindBefore:           s.RemindBefore,
		TellSenderAfter:        s.TellSenderAfter,
		OverdueAfter:           s.OverdueAfter,
		ModelTimeout:           s.ModelTimeout,
		ModelCalls:             s.ModelCalls,
		Conversation:           t.Conversation.budgets(),
	}
}

// SettingKeys returns the names of the daemon's settings.
func SettingKeys() []string { return keysOf(reflect.TypeFor[Settings]()) }
