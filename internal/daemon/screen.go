package daemon

import (
	"reflect"
	"strings"

	"parley"
	"parley/internal/setting"
	"parley/tui"
)

// ScreenSettings are the settings of the screen. PARLEY_SCREEN_NOTIFY in the
// environment overrides notify: people may prefer something else than their team.
type ScreenSettings struct {
	Notify        string `yaml:"notify" pattern:"^ *(none|bell|desktop|bell *, *desktop|desktop *, *bell) *$" doc:"How you are notified of messages for you and of what needs you: bell, desktop, both separated by a comma, or none; both unless set."`
	QuietHours    string `yaml:"quiet_hours" pattern:"^ *([01]?[0-9]|2[0-3]):[0-5][0-9] *- *(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00) *$" doc:"When you are not notified, such as 22:00-07:00; never unless set."`
	Mouse         bool   `yaml:"mouse" doc:"Let the wheel scroll and clicks choose; hold shift to select text."`
	ReducedMotion bool   `yaml:"reduced_motion" doc:"Update once a second at most, without curves and without a blinking cursor."`
}

// Override applies the environment's PARLEY_SCREEN_KEY variables.
func (s *ScreenSettings) Override(env Environ) error {
	for _, key := range setting.Names(reflect.TypeFor[ScreenSettings]()) {
		name := "PARLEY_SCREEN_" + strings.ToUpper(key)
		text := env.Get(name)
		if text == "" {
			continue
		}
		if err := setting.Set(s, key, text); err != nil {
			return parley.Errorf(parley.InvalidArgument, "%s is %q", name, parley.CleanLine(text)).
				With("setting", key).
				Suggest("Give true or false.")
		}
	}

	return s.check("the environment")
}

// check refuses what Notification refuses.
func (s *ScreenSettings) check(source string) error {
	_, err := s.Notification(source)
	return err
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
