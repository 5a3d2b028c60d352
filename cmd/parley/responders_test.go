package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/internal/testhome"
)

// The page on responders is run word for word, with the scripted model in the place of
// the local one.
func TestSessionOfThePageOnRespondersWorks(t *testing.T) {
	t.Parallel()
	model := modelserver.StartBare()
	t.Cleanup(model.Close)
	page := strings.ReplaceAll(documents(t)["responders.md"], "http://127.0.0.1:11434", model.URL)
	// Its stories run side by side, and are waited for.
	t.Run("session", func(t *testing.T) { trySession(t, page, 8) })
	asked := map[string]int{} // not of the thread: the daemon may end before it comes to that
	for _, r := range model.Requests() {
		for _, question := range []string{"what is a lease?", "may I come in?", "/status", "/reset"} {
			if strings.Contains(string(r.Body), question) {
				asked[question]++
			}
		}
	}
	if asked["what is a lease?"] != 1 || asked["may I come in?"] != 1 || len(asked) != 2 {
		t.Errorf("the model was asked %v, want each question once and no command", asked)
	}
}

func TestDoctorFindsRespondersThatCannotAnswer(t *testing.T) {
	t.Parallel()
	model := modelserver.StartBare()
	t.Cleanup(model.Close)

	closed := must.Have(net.Listen("tcp", "127.0.0.1:0"))(t)

	closed.Close()
	h := testhome.New(t)
	text := "responders:\n  - {name: well, model: m, base_url: '" + model.URL + "/v1'}\n" +
		"  - {name: keyless, model: m, base_url: '" + model.URL + "/v1', api_key_env: NO_SUCH_KEY}\n" +
		"  - {name: lost, model: m, base_url: 'http://" + closed.Addr().String() + "/v1'}\n"

	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte(text), 0o600))
	must.Do(t, h.Command("trust", "--yes").Run())

	look := func(when string) {
		t.Helper()
		out, _ := h.Command("doctor").CombinedOutput()
		for _, part := range []string{"well: m at " + model.URL, "keyless cannot answer", "NO_SUCH_KEY",
			"lost cannot answer", closed.Addr().String()} {
			if !strings.Contains(string(out), part) {
				t.Errorf("%s, the doctor does not say %q:\n%s", when, part, out)
			}
		}
	}

	look("without a daemon")
	if out, err := h.Command("serve").CombinedOutput(); err != nil {
		t.Fatalf("parley serve: %v\n%s", err, out)
	}

	look("with one")
	list := testhome.Run[parley.ListRespondersResult](t, h, "responder", "list")
	if len(list.Responders) != 3 || list.Responders[0].Problem == "" || list.Responders[2].Problem != "" {
		t.Errorf("listed are %+v", list.Responders)
	}
}

// The metrics count the calls of a model, and a caller that waits for an answer when the
// daemon ends gets an error.
func TestDaemonCountsModelUsageAndEndsDuringAnAnswer(t *testing.T) {
	t.Parallel()
	model := modelserver.StartBare()
	t.Cleanup(model.Close)
	h := testhome.New(t)
	team := "responders:\n  - {name: sage, model: m, base_url: '" + model.URL + "/v1'}\n"
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte(team), 0o600))
	must.Do(t, h.Command("trust", "--yes").Run())
	if out, err := h.Command("serve").CombinedOutput(); err != nil {
		t.Fatalf("parley serve: %v\n%s", err, out)
	}

	info := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
	testhome.Run[parley.SendMessageResult](t, h, "send", "sage", "SAY hello")
	if out, err := h.Command("send", "sage", "FAIL 400").CombinedOutput(); err == nil {
		t.Errorf("a refused one: %s", out)
	}

	res := must.Have(http.Get(info.HTTP + "/metrics?api_key=" + operatorKey))(t)
	defer res.Body.Close()

	text := must.Have(io.ReadAll(res.Body))(t)

	for _, line := range []string{`parley_model_calls_total{agent="sage",outcome="answered"} 1`,
		`parley_model_calls_total{agent="sage",outcome="refused"} 1`,
		fmt.Sprintf(`parley_model_tokens_total{agent="sage",direction="in"} %d`, modelserver.PromptTokens),
		fmt.Sprintf(`parley_model_tokens_total{agent="sage",direction="out"} %d`, modelserver.AnswerTokens),
		`parley_model_seconds_total{agent="sage"} `} {
		if !strings.Contains(string(text), "\n"+line) {
			t.Errorf("the metrics have no %s:\n%s", line, text)
		}
	}

	waiting := h.Command("send", "sage", "PAUSE", "--json")
	var said bytes.Buffer
	waiting.Stdout = &said
	must.Do(t, waiting.Start())

	must.Become(t, "the model is asked", func() bool { return len(model.Requests()) == 3 })
	began := time.Now()
	if out, err := h.Command("down").CombinedOutput(); err != nil {
		t.Fatalf("parley down: %v\n%s", err, out)
	}
	if took := time.Since(began); took > 25*time.Second { // half of what the model has
		t.Errorf("the daemon took %s to end", took)
	}

	if err := waiting.Wait(); err == nil || !strings.Contains(said.String(), string(parley.ModelUnavailable)) ||
		!strings.Contains(said.String(), string(parley.ModelCancelled)) {
		t.Errorf("who waited got %v: %s", err, said.String())
	}
}
