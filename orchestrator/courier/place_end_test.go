package courier

import "testing"

func TestTheEndOfATextStandsBeforeTheCursor(t *testing.T) {
	const text = "[AGENT 5f0c0001 TO AGENT 5f0c0002]: build it, please (operator · msg 5f0c21aa · seal rljryn)"
	for before, want := range map[string]bool{
		text: true, "> " + text: true, "msg 5f0c21aa · seal rljryn)": true, "rljryn)": true, ")": true,
		text + " Update now? [Y/n]": false, "Update now? [Y/n]": false, "": false, "ready": false,
		"> (operator · msg 5f0c21aa · seal ******)": false,
	} {
		if got := endsWithin(before, text); got != want {
			t.Errorf("before the cursor stands %q: %v, want %v", before, got, want)
		}
	}
}
