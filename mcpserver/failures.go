package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley"
	"parley/plain"
)

// failures holds the errors of requests until their answers are written. The library writes an error
// of a handler as INTERNAL_ERROR and leaves its code out, so the answer is written anew on its way.
type failures struct {
	mu   sync.Mutex
	byID map[string]failed
}

// failed is the error of one request.
type failed struct {
	code   int // of JSON-RPC
	why    *parley.Error
	uri    string // of the resource that was to be read; "" if it was something else
	modern bool   // the request is of a version without sessions, which sets the status of HTTP too
}

type failuresKey struct{}

func withFailures(ctx context.Context, f *failures) context.Context {
	return context.WithValue(ctx, failuresKey{}, f)
}

// noteFailure is a hook of the library, called before an error is written.
func noteFailure(ctx context.Context, id any, _ mcp.MCPMethod, request any, err error) {
	f, _ := ctx.Value(failuresKey{}).(*failures)
	key, unreadable := json.Marshal(mcp.NewRequestId(id))
	if f == nil || id == nil || unreadable != nil {
		return
	}

	failure := failed{modern: mcp.IsModernProtocol(server.RequestProtocolVersion(ctx))}
	var missing bool
	if failure.why, missing = toldError(err); failure.why == nil {
		return
	}
	ofResource := true
	switch r := request.(type) {
	case *mcp.ReadResourceRequest:
		failure.uri = r.Params.URI
	case *mcp.SubscribeRequest:
		failure.uri = r.Params.URI
	default:
		ofResource = false
	}

	failure.code = rpcCode(failure.why.Code)
	if ofResource && (missing || isMissing(failure.why.Code)) && !failure.modern {
		failure.code = mcp.RESOURCE_NOT_FOUND // newer versions have it no longer
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byID == nil {
		f.byID = map[string]failed{}
	}
	f.byID[string(key)] = failure
}

// toldError returns the error of a handler, or what the library found wrong with the request; nil for others.
// missing reports that what was asked for is not there.
func toldError(err error) (why *parley.Error, missing bool) {
	if why, ok := errors.AsType[*parley.Error](err); ok {
		return why, errors.Is(err, server.ErrResourceNotFound)
	}

	for _, unknown := range unknowns {
		if errors.Is(err, unknown.err) {
			return parley.Errorf(parley.InvalidArgument, "%s", plain.CleanLine(errors.Unwrap(err).Error())).
				Suggest("%s", unknown.next), true
		}
	}

	return nil, false
}

// unknowns are the library's own errors for what is not there.
var unknowns = []struct {
	err  error
	next string
}{
	{server.ErrResourceNotFound, "resources/list and resources/templates/list show what there is."},
	{server.ErrPromptNotFound, "prompts/list shows what there is."},
	{server.ErrToolNotFound, "tools/list shows what there is."},
}

func isMissing(code parley.Code) bool {
	switch code {
	case parley.AgentNotFound, parley.MessageNotFound, parley.ThreadNotFound, parley.FileNotFound:
		return true
	}
	return false
}

// rpcCode returns the code of JSON-RPC for a failure.
func rpcCode(code parley.Code) int {
	switch code {
	case parley.Internal, parley.StorageUnavailable, parley.TmuxUnavailable, parley.DaemonUnavailable,
		parley.ModelUnavailable:
		return mcp.INTERNAL_ERROR
	case parley.Unauthenticated, parley.NotAuthorized, parley.RateLimited:
		return refusedCode
	}
	return mcp.INVALID_PARAMS
}

// refusedCode is for a request that this caller may not make, or not now. JSON-RPC leaves the codes from -32000
// to -32099 to servers, and MCP has none for this.
const refusedCode = -32000

// rewrite returns an answer with the error of its request, if that has one.
func (f *failures) rewrite(answer []byte) []byte {
	var e envelope
	if f.none() || json.Unmarshal(answer, &e) != nil || e.Method != "" {
		return answer
	}

	f.mu.Lock()
	failure, ok := f.byID[string(e.ID)]
	delete(f.byID, string(e.ID))
	f.mu.Unlock()
	if !ok {
		return answer
	}

	b, err := json.Marshal(failure.answer(e.ID))
	if err != nil {
		return answer
	}
	if bytes.HasSuffix(answer, []byte("\n")) {
		b = append(b, '\n')
	}

	return b
}

func (f *failures) none() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.byID) == 0
}

// badRequest reports whether a request has wrong parameters that the version of its protocol answers with
// the status 400.
func (f *failures) badRequest() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, failure := range f.byID {
		if failure.modern && failure.code == mcp.INVALID_PARAMS {
			return true
		}
	}
	return false
}

// answer returns the answer to the request, in words and with the typed error as its data.
func (f failed) answer(id json.RawMessage) map[string]any {
	data := map[string]any{}
	if b, err := json.Marshal(f.why); err == nil {
		_ = json.Unmarshal(b, &data) // it was just written
	}
	if f.uri != "" {
		data["uri"] = f.uri // as the protocol has it
	}
	return map[string]any{"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": f.code, "message": inWords(f.why), "data": data}}
}

// inWords returns an error as a sentence for a model.
func inWords(e *parley.Error) string {
	text := fmt.Sprintf("%s: %s.", e.Code, e.Message)
	if e.Action != "" {
		text += " " + e.Action
	}
	return text
}
