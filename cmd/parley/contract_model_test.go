package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/must"
	"parley/op"
)

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
