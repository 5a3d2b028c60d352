package orchestrator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// chooser is a program whose list no profile knows. It writes each key that it reads into a file. Enter ends
// the list, and so does x; then its composer is open.
const chooser = `stty raw -echo; m=0
draw() {
	printf '\033[2J\033[HPick one of these\r\n'
	for i in 0 1 2; do [ $i = $m ] && printf '* ' || printf '  '; printf 'item %d\r\n' $i; done
}
draw
while IFS= read -rsn1 key; do
	case "$key" in
	B) m=$((m+1)); echo Down >>"$0"; draw ;;
	x) echo x >>"$0"; printf '\033[2J\033[Hcomposer>' ;;
	'') echo "Enter $m" >>"$0"; printf '\033[2J\033[Hcomposer>' ;;
	esac
done`

// chooses launches the chooser, and returns the file of its keys, and the id of its screen.
func (te *testTeam) chooses() (file, screen string) {
	te.t.Helper()
	file = filepath.Join(te.t.TempDir(), "keys")
	must.Have(op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{
		Name: "coder", Profile: "framed", Command: []string{"bash", "-c", chooser, file},
	}))(te.t)
	tmuxtest.WaitFor(te.t, te.pane("coder"), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "item 2") })

	tmuxtest.Poll(te.t, func() bool {
		res := must.Have(op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "coder"}))(te.t)
		screen = res.ScreenID
		return screen != "" && res.Dialog == nil
	}, func() string { return "its screen takes no keys" })
	return file, screen
}

func keysIn(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })
}

// wantTold fails unless a refusal says exactly which keys went in.
func wantTold(t *testing.T, err error, file string) {
	t.Helper()
	want := "nothing was sent"
	if keys := keysIn(t, file); len(keys) > 0 {
		want = "only " + strings.Join(keys, ", ") + " was sent"
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want that %s", err, want)
	}
}

func TestUnknownScreenTakesKeysWhileItIsTheSame(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	file, screen := te.chooses()
	press := func(screen string, keys ...string) (*parley.AnswerDialogResult, error) {
		return op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "coder", Dialog: screen,
			Keys: keys})
	}

	if _, err := press("00000000", "Enter"); parley.ErrorCode(err) != parley.DialogChanged {
		t.Errorf("keys for another screen: got %v, want %s", err, parley.DialogChanged)
	} else {
		wantTold(t, err, file)
	}
	if got := keysIn(t, file); len(got) > 0 {
		t.Errorf("it was sent %q, want nothing", got)
	}

	res := must.Have(press(screen, "Down", "Down", "Enter"))(t)
	if want := []string{"Down", "Down", "Enter 2"}; !slices.Equal(keysIn(t, file), want) ||
		res.Answered != "Down, Down, Enter" {
		t.Errorf("it was sent %q, and the answer is %+v, want %q", keysIn(t, file), res, want)
	}
	if _, err := press(res.ScreenID, "Enter"); err == nil {
		t.Error("an open composer took a key")
	}
}

// The second key is for what the first one shows, and not for what opens meanwhile.
func TestKeysStopWhereTheScreenBecomesAnother(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	file, screen := te.chooses()
	_, err := op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "coder", Dialog: screen,
		Keys: []string{"x", "Enter"}})
	if parley.ErrorCode(err) != parley.DialogChanged {
		t.Errorf("got %v, want %s", err, parley.DialogChanged)
	}
	wantTold(t, err, file)
	if got := keysIn(t, file); !slices.Equal(got, []string{"x"}) {
		t.Errorf("it was sent %q, want x", got)
	}
}

// Two who answer the same at once: what the second one would press is for a screen that the first one closes.
func TestOfTwoAnswersAtOnceOneIsGiven(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	file, screen := te.chooses()

	var all sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		all.Go(func() {
			_, errs[i] = op.AnswerDialog.Call(te.operator(), te,
				parley.AnswerDialogRequest{Agent: "coder", Dialog: screen, Keys: []string{"Down", "Enter"}})
		})
	}
	all.Wait()

	refused := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if refused < 0 || errs[1-refused] != nil {
		t.Errorf("got %v, want one refusal", errs)
	}
	if got := keysIn(t, file); !slices.Equal(got, []string{"Down", "Enter 1"}) {
		t.Errorf("it was sent %q, want one answer", got)
	}
}
