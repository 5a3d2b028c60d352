package mcpserver

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

func TestNamesAreCompleted(t *testing.T) {
	prompt := func(name string) *official.CompleteReference {
		return &official.CompleteReference{Type: "ref/prompt", Name: name}
	}
	resource := &official.CompleteReference{Type: "ref/resource", URI: "parley://threads/{id}"}

	everywhere(t, chief, func(t *testing.T, _ *fake, s *official.ClientSession) {
		for _, c := range []struct {
			ref         *official.CompleteReference
			name, typed string
			want        []string
		}{
			{prompt("ask_for_review"), "reviewer", "co", []string{"coder"}},
			{prompt("ask_for_review"), "reviewer", "", []string{"coder"}},
			{prompt("ask_for_review"), "reviewer", "zz", []string{}},
			{prompt("ask_for_review"), "what", "co", []string{}},
			{resource, "id", "1a", []string{"1a2b3c4d"}},
			{resource, "id", "PARSER", []string{"1a2b3c4d"}},
		} {
			res, err := s.Complete(t.Context(), &official.CompleteParams{
				Ref: c.ref, Argument: official.CompleteParamsArgument{Name: c.name, Value: c.typed},
			})
			if err != nil {
				t.Errorf("%s %q: %v", c.name, c.typed, err)
				continue
			}
			if diff := cmp.Diff(c.want, res.Completion.Values); diff != "" {
				t.Errorf("%s %q: %s", c.name, c.typed, diff)
			}
		}

		for _, ref := range []*official.CompleteReference{prompt("dance"), {Type: "ref/resource",
			URI: "parley://x/{y}"}} {
			_, err := s.Complete(t.Context(), &official.CompleteParams{
				Ref: ref, Argument: official.CompleteParamsArgument{Name: "reviewer", Value: "c"},
			})
			if rpc, _ := errors.AsType[*jsonrpc.Error](err); rpc == nil || rpc.Code != mcp.INVALID_PARAMS {
				t.Errorf("%+v: %v, want wrong parameters", ref, err)
			}
		}
	})
}

func TestNamesAreCompletedForThoseWhoMayKnowThem(t *testing.T) {
	for what, s := range map[string]*official.ClientSession{
		"nobody":       withSets(t, parley.Caller{}, nil, "", legacy),
		"without team": withSets(t, coder, Toolsets{"messages"}, "", latest),
	} {
		_, err := s.Complete(t.Context(), &official.CompleteParams{
			Ref:      &official.CompleteReference{Type: "ref/prompt", Name: "ask_for_review"},
			Argument: official.CompleteParamsArgument{Name: "reviewer", Value: "c"},
		})
		if rpc, _ := errors.AsType[*jsonrpc.Error](err); rpc == nil || rpc.Code != refusedCode {
			t.Errorf("%s: %v, want it refused", what, err)
		}
	}
}

// A list of completions is no longer than the protocol allows, and says so.
func TestCompletionsAreBounded(t *testing.T) {
	many := make([]string, 250)
	for i := range many {
		many[i] = fmt.Sprintf("worker-%03d", i)
	}
	if got := among(many, many, "work"); len(got.Values) != maxCompletions || got.Total != 250 || !got.HasMore {
		t.Errorf("%d of %d, more: %v", len(got.Values), got.Total, got.HasMore)
	}
}
