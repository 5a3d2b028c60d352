package daemon

import (
	"reflect"
	"strings"

	"parley"
	"parley/internal/setting"
	"parley/plain"
	"parley/tmux"
)

// AttachSettings are the settings of terminals to which a person attaches, on parley's own tmux
// server. PARLEY_ATTACH_NAME in the environment overrides each.
type AttachSettings struct {
	Mouse       bool   `yaml:"mouse" default:"true" doc:"Let the wheel scroll and dragging select; hold shift to select as your terminal does."`
	Keys        bool   `yaml:"keys" default:"true" doc:"Let Shift+Enter make a new line, and Ctrl and Alt reach the program with any key."`
	Clipboard   string `yaml:"clipboard" default:"selection" enum:"programs,selection,none" doc:"What may fill your clipboard: only what you select, also the programs, or nothing."`
	History     int    `yaml:"history" default:"10000" min:"100" max:"1000000" doc:"How many lines that scroll off each of the first 20 terminals keeps; later ones keep 1000."`
	Status      bool   `yaml:"status" default:"true" doc:"Show a last line with the agent's name, its state and what waits for it."`
	NextKey     string `yaml:"next_key" default:"F9" doc:"The key that shows the next agent, such as F9 or M-Right; none for no key."`
	PreviousKey string `yaml:"previous_key" default:"F8" doc:"The key that shows the previous agent; none for no key."`
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
