package testpage

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"parley/internal/must"
	"parley/internal/testhome"
)

// Line is a line to the daemon, as Chromium plays one.
type Line struct {
	Offline  bool    `json:"offline"`
	Latency  float64 `json:"latency"`            // ms, of each request
	Download float64 `json:"downloadThroughput"` // bytes a second, -1: any
	Upload   float64 `json:"uploadThroughput"`
}

// The lines. Fast3G is what Lighthouse takes for one, Slow3G what Chromium's own tools do.
var (
	Open4G = Line{Download: -1, Upload: -1} // as fast as it goes
	Fast3G = Line{Latency: 150, Download: 1.6e6 / 8 * .9, Upload: 750e3 / 8 * .9}
	Slow3G = Line{Latency: 562.5, Download: 1.6e6 / 8 * .9, Upload: 750e3 / 8 * .9}
	NoLine = Line{Offline: true, Download: -1, Upload: -1}
)

// emulateLine is the command that the protocol's own list calls deprecated; the one by rules is refused.
var emulateLine = cdp.Command[Line, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

// On gives the tab another line.
func (x *Tab) On(line Line) {
	x.Helper()
	must.Have(chromedp.Call(x.Ctx, emulateLine, line))(x.T)
}

// Slow makes the tab's processor so many times slower.
func (x *Tab) Slow(times float64) {
	x.Helper()
	must.Have(chromedp.Call(x.Ctx, emulation.SetCPUThrottlingRate,
		emulation.SetCPUThrottlingRateParams{Rate: times}))(x.T)
}

// Sleep freezes the tab, as one of a closed laptop, or wakes it.
func (x *Tab) Sleep(asleep bool) {
	x.Helper()
	state := page.SetWebLifecycleStateState("active")
	if asleep {
		state = "frozen"
	}
	must.Have(chromedp.Call(x.Ctx, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state}))(x.T)
}

// First has a script run in each document before its own ones.
func (x *Tab) First(script string) {
	x.Helper()
	must.Have(chromedp.Call(x.Ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: script}))(x.T)
}

// Visit opens an address, and returns when that has loaded.
func (x *Tab) Visit(address string) {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.Ctx, testhome.Patience)
	defer cancel()
	must.Do(x.T, chromedp.Do(ctx, chromedp.Navigate(address)))
}
