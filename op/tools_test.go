package op

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"parley"
)

func toolNames(c parley.Caller) []string {
	var names []string
	for _, t := range Tools(c) {
		names = append(names, t.Function.Name)
	}
	return names
}

func TestToolsAreThoseThatTheCallerMayUse(t *testing.T) {
	if got := toolNames(parley.Caller{}); !slices.Equal(got, []string{"register_agent"}) {
		t.Errorf("nobody in particular is offered %v", got)
	}

	agent := toolNames(parley.Caller{ID: "a", Name: "coder"})
	lead := toolNames(parley.Caller{ID: "a", Name: "lead", Orchestrate: true})
	operator := toolNames(parley.Caller{ID: "o", Name: parley.OperatorName, Operator: true})
	for _, c := range []struct {
		name                   string
		agent, lead, operators bool
	}{
		{"send_message", true, true, true}, {"launch_agent", false, true, true},
		{"shut_down", false, false, false}, {"read_events", false, false, false}, {"report_state", false, false, false},
	} {
		got := []bool{slices.Contains(agent, c.name), slices.Contains(lead, c.name), slices.Contains(operator, c.name)}
		if want := []bool{c.agent, c.lead, c.operators}; !slices.Equal(got, want) {
			t.Errorf("%s is offered to agent, lead and operator: %v, want %v", c.name, got, want)
		}
	}
}

// The limits are those of the chat interfaces that take such definitions.
func TestToolsAreFunctionDefinitions(t *testing.T) {
	name := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	for _, tool := range Tools(parley.Caller{ID: "o", Operator: true}) {
		f := tool.Function
		if tool.Type != "function" || !name.MatchString(f.Name) || f.Description == "" || len(f.Description) > 1024 {
			t.Errorf("%+v is no function definition", tool)
		}

		var parameters struct {
			Type       string         `json:"type"`
			Properties map[string]any `json:"properties"`
		}

		if err := json.Unmarshal(f.Parameters, &parameters); err != nil || parameters.Type != "object" ||
			parameters.Properties == nil {
			t.Errorf("%s has the parameters %s (%v)", f.Name, f.Parameters, err)
		}
	}

	if got, want := string(Find("get_workspace_status").parameters()), `{"type":"object","properties":{}}`; got != want {
		t.Errorf("without parameters: got %s, want %s", got, want)
	}
}
