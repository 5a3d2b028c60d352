package daemon

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"parley"
	"parley/internal/setting"
	"parley/plain"
	"parley/tmux"
	"parley/tui"
)

// ScreenSettings are the settings of the screen. PARLEY_SCREEN_NOTIFY in the
// environment overrides notify: people may prefer something else than their team.
type ScreenSettings struct {
	Notify        string `yaml:"notify" pattern:"^ *(none|bell|desktop|bell *, *desktop|desktop *, *bell) *$" doc:"How the screen tells you of messages and needs: bell, desktop, both with a comma, or none; both unless set."`
	QuietHours    string `yaml:"quiet_hours" pattern:"^ *([01]?[0-9]|2[0-3]):[0-5][0-9] *- *(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00) *$" doc:"When you are not notified, such as 22:00-07:00."`
	Mouse         bool   `yaml:"mouse" doc:"Let the wheel scroll, clicks choose and double clicks open; hold shift to select text."`
	ReducedMotion bool   `yaml:"reduced_motion" doc:"Update once a second at most, without curves or a blinking cursor."`
	Plain         bool   `yaml:"plain" doc:"Words line by line, as for a screen reader; also where TERM is dumb."`
	First         string `yaml:"first" default:"agents" enum:"traffic,agents,threads,needs,health" doc:"The first screen."`
	Theme         string `yaml:"theme" default:"terminal" enum:"terminal,light,dark,contrast,none" doc:"The colours: terminal has your terminal's sixteen, or those of light on a light background; contrast has nothing pale."`

	AgentColumns   string `yaml:"agent_columns" doc:"The columns of Agents in their order, with commas; those that fit unless set."`
	TrafficColumns string `yaml:"traffic_columns" doc:"The columns of Traffic: time, route, state, tag; all unless set."`
	DetailWidth    int    `yaml:"detail_width" min:"0" max:"80" doc:"The width of what is next to a list, in percent, from 20; 0 leaves it to the screen."`
	DetailHeight   int    `yaml:"detail_height" min:"0" max:"80" doc:"The height of what is below a list in a narrow window, the same way."`

	Keys    map[string]string `yaml:"keys" doc:"Other keys for actions, by the action's name; several with spaces, or none."`
	Filters map[string]string `yaml:"filters" doc:"Filters by name: @name on the filter line recalls one."`
}

// Override applies the environment's PARLEY_SCREEN_KEY variables.
func (s *ScreenSettings) Override(env Environ) error {
	for _, f := range setting.Fields(reflect.TypeFor[ScreenSettings]()) {
		key := f.Name
		name := "PARLEY_SCREEN_" + strings.ToUpper(key)
		text := env.Get(name)
		if text == "" || f.Type.Kind() == reflect.Map {
			continue
		}
		if err := setting.Set(s, key, text); err != nil {
			instead := map[string]string{"number": "a number", "true|false": "true or false"}[f.Kind()]
			return parley.Errorf(parley.InvalidArgument, "%s is %q", name, plain.CleanLine(text)).
				With("setting", key).
				Suggest("Give %s.", instead)
		}
	}

	return s.check("the environment")
}

// check refuses what the screen does not know.
func (s *ScreenSettings) check(source string) error {
	if _, err := s.Notification(source); err != nil {
		return err
	}
	for name, value := range map[string]string{"first": s.First, "theme": s.Theme} {
		known := setting.Find(reflect.TypeFor[ScreenSettings](), name).Enum
		if value != "" && !slices.Contains(known, value) {
			return setting.Refuse(source, name, value, strings.Join(known, ", "))
		}
	}

	if err := cmp.Or(tui.CheckKeys(s.Keys), tui.CheckFilters(s.Filters), tui.CheckLook(s.Look())); err != nil {
		e := parley.AsError(err)
		return parley.Errorf(e.Code, "%s: screen: %w", source, err).Suggest("%s", e.Action)
	}

	return nil
}

// Look returns the columns and sizes.
func (s *ScreenSettings) Look() tui.Look {
	return tui.Look{
		AgentColumns: s.AgentColumns, TrafficColumns: s.TrafficColumns,
		DetailWidth: s.DetailWidth, DetailHeight: s.DetailHeight,
	}
}

