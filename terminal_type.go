package parley

import (
	"regexp"
	"strings"
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
	if r.Text = cleanKeys(r.Text); strings.ContainsAny(r.Text, "\n\t") {
		return Errorf(InvalidArgument, "the text has several lines, or a tab").With("parameter", "text").
			Suggest("Send a long text as a message, and press Enter and Tab as keys.")
	}
	for _, key := range r.Keys {
		if !typedKey.MatchString(key) {
			return Errorf(InvalidArgument, "%q is not a key that can be pressed", CleanLine(Truncate(key, 20))).
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
