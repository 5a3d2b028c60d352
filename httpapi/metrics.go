package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"parley"
)

// requests are the metrics that live between two scrapes.
type requests struct {
	registry *prometheus.Registry
	total    *prometheus.CounterVec
}

func newRequests(version string) *requests {
	m := &requests{prometheus.NewRegistry(), prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "parley_http_requests_total", Help: "HTTP requests by operation and status."}, []string{"operation", "status"})}
	build := prometheus.NewGauge(
		prometheus.GaugeOpts{Name: "parley_build_info", Help: "The version that runs; always 1.",
			ConstLabels: prometheus.Labels{"version": version}},
	)

	build.Set(1)
	m.registry.MustRegister(
		m.total,
		build,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)

	return m
}

// counted counts each request when its status is known, so that a stream counts
// while it runs.
func (a *api) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &tally{ResponseWriter: w, total: a.requests.total, operation: a.nameOf(r)}
		next.ServeHTTP(t, r)
		t.count(http.StatusOK)
	})
}

// nameOf is what a request counts as. Names are few: those of the table and of the
// daemon's own pages.
func (a *api) nameOf(r *http.Request) string {
	if page, ok := a.pages[r.URL.Path]; ok {
		return page.name
	}
	if r.URL.Path == "/mcp" {
		return "mcp"
	}
	if r.URL.Path == filesPath || strings.HasPrefix(r.URL.Path, filesPath+"/") {
		return "files"
	}

	for _, op := range a.routes[r.URL.Path] {
		return op.Name // a path has one operation, whatever the method
	}

	return "unknown"
}

// tally is a writer that counts its request once.
type tally struct {
	http.ResponseWriter
	total     *prometheus.CounterVec
	operation string
	done      bool
}

func (t *tally) count(status int) {
	if !t.done {
		t.done = true
		t.total.WithLabelValues(t.operation, strconv.Itoa(status)).Inc()
	}
}

// WriteHeader counts the final status; those before it are hints.
func (t *tally) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		t.count(status)
	}
	t.ResponseWriter.WriteHeader(status)
}

// Unwrap gives http.ResponseController what it needs.
func (t *tally) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Flush is for those who do not use http.ResponseController.
func (t *tally) Flush() { _ = t.FlushError() }

// FlushError is for those who do.
func (t *tally) FlushError() error { return http.NewResponseController(t.ResponseWriter).Flush() }

// serveMetrics answers whoever has a key, and the operator: numbers of all agents
// are no secret within the team.
func (a *api) serveMetrics(w http.ResponseWriter, r *http.Request) {
	caller, err := a.identify(r, nil)
	if err == nil && caller.Nobody() {
		err = noCredential("/metrics")
	}

	if err != nil {
		a.fail(w, r, err)
		return
	}

	now, err := a.numbers(r.WithContext(parley.WithCaller(r.Context(), caller)))
	if err != nil {
		a.fail(w, r, err)
		return
	}

	scrape := prometheus.NewPedanticRegistry()
	scrape.MustRegister(now)
	promhttp.HandlerFor(prometheus.Gatherers{a.requests.registry, scrape}, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// numbers are the metrics of one scrape.
type numbers []prometheus.Metric

// Describe names each metric once.
func (n numbers) Describe(out chan<- *prometheus.Desc) {
	for _, m := range n {
		out <- m.Desc()
	}
}

// Collect gives them.
func (n numbers) Collect(out chan<- prometheus.Metric) {
	for _, m := range n {
		out <- m
	}
}

func (a *api) numbers(r *http.Request) (numbers, error) {
	status, err := a.Service.GetWorkspaceStatus(r.Context(), parley.WorkspaceStatusRequest{})
	if err != nil {
		return nil, err
	}

	var n numbers
	n.add(
		prometheus.GaugeValue,
		"parley_uptime_seconds",
		"How long the daemon has run.",
		time.Since(status.StartedAt).Seconds(),
	)

	n.add(prometheus.CounterValue, "parley_events_total", "Events in the record.", float64(status.LastEvent))
	n.add(
		prometheus.GaugeValue,
		"parley_needs",
		"What wants the operator, as get_needs lists it.",
		float64(status.Needs),
	)

	paused := 0.0
	if status.Paused != nil {
		paused = 1
	}

	n.add(prometheus.GaugeValue, "parley_communication_paused", "1 while communication is paused.", paused)
	n.byState("parley_agents", "Agents by state.", agentStates, status.Agents)
	if err := a.addModels(r, &n); err != nil {
		return nil, err
	}

	queued := 0
	for _, state := range queueStates {
		queued += status.Deliveries[state]
	}

	n.add(
		prometheus.GaugeValue,
		"parley_queue_depth",
		"Deliveries that wait for a terminal, or are being typed.",
		float64(queued),
	)

	if a.Totals == nil {
		n.byState("parley_deliveries", "Deliveries by state.", deliveryStates, status.Deliveries)
		return n, nil
	}

	totals, err := a.Totals(r.Context())
	if err != nil {
		return nil, err
	}

	rest := int(totals.Deliveries)
	for _, state := range deliveryStates {
		rest -= status.Deliveries[state]
	}

	deliveries := map[string]int{"delivered": max(rest, 0)}
	for state, count := range status.Deliveries {
		deliveries[state] = count
	}

	n.byState(
		"parley_deliveries",
		"Deliveries by state; delivered is submitted or read.",
		append([]string{"delivered"}, deliveryStates...),
		deliveries,
	)

	n.add(
		prometheus.CounterValue,
		"parley_messages_accepted_total",
		"Messages accepted since the workspace began.",
		float64(totals.Messages),
	)

	return n, nil
}

func (n *numbers) add(typ prometheus.ValueType, name, help string, value float64) {
	*n = append(*n, prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, nil, nil), typ, value))
}

