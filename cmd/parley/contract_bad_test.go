package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/must"
	"parley/op"
)

// What is wrong is refused by every face with the same code and with what to do, and
// nothing of it is kept.
func TestBadInputIsRefusedAndNothingIsStored(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	past, soon := time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
	s.kept["past"] = past.UTC().Format(time.RFC3339)
	s.kept["past in Berlin"] = past.In(time.FixedZone("", 2*60*60)).Format(time.RFC3339)
	s.kept["in two years"] = soon.AddDate(2, 0, 0).UTC().Format(time.RFC3339)
	s.kept["not UTF-8"] = "\xff\xfe"

	defer s.storesNothing(t)()
	p := &play{proof: "bearer"}
	for _, c := range readChapter(t, "bad").play.scenes {
		t.Run(c.name, func(t *testing.T) {
			for _, face := range slices.Sorted(maps.Keys(faces)) {
				if face == "MCP" && !json.Valid([]byte(s.filled(c.args))) {
					continue // it is no message of the protocol
				}
				answer := s.act(t, p, face, c)
				got := decodeFailure(t, []byte(shown(answer)))
				if got.Message == "" || got.Action == "" || got.Success == nil || *got.Success {
					t.Errorf("%s: got %s, want a failure with what to do", face, shown(answer))
				}
			}
		})
	}
}

// What is not JSON is no message of MCP: its own error says so.
func TestWhatIsNotJSONIsNoCallOfMCP(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	defer s.storesNothing(t)()
	who := &someone{name: "asker", key: s.keys["asker"], client: http.DefaultClient, base: s.info.HTTP}
	call := func(args string) string { return toolCall("send_message", args) }
	for _, body := range []string{
		"", "hi", `{"jsonrpc":"2.0"`, `[]`, call(`{"to":"other"`), call(`["other"]`), call(`"hi"`),
		call("{\"to\":\"other\",\"text\":\"h\xffi\"}"),
	} {
		status, answer := who.post(t, "/mcp", body)
		if !strings.Contains(string(answer), `"error"`) && !strings.Contains(string(answer), `"isError":true`) {
			t.Errorf("%q: got %d %s, want an error", body, status, answer)
		}
	}
}

// Ten megabytes are refused without being read to their end.
func TestTenMegabytesAreRefused(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	defer s.storesNothing(t)()
	text := strings.Repeat("x", 10<<20)
	args := `{"to":"other","text":"` + text + `"}`
	c := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["asker"]})
	defer c.Close()

	for face, ask := range map[string]func() (int, []byte, error){
		"REST": func() (int, []byte, error) { return s.tryPost(t, "/api/send_message", args) },
		"MCP": func() (int, []byte, error) {
			return s.tryPost(t, "/mcp", toolCall("send_message", args))
		},
		"Go": func() (int, []byte, error) {
			_, err := op.SendMessage.Call(inTime(t), c, parley.SendMessageRequest{To: parley.Names{"other"},
				Text: text})
			b, _ := json.Marshal(parley.AsError(err))
			return http.StatusRequestEntityTooLarge, b, nil
		},
		"the CLI": func() (int, []byte, error) {
			cmd := s.home.Command("--json", "send", "other", "-")
			cmd.Stdin, cmd.Env = strings.NewReader(text), append(slices.Clone(s.home.Env),
				"PARLEY_KEY="+s.keys["asker"])
			out, err := cmd.Output()
			if _, failed := err.(*exec.ExitError); failed {
				err = nil
			}

			return http.StatusRequestEntityTooLarge, out, err
		},
	} {
		status, body, err := ask()
		if err != nil || status != http.StatusRequestEntityTooLarge ||
			!strings.Contains(string(body), "MESSAGE_TOO_LONG") {
			t.Errorf("%s: got %d %.300s, %v", face, status, body, err)
		}
	}
}

