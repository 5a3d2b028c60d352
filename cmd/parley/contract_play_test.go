package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/op"
)

// Four documents show calls and answers. A play makes those calls word for word, one
// after the other, by every face, and compares the answers.

// scene is one call of a document and its answer.
type scene struct {
	name   string
	by     string            // the agent that calls; "" for a call without proof
	op     string            // the operation, as the document writes it
	at     string            // the method and path over REST; "" for POST /api/OPERATION
	args   string            // JSON; {NAME} stands for a value that was kept
	want   string            // JSON that the answer contains; a string like "<uuid>" stands for a kind of value
	status int               // over REST; 200 if it is 0
	keep   map[string]string // name → path in the answer, such as messages.0.message_id
	only   string            // the face that makes the call; "" for all
}

// play is a document's scenes, its agents, and the settings of the daemon.
type play struct {
	cast     []string          // mailboxes, registered before the first scene
	roles    map[string]string // name → JSON members of its registration
	gone     []string          // agents that are stopped before the first scene
	settings []string          // NAME=value
	proof    string            // how callers say who they are: bearer, api_key or agent_id
	socket   bool              // whether they call on the unix socket instead of the port
	prepare  func(t *testing.T, s *stage)
	scenes   []scene
	after    func(t *testing.T, s *stage)
}

// stage is a daemon, the API keys of the agents, and the values kept from answers.
type stage struct {
	home *testhome.Home
	info parley.WorkspaceStatusResult
	keys map[string]string
	kept map[string]string
	boss *client.Client // the operator's
}

// faces are the ways to make a call.
var faces = map[string]func(t *testing.T, s *stage, p *play, c scene) (answer []byte, failed bool){
	"REST": overREST, "MCP": overMCP, "Go": overGo,
}

// perform plays the scenes by each face, with a daemon for each.
func (p *play) perform(t *testing.T) {
	t.Parallel()
	for _, face := range slices.Sorted(maps.Keys(faces)) {
		t.Run(face, func(t *testing.T) {
			t.Parallel()
			s := p.stage(t)
			for _, c := range p.scenes {
				if c.only != "" && c.only != face {
					continue
				}

				ok := t.Run(c.name, func(t *testing.T) { s.act(t, p, face, c) })
				if !ok && len(c.keep) > 0 {
					t.Fatal("what follows needs that answer")
				}
			}

			if p.after != nil {
				p.after(t, s)
			}
		})
	}
}

// stage starts a daemon and registers the agents.
func (p *play) stage(t *testing.T) *stage {
	t.Helper()
	h := testhome.New(t)
	prepareDatabase(t, h)
	h.Env = append(h.Env, p.settings...)
	if out, err := h.Command("serve").CombinedOutput(); err != nil {
		t.Fatalf("parley serve: %v\n%s", err, out)
	}

	s := &stage{
		home: h,
		info: testhome.Run[parley.WorkspaceStatusResult](t, h, "status"),
		keys: map[string]string{},
		kept: map[string]string{},
	}

	s.boss = client.New(client.Options{Socket: s.info.Socket, Key: operatorKey})
	t.Cleanup(s.boss.Close)
	for _, name := range p.cast {
		req := parley.RegisterAgentRequest{Username: name}
		if role := p.roles[name]; role != "" {
			must.Do(t, json.Unmarshal([]byte(role), &req))
		}

		res := must.Have(op.RegisterAgent.Call(t.Context(), s.boss, req))(t)

		s.keys[name], s.kept[name] = res.APIKey, res.AgentID
	}

	for _, name := range p.gone {
		must.Have(op.StopAgent.Call(t.Context(), s.boss, parley.StopAgentRequest{Agent: name}))(t)
	}

	if p.prepare != nil {
		p.prepare(t, s)
	}

	return s
}

