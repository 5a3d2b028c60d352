package answer

import (
	"strings"
	"testing"

	"parley"
)

func TestModelCallsOnlyReadOnlyTools(t *testing.T) {
	rs := New(Options{})
	got := rs.runTool(t.Context(), nil, "stop_agent", `{"agent":"ada"}`)
	if !strings.Contains(got, string(parley.NotAuthorized)) {
		t.Errorf("stop_agent: got %s, want %s", got, parley.NotAuthorized)
	}
}
