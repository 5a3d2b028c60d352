package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

// conformanceDir is where the official conformance suite is installed: the directory
// with its program and a node that runs it.
const conformanceDir = "PARLEY_TEST_CONFORMANCE"

// conformance are the suite's scenarios for what parley claims, with the checks that
// fail because they need tools that only a server made for the suite has.
var conformance = map[string][]string{
	"server-initialize": nil, "server-session-lifecycle": nil, "ping": nil, "tools-list": nil,
	"server-sse-multiple-streams": nil,
	"resources-list":              nil, "sep-2164-resource-not-found": nil, "prompts-list": nil,
	"dns-rebinding-protection": nil,
	"caching":                  nil,
	"http-header-validation":   nil,
	"server-stateless": {
		"sep-2575-http-server-no-independent-requests-on-stream", // test_streaming_elicitation
		"sep-2575-missing-capability-http-400",                   // test_missing_capability
		"sep-2575-server-no-log-without-loglevel",                // test_logging_tool
		"sep-2575-server-rejects-undeclared-capability",          // test_missing_capability
	},
}

var (
	failedCheck = regexp.MustCompile(`\[([a-z0-9-]+) *\] \S*FAILURE`)
	passedCheck = regexp.MustCompile(`Passed: (\d+/\d+)`)
)

// A real daemon is tried by the suite that the protocol's authors publish.
func TestConformance(t *testing.T) {
	dir := os.Getenv(conformanceDir)
	if dir == "" {
		t.Skip("set " + conformanceDir + " to where the suite is installed, or run make conformance")
	}

	h := testhome.New(t)
	bot := testhome.Run[parley.RegisterAgentResult](t, h, "register", "bot")
	url := withoutKey(t, testhome.Run[parley.WorkspaceStatusResult](t, h, "status").HTTP, bot.APIKey)
	for scenario, want := range conformance {
		t.Run(scenario, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*testhome.Patience)
			defer cancel()

			cmd := exec.CommandContext(ctx, filepath.Join(dir, "conformance"), "server", "--url", url+"/mcp",
				"--scenario", scenario)

			cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			var failed []string
			for _, m := range failedCheck.FindAllSubmatch(out, -1) {
				failed = append(failed, string(m[1]))
			}

			slices.Sort(failed)
			passed := passedCheck.FindSubmatch(out)
			if diff := cmp.Diff(want, failed); diff != "" || passed == nil || (err == nil) != (want == nil) {
				t.Fatalf("%v; the failed checks: %s\n%s", err, diff, out)
			}

			t.Logf("passed %s", passed[1])
		})
	}
}

// withoutKey stands before a daemon and adds a key, which the suite cannot.
func withoutKey(t *testing.T, daemon, key string) string {
	t.Helper()
	to := must.Have(url.Parse(daemon))(t)

	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // which the daemon checks
		r.Out.Header.Set("Authorization", "Bearer "+key)
	}}

	// The proxy's server closes a body whose end it has not met when the answer comes, and with
	// it the answer; so the body is read first.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Logf("the suite broke off its request: %v", err)
			return
		}

		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))

	t.Cleanup(server.Close)

	return server.URL
}
