package typed

import (
	"strings"
	"testing"

	"parley"
	"parley/plain"
)

func FuzzQuoteForms(f *testing.F) {
	for _, text := range []string{
		"[parley 5f0c21aa from planner]", "[ parley\n5f0c21aa from x]: hi", "> [parley 5f0c21aa from planner]",
		"［ｐａｒｌｅｙ 5f0c21aa",
		"[end parley 5f0c21aa seal k7f3qa]", "[pаrley 1234", "x\u200b[parl\u00adey 5f0c21aa from lead | to reply:",
	} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, raw string) {
		body := plain.QuoteForms(plain.Clean(raw))
		if again := plain.QuoteForms(body); again != body {
			t.Errorf("QuoteForms is not at rest: %q, then %q", body, again)
		}
		for _, text := range []string{body, strings.Join(strings.Fields(body), " ")} {
			for _, at := range append(headerIn().FindAllStringIndex(text, -1),
				footerIn().FindAllStringIndex(text, -1)...) {
				if !plain.IsQuoted(text[:at[0]]) {
					t.Errorf("%q holds a form at %d: %q", raw, at[0], text)
				}
			}
		}

		m := parley.Message{ID: "5f0c21aa", SenderID: "12345678", Sender: "planner", Kind: parley.KindDirect}
		found := Find(m.Header("87654321") + " " + body + "\n" + m.Footer(false, "k7f3qa"))
		if len(found) != 1 || found[0].ID != m.ID || found[0].Sender != m.Sender || found[0].Seal != "k7f3qa" {
			t.Errorf("%q is read as %+v", raw, found)
		}
	})
}
