package httpapi

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"parley"
)

// liveHeap is what the last garbage collection kept: it grows only if something is kept for ever.
var liveHeap = collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/gc/heap/live:bytes$`)}

func newRequests(version string) *requests {
	total := prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "parley_http_requests_total", Help: "HTTP requests by operation and status."},
		[]string{"operation", "status"},
	)
	m := &requests{prometheus.NewRegistry(), total}
	build := prometheus.NewGauge(
		prometheus.GaugeOpts{Name: "parley_build_info", Help: "The version that runs; always 1.",
			ConstLabels: prometheus.Labels{"version": version}},
	)

	build.Set(1)
	m.registry.MustRegister(
		m.total, build, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(liveHeap)),
	)

	return m
}

// countRequests counts each request when its status is known, so that a stream counts
// while it runs.
func (a *api) countRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &tally{ResponseWriter: w, total: a.requests.total, operation: a.nameOf(r)}
		next.ServeHTTP(t, r)
		t.count(http.StatusOK)
	})
}

// nameOf returns the name under which a request counts. There are few names: those of the
// operations and the pages.
func (a *api) nameOf(r *http.Request) string {
	if page, ok := a.pages[r.URL.Path]; ok {
		return page.name
	}
	if isPagePath(r.URL.Path) {
		return "page"
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

// WriteHeader counts the final status. Informational statuses come before it.
func (t *tally) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		t.count(status)
	}
	t.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (t *tally) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Flush is for handlers that do not use http.ResponseController.
func (t *tally) Flush() { _ = t.FlushError() }

// FlushError is for http.ResponseController.
func (t *tally) FlushError() error { return http.NewResponseController(t.ResponseWriter).Flush() }

// serveMetrics answers every caller with a key, and the operator: the numbers of all
// agents are no secret within the team.
func (a *api) serveMetrics(w http.ResponseWriter, r *http.Request) {
	caller, err := a.callers.identify(r, nil)
	if err == nil && caller.Nobody() {
		err = noCredential("/metrics")
	}

	if err != nil {
		a.fail(w, r, err)
		return
	}

	workspace := workspaceMetrics{a.Service, a.Totals}
	now, err := workspace.scrape(parley.WithCaller(r.Context(), caller))
	if err != nil {
		a.fail(w, r, err)
		return
	}

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(now)
	promhttp.HandlerFor(prometheus.Gatherers{a.requests.registry, registry}, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}
