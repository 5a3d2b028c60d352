package httpapi

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"parley"
	"parley/op"
)

// scrape holds the metrics of one scrape that are read from the service.
type scrape []prometheus.Metric

// Describe implements prometheus.Collector.
func (s scrape) Describe(out chan<- *prometheus.Desc) {
	for _, m := range s {
		out <- m.Desc()
	}
}

// Collect implements prometheus.Collector.
func (s scrape) Collect(out chan<- prometheus.Metric) {
	for _, m := range s {
		out <- m
	}
}

// workspaceMetrics reads the metrics of a workspace from its service.
type workspaceMetrics struct {
	service parley.Service
	totals  func(context.Context) (Totals, error)
}

// scrape reads the metrics of the workspace for the caller in ctx.
func (m *workspaceMetrics) scrape(ctx context.Context) (scrape, error) {
	status, err := op.GetWorkspaceStatus.Call(ctx, m.service, parley.WorkspaceStatusRequest{})
	if err != nil {
		return nil, err
	}

	var s scrape
	s.gauge("parley_uptime_seconds", "How long the daemon has run.", time.Since(status.StartedAt).Seconds())
	s.counter("parley_events_total", "Events in the record.", float64(status.LastEvent))
	s.gauge("parley_needs", "What needs the operator, as get_needs lists it.", float64(status.Needs))

	paused := 0.0
	if status.Paused != nil {
		paused = 1
	}

	s.gauge("parley_communication_paused", "1 while communication is paused.", paused)
	addStates(&s, "parley_agents", "Agents by state.", parley.AgentStates(), status.Agents)

	if err := m.addModels(ctx, &s); err != nil {
		return nil, err
	}
	if err := m.addDeliveries(ctx, &s, status); err != nil {
		return nil, err
	}

	return s, nil
}

// delivered is the label of the deliveries that have succeeded.
const delivered = "delivered"

// addDeliveries adds what is on its way and, where the totals are known, what has
// arrived.
func (m *workspaceMetrics) addDeliveries(ctx context.Context, s *scrape, status *parley.WorkspaceStatusResult) error {
	// The status counts the deliveries that have not succeeded.
	states := slices.DeleteFunc(parley.DeliveryStates(), parley.DeliveryState.Delivered)
	counts, queued, rest := map[string]int{}, 0, 0
	for _, state := range states {
		n := status.Deliveries[string(state)]
		counts[string(state)] = n
		rest += n
		if !state.Settled() {
			queued += n
		}
	}

	s.gauge("parley_queue_depth", "Deliveries that wait for a terminal, or are being typed.", float64(queued))
	addReasons(s, status.Reasons)

	if m.totals == nil {
		addStates(s, "parley_deliveries", "Deliveries by state.", states, counts)
		return nil
	}

	totals, err := m.totals(ctx)
	if err != nil {
		return err
	}

	// The two counts are read one after the other.
	counts[delivered] = max(int(totals.Deliveries)-rest, 0)
	states = append([]parley.DeliveryState{delivered}, states...)
	addStates(s, "parley_deliveries", "Deliveries by state; delivered is submitted or read.", states, counts)
	s.counter(
		"parley_messages_accepted_total", "Messages accepted since the workspace began.", float64(totals.Messages),
	)

	return nil
}

// addReasons adds why deliveries are held or unconfirmed. A code without deliveries has
// no series: there are too many codes.
func addReasons(s *scrape, reasons map[parley.DeliveryState]map[parley.ReasonCode]int) {
	desc := prometheus.NewDesc("parley_deliveries_by_reason",
		"Deliveries that are held or unconfirmed, by the code of the reason.", []string{"state", "reason"}, nil)
	for state, codes := range reasons {
		for code, count := range codes {
			s.add(desc, prometheus.GaugeValue, float64(count), string(state), string(code))
		}
	}
}

func (s *scrape) gauge(name, help string, value float64) {
	s.add(prometheus.NewDesc(name, help, nil, nil), prometheus.GaugeValue, value)
}

func (s *scrape) counter(name, help string, value float64) {
	s.add(prometheus.NewDesc(name, help, nil, nil), prometheus.CounterValue, value)
}

