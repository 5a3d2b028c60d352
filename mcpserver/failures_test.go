package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

// Whatever a client asks for beside the tools, a failure has its code: of JSON-RPC, and of parley.
func TestFailuresKeepTheirCodes(t *testing.T) {
	read := func(uri string) func(context.Context, *official.ClientSession) error {
		return func(ctx context.Context, s *official.ClientSession) error {
			_, err := s.ReadResource(ctx, &official.ReadResourceParams{URI: uri})
			return err
		}
	}
	prompt := func(name string) func(context.Context, *official.ClientSession) error {
		return func(ctx context.Context, s *official.ClientSession) error {
			_, err := s.GetPrompt(ctx, &official.GetPromptParams{Name: name})
			return err
		}
	}

	for what, c := range map[string]struct {
		ask          func(context.Context, *official.ClientSession) error
		older, newer int
		want         parley.Code
		uri          string
	}{
		"an unknown thread": {
			read("parley://threads/nothere1"), mcp.RESOURCE_NOT_FOUND, mcp.INVALID_PARAMS,
			parley.ThreadNotFound, "parley://threads/nothere1",
		},
		"an unknown resource": {
			read("parley://nonsense"), mcp.RESOURCE_NOT_FOUND, mcp.INVALID_PARAMS,
			parley.InvalidArgument, "parley://nonsense",
		},
		"a thread that fails": {
			read("parley://threads/broken01"), mcp.INTERNAL_ERROR, mcp.INTERNAL_ERROR,
			parley.Internal, "parley://threads/broken01",
		},
		"a thread of others": {
			read("parley://threads/private1"), refusedCode, refusedCode,
			parley.NotAuthorized, "parley://threads/private1",
		},
		"a prompt without its argument": {
			prompt("ask_for_review"), mcp.INVALID_PARAMS, mcp.INVALID_PARAMS, parley.InvalidArgument, "",
		},
		"an unknown prompt": {prompt("dance"), mcp.INVALID_PARAMS, mcp.INVALID_PARAMS, parley.InvalidArgument, ""},
		"an unknown tool": {
			func(ctx context.Context, s *official.ClientSession) error {
				_, err := s.CallTool(ctx, &official.CallToolParams{Name: "dance"})
				return err
			}, mcp.INVALID_PARAMS, mcp.INVALID_PARAMS, parley.InvalidArgument, "",
		},
	} {
		everywhere(t, coder, func(t *testing.T, _ *fake, s *official.ClientSession) {
			want := c.older
			if s.InitializeResult().ProtocolVersion == latest {
				want = c.newer
			}

			err := c.ask(t.Context(), s)
			rpc, _ := errors.AsType[*jsonrpc.Error](err)
			if rpc == nil {
				t.Fatalf("%s: %v", what, err)
			}

			var data struct {
				Code   parley.Code `json:"error_code"`
				Action string      `json:"suggested_action"`
				URI    string      `json:"uri"`
			}
			if bad := json.Unmarshal(rpc.Data, &data); bad != nil || int(rpc.Code) != want || data.Code != c.want ||
				data.Action == "" || data.URI != c.uri {
				t.Errorf("%s: %d %q %s (%v), want %d, %s with an action", what, rpc.Code, rpc.Message, rpc.Data, bad,
					want, c.want)
			}
		})
	}
}
