package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/must"
	"parley/op"
)

// offered is what a client is shown beside the tools.
func offered(t *testing.T, s *official.ClientSession) (resources, templates, prompts []string) {
	t.Helper()
	res := must.Have(s.ListResources(t.Context(), nil))(t)

	for _, r := range res.Resources {
		resources = append(resources, r.URI)
	}

	more := must.Have(s.ListResourceTemplates(t.Context(), nil))(t)

	for _, r := range more.ResourceTemplates {
		templates = append(templates, r.URITemplate)
	}

	moves := must.Have(s.ListPrompts(t.Context(), nil))(t)

	for _, p := range moves.Prompts {
		prompts = append(prompts, p.Name)
	}

	slices.Sort(resources)

	return resources, templates, prompts
}

func TestResourcesAndPromptsAreThoseTheCallerMayUse(t *testing.T) {
	all := []string{"parley://agents", "parley://inbox", "parley://threads"}
	thread := []string{"parley://threads/{id}"}
	moves := []string{"ask_for_review", "catch_up", "report_progress"}
	for _, version := range eras {
		for what, c := range map[string]struct {
			caller                        parley.Caller
			sets                          Toolsets
			resources, templates, prompts []string
		}{
			"an agent": {coder, nil, all, thread, moves},
			"nobody":   {parley.Caller{}, nil, nil, nil, nil},
			"without messages": {coder, Toolsets{"team", "threads"}, []string{"parley://agents", "parley://threads"},
				nil, nil},
			"without a team": {coder, Toolsets{"messages"}, []string{"parley://inbox"}, thread, nil},
		} {
			resources, templates, prompts := offered(t, withSets(t, c.caller, c.sets, "", version))
			for _, diff := range []string{
				cmp.Diff(c.resources, resources), cmp.Diff(c.templates, templates), cmp.Diff(c.prompts, prompts),
			} {
				if diff != "" {
					t.Errorf("%s of %s: %s", what, version, diff)
				}
			}
		}
	}
}

func TestResourcesAreReadWithoutMarking(t *testing.T) {
	everywhere(t, coder, func(t *testing.T, f *fake, s *official.ClientSession) {
		for uri, want := range map[string]string{
			"parley://inbox":            `"content":"a < b & c"`,
			"parley://agents":           `"name":"coder"`,
			"parley://threads":          `"title":"the parser"`,
			"parley://threads/1a2b3c4d": `"sender":"planner"`,
		} {
			res, err := s.ReadResource(t.Context(), &official.ReadResourceParams{URI: uri})
			if err != nil {
				t.Errorf("%s: %v", uri, err)
				continue
			}

			one := res.Contents[0]
			if len(res.Contents) != 1 || one.URI != uri || one.MIMEType != "application/json" ||
				!json.Valid([]byte(one.Text)) ||
				!strings.Contains(one.Text, want) {
				t.Errorf("%s: got %+v, want %s", uri, one, want)
			}
		}

		if len(f.read) != 1 || f.read[0].ThreadID != "1a2b3c4d" || *f.read[0].MarkRead {
			t.Errorf("the thread was read by %+v", f.read)
		}
	})
}

func TestAResourceThatFailsSaysWhy(t *testing.T) {
	everywhere(t, coder, func(t *testing.T, f *fake, s *official.ClientSession) {
		for uri, want := range map[string]string{
			"parley://threads/nothere1": "THREAD_NOT_FOUND: there is no thread nothere1. list_threads",
			"parley://nonsense":         "not found",
		} {
			if res, err := s.ReadResource(t.Context(), &official.ReadResourceParams{URI: uri}); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %+v, %v, want %q", uri, res, err, want)
			}
		}
	})

	for what, s := range map[string]*official.ClientSession{
		"UNAUTHENTICATED":  withSets(t, parley.Caller{}, nil, "", legacy),
		"toolset messages": withSets(t, coder, Toolsets{"team"}, "", legacy),
	} {
		if res, err := s.ReadResource(t.Context(), &official.ReadResourceParams{URI: "parley://inbox"}); err == nil ||
			!strings.Contains(err.Error(), what) {
			t.Errorf("got %+v, %v, want %q", res, err, what)
		}
	}
}

func TestPromptsNameOnlyExistingTools(t *testing.T) {
	everywhere(t, coder, func(t *testing.T, _ *fake, s *official.ClientSession) {
		tools := names(list(t, s))
		for name, c := range map[string]struct {
			given map[string]string
			want  []string
		}{
			"catch_up":       {nil, []string{"get_messages", "respond_to_message"}},
			"ask_for_review": {map[string]string{"what": "branch\nx", "reviewer": "planner"}, []string{"review of branch x", `send_message to "planner"`, "requires_response"}},
			"report_progress": {map[string]string{"on": "the parser"}, []string{"Report on the parser",
				"broadcast_update"}},
		} {
			res, err := s.GetPrompt(t.Context(), &official.GetPromptParams{Name: name, Arguments: c.given})
			if err != nil || len(res.Messages) != 1 || res.Messages[0].Role != "user" {
				t.Errorf("%s: %+v %v", name, res, err)
				continue
			}

			text := res.Messages[0].Content.(*official.TextContent).Text
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s does not say %q: %s", name, want, text)
				}
			}

			for _, op := range op.All {
				if strings.Contains(text, op.Name) && !slices.Contains(tools, op.Name) {
					t.Errorf("%s speaks of %s, which is no tool", name, op.Name)
				}
			}
		}

		open, err := s.GetPrompt(
			t.Context(), &official.GetPromptParams{Name: "ask_for_review", Arguments: map[string]string{"what": "x"}},
		)
		if err != nil ||
			!strings.Contains(open.Messages[0].Content.(*official.TextContent).Text, "request_assistance") {
			t.Errorf("without a reviewer: %+v %v", open, err)
		}

		if res, err := s.GetPrompt(t.Context(), &official.GetPromptParams{Name: "ask_for_review"}); err == nil ||
			!strings.Contains(err.Error(), "the argument what is missing") {
			t.Errorf("without what: %+v %v", res, err)
		}
	})
}
