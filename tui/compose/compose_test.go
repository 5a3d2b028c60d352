package compose

import (
	"strings"
	"testing"
)

func TestEditorComesFromTheEnvironment(t *testing.T) {
	for _, c := range []struct{ environ, want string }{
		{"EDITOR=nano", "nano"}, {"EDITOR=nano VISUAL=code", "code"}, {"EDITOR=emacs\x00-nw", "emacs -nw"},
		{"EDITOR=", "vi"}, {"", "vi"},
	} {
		var environ []string
		for _, e := range strings.Fields(c.environ) {
			environ = append(environ, strings.ReplaceAll(e, "\x00", " "))
		}
		if got := strings.Join(editor(environ), " "); got != c.want {
			t.Errorf("with %q the editor is %q, want %q", environ, got, c.want)
		}
	}
}