// filled replaces {NAME} by kept values and agents' ids, and {key of NAME} by API keys.
func (s *stage) filled(text string) string {
	for name, value := range s.kept {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
		text = strings.ReplaceAll(text, "{"+name+":8}", parley.Short(value))
	}
	for name, key := range s.keys {
		text = strings.ReplaceAll(text, "{key of "+name+"}", key)
	}
	return text
}

// act makes one call and compares its answer.
func (s *stage) act(t *testing.T, p *play, face string, c scene) map[string]any {
	t.Helper()
	c.args = s.filled(cmp.Or(c.args, "{}"))
	body, failed := faces[face](t, s, p, c)
	answer := s.compare(t, body, c.want, c.keep)
	if success, _ := answer["success"].(bool); success == failed {
		t.Errorf("success is %v, but the face says %v", answer["success"], !failed)
	}
	if t.Failed() {
		t.Logf("%s: %s %s", face, c.op, c.args)
	}

	return answer
}

// compare checks that an answer contains what the scene shows, and keeps the values
// that later calls need.
func (s *stage) compare(t *testing.T, body []byte, shows string, keep map[string]string) map[string]any {
	t.Helper()
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("the answer is no JSON object: %v\n%s", err, body)
	}

	var want any
	if err := json.Unmarshal([]byte(s.filled(shows)), &want); err != nil {
		t.Fatalf("%v in %s", err, shows)
	}

	problems := differences("", want, answer)
	for _, problem := range problems {
		t.Error(problem)
	}

	if len(problems) > 0 {
		t.Logf("the answer is %s", body)
	}

	for name, path := range keep {
		value, ok := within(answer, path).(string)
		if !ok {
			t.Fatalf("there is no %s in %s", path, body)
		}

		s.kept[name] = value
		if path == "api_key" {
			s.keys[name] = value
		}
	}

	return answer
}

// within returns the value at a path of an answer, nil if there is none.
func within(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}

	return v
}

// kinds are the placeholders of expected answers.
var kinds = map[string]func(any) bool{
	"<string>":  func(v any) bool { _, ok := v.(string); return ok },
	"<text>":    func(v any) bool { s, ok := v.(string); return ok && s != "" },
	"<bool>":    func(v any) bool { _, ok := v.(bool); return ok },
	"<int>":     func(v any) bool { n, ok := v.(float64); return ok && n == float64(int(n)) },
	"<share>":   func(v any) bool { n, ok := v.(float64); return ok && n >= 0 && n <= 1 },
	"<object>":  func(v any) bool { _, ok := v.(map[string]any); return ok },
	"<strings>": isStrings,
	"<uuid>":    like(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`),
	"<time>":    like(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`),
}

func like(form string) func(any) bool {
	re := regexp.MustCompile(form)
	return func(v any) bool { s, ok := v.(string); return ok && re.MatchString(s) }
}

func isStrings(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok })
}

// differences lists where an answer is not as expected. It may have more members:
// each answer is the union of what all documents show.
func differences(at string, want, got any) []string {
	wrong := []string{
		fmt.Sprintf("%s is %s, want %s", cmp.Or(strings.TrimPrefix(at, "."), "the answer"), shown(got), shown(want)),
	}

	switch want := want.(type) {
	case map[string]any:
		in, ok := got.(map[string]any)
		if !ok {
			return wrong
		}

		var all []string
		for _, name := range slices.Sorted(maps.Keys(want)) {
			value, ok := in[name]
			if !ok {
				all = append(all, fmt.Sprintf("there is no %s", strings.TrimPrefix(at+"."+name, ".")))
				continue
			}
			all = append(all, differences(at+"."+name, want[name], value)...)
		}

		return all
	case []any:
		in, ok := got.([]any)
		if !ok || len(in) != len(want) {
			return wrong
		}
		var all []string
		for i := range want {
			all = append(all, differences(fmt.Sprintf("%s.%d", at, i), want[i], in[i])...)
		}
		return all
	case string:
		if is, ok := kinds[want]; ok {
			if is(got) {
				return nil
			}
			return wrong
		}
	}

	if want == got {
		return nil
	}

	return wrong
}

func shown(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