func (s *scrape) add(desc *prometheus.Desc, typ prometheus.ValueType, value float64, labels ...string) {
	*s = append(*s, prometheus.MustNewConstMetric(desc, typ, value, labels...))
}

// addStates adds a gauge with a series for each state, also for those in which there is
// nothing: an expression over a series that comes and goes has no result while it is away.
func addStates[State ~string](s *scrape, name, help string, states []State, counts map[string]int) {
	desc := prometheus.NewDesc(name, help, []string{"state"}, nil)
	for _, state := range states {
		s.add(desc, prometheus.GaugeValue, float64(counts[string(state)]), string(state))
	}
}

// addModels adds what the answers of responders have used since the workspace began.
func (m *workspaceMetrics) addModels(ctx context.Context, s *scrape) error {
	usage, err := op.Usage.Call(ctx, m.service, parley.UsageRequest{})
	if err != nil {
		return err
	}

	calls := prometheus.NewDesc(
		"parley_model_calls_total", "Calls to responders' models by outcome.", []string{"agent", "outcome"}, nil,
	)
	tokens := prometheus.NewDesc("parley_model_tokens_total", "Tokens that responders' models read and wrote.",
		[]string{"agent", "direction"}, nil)
	seconds := prometheus.NewDesc(
		"parley_model_seconds_total", "How long responders' models took.", []string{"agent"}, nil,
	)

	for _, u := range usage.Agents {
		s.add(calls, prometheus.CounterValue, float64(u.Answered), u.Agent, "answered")
		for reason, count := range u.Failures {
			s.add(calls, prometheus.CounterValue, float64(count), u.Agent, reason)
		}

		s.add(tokens, prometheus.CounterValue, float64(u.InputTokens), u.Agent, "in")
		s.add(tokens, prometheus.CounterValue, float64(u.OutputTokens), u.Agent, "out")
		s.add(seconds, prometheus.CounterValue, float64(u.LatencyMS)/1000, u.Agent)
	}
	addPrograms(s, usage.Programs)
	addBudgets(s, usage)

	return nil
}

// addBudgets adds how much of the budgets of today is used.
func addBudgets(s *scrape, usage *parley.UsageResult) {
	used := prometheus.NewDesc("parley_budget_used_ratio",
		"How much of the budget of today is used, 1 for all of it; without an agent, that of the team.",
		[]string{"agent"}, nil)
	if usage.Budget != nil {
		s.add(used, prometheus.GaugeValue, float64(usage.Budget.Percent)/100, "")
	}
	for _, p := range usage.Programs {
		if p.Budget != nil {
			s.add(used, prometheus.GaugeValue, float64(p.Budget.Percent)/100, p.Agent)
		}
	}
}

// addPrograms adds what the programs of agents have used since the workspace began.
func addPrograms(s *scrape, programs []parley.ProgramUsage) {
	tokens := prometheus.NewDesc("parley_program_tokens_total",
		"Tokens that models of agents' programs used. No token is in two kinds.",
		[]string{"agent", "model", "kind"}, nil)
	cost := prometheus.NewDesc("parley_program_cost_total",
		"What that cost, by the prices of parley.yaml; models without a price are not in it.",
		[]string{"agent", "model"}, nil)
	known := prometheus.NewDesc("parley_program_usage_known",
		"1 if all that an agent's program used is known.", []string{"agent"}, nil)

	for _, p := range programs {
		whole := 0.0
		if p.Unknown == "" {
			whole = 1
		}
		s.add(known, prometheus.GaugeValue, whole, p.Agent)

		models, costs := map[string]parley.Tokens{}, map[string]float64{}
		for _, d := range p.Days {
			models[d.Model] = models[d.Model].Plus(d.Tokens)
			costs[d.Model] += d.Cost
		}
		for model, t := range models {
			if costs[model] > 0 {
				s.add(cost, prometheus.CounterValue, costs[model], p.Agent, model)
			}
			for kind, n := range map[string]int64{
				"input": t.Input, "cached": t.Cached, "cache_write": t.CacheWrite, "output": t.Output,
			} {
				s.add(tokens, prometheus.CounterValue, float64(n), p.Agent, model, kind)
			}
		}
	}
}
