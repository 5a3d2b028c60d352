package parley_test

import (
	"slices"
	"testing"

	"parley"
)

func TestAnswersTakeKnownKeys(t *testing.T) {
	for _, keys := range [][]string{{"C-c"}, {"F1"}, {"Enter", "ab"}, {""}, {"é"}, {"Down;Enter"}} {
		r := parley.AnswerDialogRequest{Dialog: "5f0c21aa", Keys: keys}
		if err := r.Validate(); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%q: got %v", keys, err)
		}
	}

	r := parley.AnswerDialogRequest{Dialog: "5f0c21aa", Keys: []string{"down", "ENTER", "y", "2", "PageDown"}}
	if err := r.Validate(); err != nil || !slices.Equal(r.Keys, []string{"Down", "Enter", "y", "2", "PageDown"}) {
		t.Errorf("got %q, %v", r.Keys, err)
	}

	for _, r := range []parley.AnswerDialogRequest{
		{Keys: []string{"Enter"}},
		{Dialog: "5f0c21aa", Keys: []string{"Enter"}, Choice: "1"},
		{Dialog: "5f0c21aa", Keys: []string{"Enter"}, Text: "x"},
	} {
		if err := r.Validate(); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%+v: got %v", r, err)
		}
	}
}