// Notification returns how and when the operator is notified. Source tells where the
// settings stand.
func (s *ScreenSettings) Notification(source string) (n tui.Notify, err error) {
	if s.Notify == "" {
		n.Bell, n.Desktop = true, true
	}

	for word := range strings.SplitSeq(s.Notify, ",") {
		switch strings.TrimSpace(word) {
		case "bell":
			n.Bell = true
		case "desktop":
			n.Desktop = true
		case "none", "":
		default:
			return n, setting.Refuse(source, "notify", s.Notify,
				"bell, desktop, both with a comma between them, or none")
		}
	}

	if s.QuietHours == "" {
		return n, nil
	}

	hours, ok := setting.ParseHours(s.QuietHours)
	if !ok {
		return n, setting.Refuse(source, "quiet_hours", s.QuietHours, "two times of day, such as 22:00-07:00")
	}
	n.Quiet = tui.QuietHours(hours)

	return n, nil
}

// AttachSettings are the settings of terminals to which a person attaches, on parley's own tmux
// server. PARLEY_ATTACH_NAME in the environment overrides each.
type AttachSettings struct {
	Mouse       bool   `yaml:"mouse" default:"true" doc:"Let the wheel scroll and dragging select; hold shift to select as your terminal does."`
	Keys        bool   `yaml:"keys" default:"true" doc:"Let Shift+Enter make a new line, and Ctrl and Alt reach the program with any key."`
	Clipboard   string `yaml:"clipboard" default:"selection" enum:"programs,selection,none" doc:"What may fill your clipboard: also programs, only what you select, or nothing."`
	History     int    `yaml:"history" default:"10000" min:"100" max:"1000000" doc:"Lines that each of the first 20 terminals keeps; later ones keep 1000."`
	Status      bool   `yaml:"status" default:"true" doc:"Show a last line with the agent's name, state and what waits for it."`
	NextKey     string `yaml:"next_key" default:"F9" doc:"The key for the next agent, such as F9 or M-Right, or none."`
	PreviousKey string `yaml:"previous_key" default:"F8" doc:"The key for the previous agent, or none."`
}

const noKey = "none"

// fill sets the defaults, unless that is done.
func (s *AttachSettings) fill() {
	if *s == (AttachSettings{}) {
		setting.Fill(s)
	}
}

// Override applies the environment's PARLEY_ATTACH_NAME variables.
func (s *AttachSettings) Override(env Environ) error {
	fields := setting.Fields(reflect.TypeFor[AttachSettings]())
	for _, f := range fields {
		name := "PARLEY_ATTACH_" + strings.ToUpper(f.Name)
		text := env.Get(name)
		if text == "" {
			continue
		}
		if err := setting.Set(s, f.Name, text); err != nil {
			return parley.Errorf(parley.InvalidArgument, "%s is %q", name, plain.CleanLine(text)).
				With("setting", f.Name).
				Suggest("Give %s a value that fits: %s. %s", f.Name, f.Kind(), f.Description())
		}
	}

	return s.check("the environment")
}

// check refuses values out of bounds, and keys that cannot be bound.
func (s *AttachSettings) check(source string) error {
	if err := setting.Check(s, source); err != nil {
		return err
	}

	for name, key := range map[string]string{"next_key": s.NextKey, "previous_key": s.PreviousKey} {
		if key != noKey && !tmux.IsViewKey(key) {
			return setting.Refuse(source, name, key,
				"a function key but "+tmux.ReturnKey+", a key with Alt such as M-Right, or none")
		}
	}

	if s.NextKey == s.PreviousKey && s.NextKey != noKey {
		return setting.Refuse(source, "previous_key", s.PreviousKey, "another key than next_key")
	}

	return nil
}

// clipboards are tmux's words for those of the setting.
var clipboards = map[string]string{"programs": "on", "selection": "external", "none": "off"}

// view returns the settings as tmux takes them.
func (s *AttachSettings) view() tmux.View {
	return tmux.View{
		Mouse:       s.Mouse,
		Keys:        s.Keys,
		Clipboard:   clipboards[s.Clipboard],
		Status:      s.Status,
		History:     s.History,
		NextKey:     strings.TrimPrefix(s.NextKey, noKey),
		PreviousKey: strings.TrimPrefix(s.PreviousKey, noKey),
	}
}
