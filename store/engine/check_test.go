package engine

import "testing"

// Only what a check says of the database is damage. That a page cannot be read now is an error.
func TestWantOfMemoryIsNoDamage(t *testing.T) {
	const page = "*** in database main ***\nTree 32 page 32: "
	for words, want := range map[string]struct {
		damage bool
		fault  Fault
	}{
		"ok": {},
		page + "unable to get the page. error code=7":       {fault: FaultIO},
		page + "unable to get the page. error code=3082":    {fault: FaultIO},
		page + "unable to get the page. error code=266":     {fault: FaultIO},
		page + "unable to get the page. error code=11":      {damage: true},
		page + "unable to get the page. error code=267":     {damage: true},
		page + "btreeInitPage() returns error code 11":      {damage: true},
		page + "btree depth of 3 (should be 2)":             {damage: true},
		"wrong # of entries in index messages_by_recipient": {damage: true},
	} {
		verdict, err := verdictOf(words)
		if (verdict != "") != want.damage || FaultOf(err) != want.fault {
			t.Errorf("%q: %q, %v; want damage %v, fault %d", words, verdict, err, want.damage, want.fault)
		}
	}
}