// byState also gives the states in which there is nothing: a series that comes and
// goes cannot be reckoned with.
func (n *numbers) byState(name, help string, states []string, counts map[string]int) {
	desc := prometheus.NewDesc(name, help, []string{"state"}, nil)
	for _, state := range states {
		*n = append(*n, prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(counts[state]), state))
	}
}

var (
	agentStates = []string{
		string(parley.StateStarting),
		string(parley.StateIdle),
		string(parley.StateBusy),
		string(parley.StateWaiting),
		string(
			parley.StateDrafting,
		),
		string(parley.StateBlocked),
		string(parley.StateUnknown),
		string(parley.StateExited),
		string(parley.StateUnreachable),
		string(parley.StateTerminated),
	}
	queueStates    = []string{string(parley.DeliveryQueued), string(parley.DeliveryHeld), string(parley.DeliveryTyping)}
	deliveryStates = append(
		queueStates[:3:3],
		string(parley.DeliveryFailed),
		string(parley.DeliveryUnconfirmed),
		string(parley.DeliveryExpired),
	)
)

// addModels adds what responders' models took since the workspace began.
func (a *api) addModels(r *http.Request, n *numbers) error {
	usage, err := a.Service.Usage(r.Context(), parley.UsageRequest{})
	if err != nil {
		return err
	}

	calls := prometheus.NewDesc(
		"parley_model_calls_total",
		"Calls to responders' models by what came of them.",
		[]string{"agent", "outcome"},
		nil,
	)

	tokens := prometheus.NewDesc(
		"parley_model_tokens_total",
		"Tokens that responders' models read and wrote.",
		[]string{"agent", "direction"},
		nil,
	)

	seconds := prometheus.NewDesc(
		"parley_model_seconds_total",
		"How long responders' models took.",
		[]string{"agent"},
		nil,
	)

	for _, u := range usage.Agents {
		*n = append(
			*n,
			prometheus.MustNewConstMetric(calls, prometheus.CounterValue, float64(u.Answered), u.Agent, "answered"),
			prometheus.MustNewConstMetric(tokens, prometheus.CounterValue, float64(u.InputTokens), u.Agent, "in"),
			prometheus.MustNewConstMetric(tokens, prometheus.CounterValue, float64(u.OutputTokens), u.Agent, "out"),
			prometheus.MustNewConstMetric(seconds, prometheus.CounterValue, float64(u.LatencyMS)/1000, u.Agent),
		)

		for reason, count := range u.Failures {
			*n = append(
				*n,
				prometheus.MustNewConstMetric(calls, prometheus.CounterValue, float64(count), u.Agent, reason),
			)
		}
	}

	return nil
}
