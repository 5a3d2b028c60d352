package main

import (
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
	"parley/store/postgrestest"
)

// Two daemons that share a database: the page of each shows the whole team, answers and steers the agents of the other
// host, and shows their terminals.
func TestPageOfTwoHosts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	if why := postgrestest.Missing(); why != "" {
		t.Skip("the page is NOT tested with two hosts: " + why)
	}
	browser := testpage.Start(t)
	server := must.Have(postgrestest.Start())(t)
	t.Cleanup(func() { must.Do(t, server.Close()) })
	url := must.Have(server.Create("team"))(t)

	host := func(name, agent string, flags ...string) *pageTest {
		h := testhome.New(t)
		h.Env = append(h.Env, "PARLEY_DATABASE="+url, "PARLEY_HOST="+name)
		testhome.Run[parley.LaunchAgentResult](t, h, append([]string{"launch", agent, "--", "parley", "demo-agent"},
			flags...)...)
		return &pageTest{h: h, browser: browser}
	}
	here := host("ann", "worker", "--on", ".", "--reply", "Done.", "--work", "10ms")
	there := host("bob", "asker", "--dialog-at-start", "--on", ".", "--reply", "Done.", "--work", "10ms")

	x, other := here.opens(t, 360, 740), there.opens(t, 1400, 900)
	t.Run("both show the whole team", func(t *testing.T) {
		for _, x := range []*testpage.Tab{x.Of(t), other.Of(t)} {
			x.Goes("agents")
			x.Shows("asker")
			x.Shows("worker")
			x.Fits("the agents of two hosts")
			x.Clean()
		}
		x.Picture("hosts-agents")
	})
	t.Run("a question from the other host", func(t *testing.T) {
		x := x.Of(t)
		x.Goes("needs")
		x.Shows("May I go on with this?")
		x.Picture("hosts-needs")
		x.Confirms("[data-kind=dialog]", "Yes", "document.querySelector('.outcome')")
		x.Shows("Sent: “1. Yes”")
		x.Until("!document.querySelector('[data-kind=dialog]')")
		other.Of(t).Goes("needs")
		other.Until("!document.querySelector('[data-kind=dialog]')")
		x.Clean()
	})
	t.Run("a message and its terminal, both ways", func(t *testing.T) {
		for agent, x := range map[string]*testpage.Tab{"asker": x.Of(t), "worker": other.Of(t)} {
			x.Goes("agent/" + agent)
			x.Until("document.querySelector('.write textarea')")
			x.Writes(".write textarea", "Please look, "+agent+".")
			x.Taps(".write", "Send")
			x.Until("document.querySelector('.receipt .state[data-state=answered]')")
			x.Until(testpage.Screen + ".some(d => " +
				"d.textContent.includes('Please look, " + agent + ".'))")
			x.Picture("hosts-" + agent)
			x.Clean()
		}
		here.sentOnce(t, "Please look, asker")
		here.sentOnce(t, "Please look, worker")
	})
	t.Run("the other host is away", func(t *testing.T) {
		x := x.Of(t)
		must.Do(t, there.h.Command("down").Run())
		x.Goes("agent/asker")
		x.Until("document.querySelector('main').innerText.includes('bob')")
		x.Picture("hosts-away")
		x.Clean()
	})
}
