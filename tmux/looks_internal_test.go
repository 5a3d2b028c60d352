package tmux

import (
	"context"
	"reflect"
	"testing"
	"time"

	"parley/internal/must"
)

// obedient is a pane that takes all that is typed and notes the pauses.
type obedient struct{ pauses []time.Duration }

func (o *obedient) Target() (string, bool)                                { return "%1", false }
func (o *obedient) Info(context.Context) (PaneInfo, error)                { return PaneInfo{}, nil }
func (o *obedient) Screen(context.Context, ScreenOptions) (Screen, error) { return Screen{}, nil }
func (o *obedient) Load(string) (Buffer, error)                           { return Buffer{}, nil }
func (o *obedient) Run(context.Context, func(string) string) (string, error) {
	return "yes", nil
}

func (o *obedient) Pause(_ context.Context, d time.Duration) error {
	o.pauses = append(o.pauses, d)
	return nil
}

func TestLooksComeCloseTogetherUntilTheKey(t *testing.T) {
	pane := &obedient{}
	looks := 0
	out := must.Have(Submit(t.Context(), pane,
		Submission{Owner: "parley", Seq: 1, Text: "hello", Next: func(m Moment) Step {
			looks++
			switch {
			case m.Phase == Unknown:
				return Step{Do: Paste}
			case looks == 9:
				return Step{Do: Wait, For: 3 * time.Millisecond}
			case looks == 10:
				return Step{Do: Press}
			case looks == 13:
				return Step{Do: Done}
			}
			return Step{Do: Wait}
		}}))(t)

	want := []time.Duration{2, 4, 8, 16, 32, 50, 50, 3, 50, 50}
	for i := range want {
		want[i] *= time.Millisecond
	}
	if out.Phase != Taken || !reflect.DeepEqual(pane.pauses, want) {
		t.Errorf("phase %s after the pauses %v, want %v", out.Phase, pane.pauses, want)
	}
}
