package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"parley"
	"parley/internal/must"
)

func TestHealthSaysWhetherTheDaemonCanWork(t *testing.T) {
	var ill error
	o := options(&stub{})
	o.Version = "1.2.3"
	o.Health = func(context.Context) error { return ill }
	d := serve(t, New(o))
	got := d.ask("GET", "/healthz", "")
	if got.status != http.StatusOK || got.body["status"] != "ok" || got.body["version"] != "1.2.3" ||
		len(got.body) != 4 {
		t.Errorf("got %+v", got)
	}

	for code, err := range map[parley.Code]error{
		parley.TmuxUnavailable:    parley.Errorf(parley.TmuxUnavailable, "no server at /secret/place"),
		parley.StorageUnavailable: errors.New("/secret/place/parley.db: disk I/O error"),
	} {
		ill = err
		got := d.ask("GET", "/healthz", "")
		d.expect(string(code), got, http.StatusServiceUnavailable, code)
		if message, _ := got.body["error_message"].(string); got.body["status"] != "unavailable" ||
			strings.Contains(message, "secret") {
			t.Errorf("%s: got %v", code, got.body)
		}
	}
}

func TestHealthHasADeadline(t *testing.T) {
	t.Parallel()
	o := options(&stub{})
	o.Health = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	a := newAPI(o)
	a.healthWait = 50 * time.Millisecond
	d := serve(t, a.handler())
	d.expect(
		"a database that hangs", d.ask("GET", "/healthz", ""), http.StatusServiceUnavailable, parley.StorageUnavailable,
	)
}

func TestPagesAllowOnlyReading(t *testing.T) {
	d := serve(t, New(options(&stub{})))
	for _, path := range []string{"/healthz", "/metrics", "/openapi.json", "/api/tools"} {
		got := d.ask("POST", path, "{}", key)
		d.expect(path, got, http.StatusMethodNotAllowed, parley.InvalidArgument)
		if got.header.Get("Allow") != "GET" {
			t.Errorf("%s allows %q", path, got.header.Get("Allow"))
		}
	}
}

func TestToolsAreListedForTheCaller(t *testing.T) {
	d := serve(t, New(options(&stub{})))
	d.expect("nobody", d.ask("GET", "/api/tools", ""), http.StatusUnauthorized, parley.Unauthenticated)
	names := func(a answer) string {
		d.expect("tools", a, http.StatusOK, "")
		var all []string
		for _, tool := range a.body["tools"].([]any) {
			f := tool.(map[string]any)
			if f["type"] != "function" {
				t.Errorf("a tool is %v", tool)
			}
			all = append(all, f["function"].(map[string]any)["name"].(string))
		}

		return strings.Join(all, " ")
	}

	if got := names(d.ask("GET", "/api/tools", "", key)); !strings.Contains(got, "send_message") ||
		strings.Contains(got, "launch_agent") {
		t.Errorf("an agent is offered %s", got)
	}

	if got := names(d.askUnix("GET", "/api/tools", "")); !strings.Contains(got, "launch_agent") ||
		strings.Contains(got, "shut_down") {
		t.Errorf("the operator is offered %s", got)
	}

	o := options(&stub{})
	o.Registration, o.SameUser = true, ownProcess
	if got := names(serve(t, New(o)).ask("GET", "/api/tools", "")); got != "register_agent" {
		t.Errorf("a stranger is offered %s", got)
	}
}

// metrics scrapes, and holds the text against the format and its conventions.
func metrics(t *testing.T, d *daemon) map[string]float64 {
	t.Helper()
	req := must.Have(http.NewRequest("GET", d.tcp+"/metrics", nil))(t)

	req.Header.Set("X-API-Key", "coders-key")
	resp := must.Have(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()

	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("got %s, %s, %v:\n%s", resp.Status, resp.Header.Get("Content-Type"), err, b)
	}

	problems, err := promlint.New(strings.NewReader(string(b))).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("the text is not by the conventions: %v, %v", problems, err)
	}

	parser := expfmt.NewTextParser(model.LegacyValidation)
	families := must.Have(parser.TextToMetricFamilies(strings.NewReader(string(b))))(t)

	values := map[string]float64{}
	for name, family := range families {
		for _, m := range family.Metric {
			key := name
			for _, label := range m.Label {
				key += " " + label.GetValue()
			}
			values[key] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}

	return values
}

func TestMetrics(t *testing.T) {
	s := record()
	s.status = &parley.WorkspaceStatusResult{StartedAt: time.Now().Add(-time.Minute), LastEvent: 42, Needs: 2,
		Agents: map[string]int{"idle": 3}, Deliveries: map[string]int{"queued": 4, "held": 1, "failed": 2},
		Reasons: map[parley.DeliveryState]map[parley.ReasonCode]int{parley.DeliveryHeld: {parley.HoldDraft: 1}}}
	o := options(s)
	o.Version = "1.2.3"
	o.Totals = func(context.Context) (Totals, error) { return Totals{Messages: 10, Deliveries: 20}, nil }
	d := serve(t, New(o))
	d.ask("POST", "/api/check_inbox", "", key)
	d.ask("GET", "/api/inbox/check", "", key)
	d.ask("POST", "/api/check_inbox", "{")
	d.ask("GET", "/nowhere/\xff", "")
	d.socket("/api/events")
	got := metrics(t, d)
	for name, want := range map[string]float64{
		"parley_messages_accepted_total":             10,
		"parley_events_total":                        42,
		"parley_queue_depth":                         5,
		"parley_needs":                               2,
		"parley_deliveries delivered":                13,
		"parley_deliveries queued":                   4,
		"parley_deliveries failed":                   2,
		"parley_deliveries expired":                  0,
		"parley_agents idle":                         3,
		"parley_agents busy":                         0,
		"parley_build_info 1.2.3":                    1,
		"parley_communication_paused":                0,
		"parley_deliveries_by_reason draft held":     1,
		"parley_http_requests_total check_inbox 200": 2,
		"parley_http_requests_total check_inbox 401": 1,
		"parley_http_requests_total unknown 404":     1,
		"parley_http_requests_total read_events 101": 1,
		"parley_program_tokens_total coder output m": 9,
		"parley_program_cost_total coder m":          0.75,
		"parley_budget_used_ratio coder":             1.25,
		"parley_budget_used_ratio ":                  0.03,
	} {
		if value, ok := got[name]; !ok || value != want {
			t.Errorf("%s is %v (%v), want %v", name, value, ok, want)
		}
	}

	if _, priced := got["parley_program_cost_total coder free"]; priced {
		t.Error("a model without a price has a cost")
	}
	if up := got["parley_uptime_seconds"]; up < 60 {
		t.Errorf("it has run for %v seconds, want 60 at least", up)
	}

	d.expect("nobody", d.ask("GET", "/metrics", ""), http.StatusUnauthorized, parley.Unauthenticated)
	d.expect("a wrong key", d.ask("GET", "/metrics", "", "X-API-Key: wrong"), http.StatusUnauthorized,
		parley.Unauthenticated)
}
