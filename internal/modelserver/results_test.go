package modelserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/modelserver"
	"parley/internal/must"
)

func TestToolResultsAreKept(t *testing.T) {
	for path, body := range map[string]string{
		"/v1/messages": `{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use"}]},
			{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"the \"result\""}]}]}],"tools":[{"name":"shell"}]}`,
		"/v1/responses": `{"input":[{"role":"user","content":"go"},{"type":"function_call"},
			{"type":"function_call_output","output":"the \"result\""}],"tools":[{"type":"function","name":"shell"}]}`,
		"/v1/chat/completions": `{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null},
			{"role":"tool","content":"the \"result\""}],"tools":[{"function":{"name":"shell"}}]}`,
		"/v1beta/models/m:generateContent": `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{}}]},
			{"role":"user","parts":[{"functionResponse":{"response":{"output":"the \"result\""}}}]}],"tools":[{"functionDeclarations":[{"name":"shell"}]}]}`,
	} {
		t.Run(path, func(t *testing.T) {
			s := modelserver.Start()
			defer s.Close()

			res := must.Have(http.Post(s.URL+path, "application/json", strings.NewReader(body)))(t)
			defer res.Body.Close()

			if got := strings.ReplaceAll(strings.Join(s.Results(), "|"), `\"`, `"`); !strings.Contains(
				got,
				`the "result"`,
			) {
				t.Errorf("status %d: got %q", res.StatusCode, got)
			}

			if got := s.Prompts(); len(got) != 0 {
				t.Errorf("it counts as submitted: %q", got)
			}
		})
	}
}

func TestLogTellsWhenATurnBegan(t *testing.T) {
	inEach(t, func(t *testing.T, s *modelserver.Server, a api) {
		began := time.Now()
		ask(t, s, a, []string{"SLEEP 0.1"}, "shell")
		log := s.Log()
		if len(log) != 1 || log[0].Text != "SLEEP 0.1" || log[0].At.Before(began) ||
			time.Since(log[0].At) < 100*time.Millisecond {
			t.Errorf("got %v", log)
		}
	})
}