// Times of other zones are the moments they mean, and names in other letters the agents
// they name.
func TestZonesAndLettersMeanTheSame(t *testing.T) {
	t.Parallel()
	s := troubled(t)
	c := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["asker"]})
	defer c.Close()

	due := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	for _, zone := range []int{0, 2 * 60 * 60, -(9*60 + 30) * 60} {
		text := due.In(time.FixedZone("", zone)).Format(time.RFC3339)
		args := s.filled(`{"to":["OTHER","other","{other}"],"text":"hi","response_deadline":"` + text + `"}`)
		body := must.Have(c.Dispatch(inTime(t), "send_message", args))(t)

		s.compare(t, []byte(body), `{
			"success": true, "status": "Message sent to other!", "delivery_status": {"delivered_to": ["{other}"]},
			"message_object": {"response_deadline": "`+due.Format(time.RFC3339)+`", "recipient_agent_ids": ["{other}"]}
		}`, nil)
	}
}

// definition is a function definition of the agent communication client, without its
// descriptions.
type definition struct {
	name       string
	properties string // name:type
	limit      [2]int // minimum and maximum of limit
}

// The six definitions that go into a chat completion.
func TestTheFunctionDefinitionsAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	s := (&play{cast: []string{"bot"}}).stage(t)
	bot := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["bot"]})
	defer bot.Close()

	tools := must.Have(bot.Tools(inTime(t)))(t)

	for _, d := range []definition{
		{"register_agent", "username:string agent_description:string", [2]int{}},
		{"send_message", "recipient:string message:string", [2]int{}},
		{"get_conversation_history", "conversation_with:string limit:integer", [2]int{1, 100}},
		{"check_inbox", "limit:integer filter_by_sender:string include_read:boolean", [2]int{1, 50}},
		{"respond_to_message", "message_id:string response:string", [2]int{}},
		{"ignore_message", "message_id:string reason:string", [2]int{}},
	} {
		t.Run(d.name, func(t *testing.T) {
			i := slices.IndexFunc(tools, func(tool parley.Tool) bool { return tool.Function.Name == d.name })
			if i < 0 || tools[i].Type != "function" || tools[i].Function.Description == "" {
				t.Fatalf("it is not among the tools: %+v", tools)
			}
			d.compare(t, tools[i].Function.Parameters)
		})
	}
}

// compare checks a tool's schema against the definition. Of a parameter with two names
// only one is published, and the API key is not.
func (d *definition) compare(t *testing.T, schema json.RawMessage) {
	t.Helper()
	var got struct {
		Type       string
		Properties map[string]struct {
			Type             any
			Minimum, Maximum *int
		}
		Required []string
	}

	if err := json.Unmarshal(schema, &got); err != nil || got.Type != "object" {
		t.Fatalf("%v in %s", err, schema)
	}

	o := op.Find(d.name)
	for _, entry := range strings.Fields(d.properties) {
		property, typ, _ := strings.Cut(entry, ":")
		i := slices.IndexFunc(o.Fields,
			func(f op.Field) bool { return f.Name == property || slices.Contains(f.Aliases, property) })
		if i < 0 {
			t.Errorf("there is no parameter %s", property)
			continue
		}

		p, ok := got.Properties[o.Fields[i].Name]

		// Where several may be named, one alone is taken too.
		if types, _ := json.Marshal(p.Type); !ok ||
			p.Type != nil && !strings.Contains(string(types), typ) && o.Fields[i].Type != "array" {
			t.Errorf("%s is published as %s, want %s", property, types, typ)
		}

		if property == "limit" && (p.Minimum == nil || p.Maximum == nil || [2]int{*p.Minimum, *p.Maximum} != d.limit) {
			t.Errorf("limit is published as %+v, want %v", p, d.limit)
		}
	}
}

// The tools that agents define for themselves are the Go client's alone.
func TestTheToolsOfAgentsThemselvesWorkAsWritten(t *testing.T) {
	t.Parallel()
	p := readChapter(t, "own-tools").play
	s := p.stage(t)
	for _, c := range p.scenes {
		s.act(t, p, "Go", c)
	}
}
