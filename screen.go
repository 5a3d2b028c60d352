package parley

import (
	"regexp"
	"strings"

	"parley/plain"
)

// TypeInTerminalRequest types into an agent's terminal for a person who looks at it elsewhere, such as in a browser.
type TypeInTerminalRequest struct {
	Agent string   `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Text  string   `json:"text,omitempty" doc:"What is typed: one line, without the Enter." max:"2000"`
	Keys  []string `json:"keys,omitempty" doc:"Keys that are pressed after the text, by tmux's names, such as Enter, Up or C-c." max:"32"`
}

// typedKey matches the keys of a keyboard by tmux's names: they become words of a command.
var typedKey = regexp.MustCompile(`^(?:(?:[CMS]-){0,3}(?:Enter|Escape|Space|Tab|BTab|BSpace|Up|Down|Left|Right|Home|End|` +
	`PageUp|PageDown|IC|DC|F[1-9]|F1[0-2])|[CM]-[a-z0-9])$`)

// Validate cleans the text of what is no key, and checks that it is one line and that the keys are some of a keyboard.
func (r *TypeInTerminalRequest) Validate() error {
	if r.Text = plain.CleanKeys(r.Text); strings.ContainsAny(r.Text, "\n\t") {
		return Errorf(InvalidArgument, "the text has several lines, or a tab").With("parameter", "text").
			Suggest("Send a long text as a message, and press Enter and Tab as keys.")
	}
	for _, key := range r.Keys {
		if !typedKey.MatchString(key) {
			return Errorf(InvalidArgument, "%q is not a key that can be pressed", plain.CleanLine(plain.Truncate(key,
				20))).
				With("parameter", "keys").Suggest("Name keys as tmux does, such as Enter, Up, C-c or F5.")
		}
	}
	if r.Text == "" && len(r.Keys) == 0 {
		return Errorf(InvalidArgument, "there is nothing to type").With("parameter", "text").
			Suggest("Give a text, or keys.")
	}
	return nil
}

// TypeInTerminalResult says that everything was typed.
type TypeInTerminalResult struct {
	Answer
	AgentID string `json:"agent_id"`
	Name    string `json:"name"`
}

// ruleCharacters are those that lines are drawn with. A line of nothing else carries no text.
const ruleCharacters = " ─━═╌╍┄┅┈┉-=_"

// deadPane begins tmux's own line below what a program that has ended left on its screen.
const deadPane = "Pane is dead ("

// ScreenLine returns a line of a program's screen as it is quoted to people: clean, and with spaces in place of what
// is only drawn, such as spinners of braille dots, pictures and bars of blocks.
func ScreenLine(line string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r == '\t' || r >= 0x2580 && r <= 0x259f || r >= 0x2800 && r <= 0x28ff {
			return ' '
		}
		return r
	}, plain.Clean(line)), " ")
}

// ScreenEnd returns the last n lines of a screen that carry text, as they are quoted.
func ScreenEnd(lines []string, n int) []string {
	end := []string{}
	for _, line := range lines {
		if line = ScreenLine(line); strings.Trim(line, ruleCharacters) != "" && !strings.HasPrefix(line, deadPane) {
			end = append(end, line)
		}
	}
	return end[max(0, len(end)-n):]
}
