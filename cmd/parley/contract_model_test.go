package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
)

// definition is a function definition of the agent communication client, without its
// words for the model.
type definition struct {
	name       string
	properties map[string]string // name → type
	required   string
	limit      [2]int // the least and the most of limit
}

// The six definitions that go into a chat completion.
func TestTheFunctionDefinitionsAreThoseOfTheDocument(t *testing.T) {
	s := (&play{cast: []string{"bot"}}).stage(t)
	bot := client.New(client.Options{URL: s.info.HTTP, Key: s.keys["bot"]})
	defer bot.Close()

	tools, err := bot.Tools(inTime(t))
	if err != nil {
		t.Fatal(err)
	}

	text, key := "string", map[string]string{"api_key": "string"}
	for _, d := range []definition{
		{"register_agent", map[string]string{"username": text, "agent_description": text}, "username agent_description", [2]int{}},
		{"send_message", map[string]string{"recipient": text, "message": text}, "recipient message", [2]int{}},
		{"get_conversation_history", map[string]string{"conversation_with": text, "limit": "integer"}, "conversation_with", [2]int{1, 100}},
		{"check_inbox", map[string]string{"limit": "integer", "filter_by_sender": text, "include_read": "boolean"}, "", [2]int{1, 50}},
		{"respond_to_message", map[string]string{"message_id": text, "response": text}, "message_id response", [2]int{}},
		{"ignore_message", map[string]string{"message_id": text, "reason": text}, "message_id", [2]int{}},
	} {
		t.Run(d.name, func(t *testing.T) {
			i := slices.IndexFunc(tools, func(tool parley.Tool) bool { return tool.Function.Name == d.name })
			if i < 0 || tools[i].Type != "function" || tools[i].Function.Description == "" {
				t.Fatalf("it is not among the tools: %+v", tools)
			}
			maps.Copy(d.properties, key)
			d.compare(t, tools[i].Function.Parameters)
		})
	}
}

// compare holds a tool's schema against the definition. The document's other name of a
// parameter is taken and not published; the key is every call's.
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

	op := parley.FindOp(d.name)
	for property, typ := range d.properties {
		if property == "api_key" {
			continue
		}

		i := slices.IndexFunc(
			op.Fields,
			func(f parley.Field) bool { return f.Name == property || slices.Contains(f.Aliases, property) },
		)
		if i < 0 {
			t.Errorf("there is no parameter %s", property)
			continue
		}

		p, ok := got.Properties[op.Fields[i].Name]

		// Where several may be named, one alone is taken too.
		if types, _ := json.Marshal(p.Type); !ok ||
			p.Type != nil && !strings.Contains(string(types), typ) && op.Fields[i].Type != "array" {
			t.Errorf("%s is published as %s, want %s", property, types, typ)
		}

		if property == "limit" && (p.Minimum == nil || p.Maximum == nil || [2]int{*p.Minimum, *p.Maximum} != d.limit) {
			t.Errorf("limit is published as %+v, want %v", p, d.limit)
		}
	}
}

// The tools that agents define for themselves, called as a model calls them.
func TestTheToolsOfAgentsThemselvesWorkAsWritten(t *testing.T) {
	s := (&play{cast: []string{"player", "DM", "Elf"}}).stage(t)
	as := func(name string) *client.Client {
		c := client.New(client.Options{URL: s.info.HTTP, Key: s.keys[name]})
		t.Cleanup(c.Close)
		return c
	}

	player, dm := as("player"), as("DM")
	for _, c := range []struct {
		tool      string
		by        *client.Client
		arguments string
		want      string
		keep      map[string]string
	}{
		{"talk_to_dm", player, `{"message":"I open the door."}`, `{"success":true,"status":"Message sent to DM!"}`, map[string]string{"door": "message_id"}},
		{"message_agent", player, `{"username":"Elf","message":"Cover me."}`, `{"success":true,"status":"Message sent to Elf!"}`, nil},
		{"check_messages", dm, `{}`, `{"unread_count":1,"messages":[{"message_id":"{door}","sender":"player","content":"I open the door."}]}`, nil},
		{"check_messages", dm, `{"include_read":true,"sender":"player"}`, `{"messages":[{"message_id":"{door}"}]}`, nil},
		{"respond_to_message", dm, `{"message_id":"{door}","response":"It creaks."}`, `{"success":true}`, map[string]string{"creak": "response_message_id"}},
		{"check_messages", player, `{"include_read":false}`, `{"messages":[{"message_id":"{creak}","content":"It creaks."}]}`, nil},
		{"ignore_message", player, `{"message_id":"{creak}","reason":""}`, `{"success":true,"message":"Message marked as read"}`, nil},
		{"ignore_message", player, `{"message_id":"{creak}"}`, `{"success":true,"message":"Message marked as read"}`, nil},
		{"get_dm_conversation_history", player, `{"limit":50}`, `{"with_agent":"DM","messages":[{"sender":"player","content":"I open the door."},{"sender":"DM","content":"It creaks."}]}`, nil},
		{"get_dm_conversation_history", player, `{}`, `{"with_agent":"DM","total_messages":2}`, nil},
	} {
		body, err := c.by.Dispatch(inTime(t), c.tool, s.filled(c.arguments))
		if err != nil {
			t.Fatal(err)
		}
		s.compare(t, []byte(body), c.want, c.keep)
	}
}
