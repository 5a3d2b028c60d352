package daemon

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/tui"
)

// ScreenSettings are the screen's. Of the key notify, the environment's
// PARLEY_SCREEN_NOTIFY is made by itself: what one likes is one's own, not the team's.
type ScreenSettings struct {
	Notify        string `yaml:"notify" doc:"How you are told of what comes for you and of what needs you: bell, desktop, both separated by a comma, or none; both unless set."`
	QuietHours    string `yaml:"quiet_hours" doc:"When you are not told, such as 22:00-07:00; never unless set."`
	Mouse         bool   `yaml:"mouse" doc:"Let the wheel scroll and clicks choose; hold shift then to select text: true or false."`
	ReducedMotion bool   `yaml:"reduced_motion" doc:"Show news once a second at most, and neither curves nor a blinking cursor: true or false."`
}

// overrideFrom applies the environment's PARLEY_SCREEN_KEY variables.
func (s *ScreenSettings) Override(env Environ) error {
	v := reflect.ValueOf(s).Elem()
	for i, key := range keysOf(v.Type()) {
		name := "PARLEY_SCREEN_" + strings.ToUpper(key)
		text := env.Get(name)
		if text == "" {
			continue
		}

		if v.Field(i).Kind() == reflect.String {
			v.Field(i).SetString(text)
			continue
		}

		on, err := strconv.ParseBool(text)
		if err != nil {
			return parley.Errorf(parley.InvalidArgument, "%s is %q", name, parley.CleanLine(text)).
				With("setting", key).
				Suggest("Give true or false.")
		}

		v.Field(i).SetBool(on)
	}

	return s.check("the environment")
}

// check refuses what notify refuses; source says whose it is.
func (s *ScreenSettings) check(source string) error {
	_, err := s.Notice(source)
	return err
}

// Notice is how and when the operator is told.
func (s *ScreenSettings) Notice(source string) (n tui.Notify, err error) {
	refuse := func(key, value, instead string) error {
		return parley.Errorf(parley.InvalidArgument, "%s: %s is %q", source, key, parley.CleanLine(value)).
			With("setting", key).
			Suggest("Give %s.", instead)
	}

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
			return n, refuse("notify", s.Notify, "bell, desktop, both with a comma between them, or none")
		}
	}

	if s.QuietHours == "" {
		return n, nil
	}

	from, to, ok := strings.Cut(s.QuietHours, "-")
	begin, err1 := timeOfDay(from)
	end, err2 := timeOfDay(to)
	if strings.TrimSpace(to) == "24:00" {
		end, err2 = 24*time.Hour, nil
	}
	if !ok || err1 != nil || err2 != nil {
		return n, refuse("quiet_hours", s.QuietHours, "two times of day, such as 22:00-07:00")
	}

	n.Quiet = tui.QuietHours{From: begin, To: end}

	return n, nil
}

// timeOfDay is how long after midnight a time is, such as 7:30.
func timeOfDay(text string) (time.Duration, error) {
	at, err := time.Parse("15:04", strings.Trim(text, " "))
	return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute, err
}
