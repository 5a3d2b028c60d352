package setting

import (
	"reflect"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

type limits struct {
	Count int           `yaml:"count" default:"3" min:"1" max:"9" doc:"How many."`
	After time.Duration `yaml:"after" default:"10m" min:"1s" doc:"When."`
	Watch time.Duration `yaml:"-" default:"1s"`
}

type all struct {
	limits `yaml:",inline"`
	Mode   string `yaml:"mode" default:"full" enum:"full,short" doc:"Which."`
	On     bool   `yaml:"on" doc:"Whether."`
	Where  string `yaml:"where" default:"127.0.0.1" format:"ip" doc:"Where."`
	Names  string `yaml:"names" doc:"Who."`
}

func TestFillKeepsWhatIsSet(t *testing.T) {
	got := all{limits: limits{Count: 5}}
	Fill(&got)
	want := all{limits{5, 10 * time.Minute, time.Second}, "full", false, "127.0.0.1", ""}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNamesAreThoseOfTheFile(t *testing.T) {
	got, want := Names(reflect.TypeFor[all]()), []string{"count", "after", "mode", "on", "where", "names"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCheckRefusesWhatIsOutOfBounds(t *testing.T) {
	for _, test := range []struct{ name, text, message, action string }{
		{"count", "0", "here: count is 0", "Give a number from 1 to 9, such as 3."},
		{"count", "10", "here: count is 10", "Give a number from 1 to 9, such as 3."},
		{"after", "999ms", "here: after is 999ms", "Give a duration of at least 1s, such as 10m."},
		{"mode", "tiny", "here: mode is tiny", "Give full or short."},
		{"where", "localhost", "here: where is localhost",
			"Give an IP address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them."},
		{"count", "9", "", ""},
		{"after", "1s", "", ""},
		{"mode", "short", "", ""},
		{"where", "::1", "", ""},
		{"names", "anything", "", ""},
	} {
		var s all
		Fill(&s)
		must.Do(t, Set(&s, test.name, test.text))

		err := Check(s, "here")
		if test.message == "" {
			if err != nil {
				t.Errorf("%s %s: got %v, want no error", test.name, test.text, err)
			}
			continue
		}

		e := parley.AsError(err)
		if e.Message != test.message || e.Action != test.action || e.Code != parley.InvalidArgument {
			t.Errorf("%s %s: got %s %q, %q, want %q, %q", test.name, test.text, e.Code, e.Message, e.Action,
				test.message, test.action)
		}
	}
}

func TestDescriptionHasBoundsAndDefault(t *testing.T) {
	for name, want := range map[string]string{
		"count": "How many (1–9; default 3).",
		"after": "When (from 1s; default 10m).",
		"mode":  "Which (full, short; default full).",
		"on":    "Whether.",
		"where": "Where (default 127.0.0.1).",
		"names": "Who.",
	} {
		if got := Find(reflect.TypeFor[all](), name).Description(); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
