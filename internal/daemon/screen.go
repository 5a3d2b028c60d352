package daemon

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"parley"
	"parley/internal/setting"
	"parley/plain"
	"parley/tui"
)

// ScreenSettings are the settings of the screen. PARLEY_SCREEN_NOTIFY in the
// environment overrides notify: people may prefer something else than their team.
type ScreenSettings struct {
	Notify        string `yaml:"notify" pattern:"^ *(none|bell|desktop|bell *, *desktop|desktop *, *bell) *$" doc:"How you are notified of messages for you and of what needs you: bell, desktop, both separated by a comma, or none; both unless set."`
	QuietHours    string `yaml:"quiet_hours" pattern:"^ *([01]?[0-9]|2[0-3]):[0-5][0-9] *- *(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00) *$" doc:"When you are not notified, such as 22:00-07:00; never unless set."`
	Mouse         bool   `yaml:"mouse" doc:"Let the wheel scroll, clicks choose and double clicks open; hold shift to select text."`
	ReducedMotion bool   `yaml:"reduced_motion" doc:"Update once a second at most, without curves and without a blinking cursor."`
	Plain         bool   `yaml:"plain" doc:"Words alone instead of a screen, line by line, as for a screen reader; so it is where TERM is dumb."`
	First         string `yaml:"first" default:"agents" enum:"traffic,agents,threads,needs,health" doc:"The screen that is shown first."`
	Theme         string `yaml:"theme" default:"terminal" enum:"terminal,light,dark,contrast,none" doc:"The colours: terminal has your terminal's own sixteen, or those of light where its background is light; contrast has nothing pale."`

	AgentColumns   string `yaml:"agent_columns" doc:"The columns of Agents, in their order, with commas between them; those that fit unless set."`
	TrafficColumns string `yaml:"traffic_columns" doc:"The columns of Traffic besides the text: time, route, state, tag; all unless set."`
	DetailWidth    int    `yaml:"detail_width" min:"0" max:"80" doc:"How much of the width has what stands beside a list, in percent, from 20; 0 leaves it to the screen."`
	DetailHeight   int    `yaml:"detail_height" min:"0" max:"80" doc:"How much of the height has what stands below a list in a narrow window, in percent, from 20; 0 leaves it to the screen."`

	Keys    map[string]string `yaml:"keys" doc:"Other keys for actions, by the action's name; several with a space between them, or none."`
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
