package parley

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/must"
)

var sameError = cmpopts.IgnoreUnexported(Error{})

func TestErrorCrossesTheWire(t *testing.T) {
	for _, want := range []*Error{
		Errorf(AgentNotFound, "there is no agent %q", "x").With("agent", "x").With("near",
			[]any{"y"}).Suggest("Did you mean %s?", "y"),
		Errorf(Internal, "it broke"),
	} {
		b := must.Have(json.Marshal(want))(t)

		got := new(Error)
		must.Do(t, json.Unmarshal(b, got))
		if diff := cmp.Diff(want, got, sameError); diff != "" {
			t.Error(diff)
		}
	}
}

func TestErrorHasTheContractsForm(t *testing.T) {
	b := must.Have(json.Marshal(Errorf(MessageTooLong, "too long").Suggest("Be brief.")))(t)
	const want = `{"success":false,"error_code":"MESSAGE_TOO_LONG","error_message":"too long","details":{},` +
		`"suggested_action":"Be brief.","detail":"too long","error":"too long","message":"too long"}`
	if got := string(b); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestErrorKeepsItsCause(t *testing.T) {
	err := fmt.Errorf("call: %w", Errorf(StorageUnavailable, "read: %w", io.ErrUnexpectedEOF))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
	if got := ErrorCode(err); got != StorageUnavailable {
		t.Errorf("the code is %s", got)
	}
	if got := err.Error(); got != "call: read: unexpected EOF" {
		t.Errorf("the text is %q", got)
	}
}

func TestAForeignErrorIsInternal(t *testing.T) {
	if e := AsError(nil); e != nil {
		t.Errorf("no error is %v", e)
	}
	e := AsError(io.EOF)
	if e.Code != Internal || e.Message != "EOF" || e.Action == "" || !errors.Is(e, io.EOF) {
		t.Errorf("got %+v", e)
	}
	if got := ErrorCode(nil); got != "" {
		t.Errorf("no error has the code %q", got)
	}
}

func TestWithDoesNotShareDetails(t *testing.T) {
	details := map[string]any{"a": 1}
	e := &Error{Details: details}
	e.With("b", 2)
	if len(details) != 1 || len(e.Details) != 2 {
		t.Errorf("got %v and %v", details, e.Details)
	}
}
