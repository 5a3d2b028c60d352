package engine

import "testing"

func TestStatementsAreNumbered(t *testing.T) {
	for statement, want := range map[string]string{
		"a = ? AND b = ?": "a = $1 AND b = $2", "SET a = ?2, b = ?1": "SET a = $2, b = $1", "SELECT 1": "SELECT 1",
		"?": "$1",
	} {
		if got := Numbered(statement); got != want {
			t.Errorf("%s: got %s, want %s", statement, got, want)
		}
	}
}

func TestFaultsOfServers(t *testing.T) {
	for code, want := range map[string]Fault{
		"40001": FaultConflict, "40P01": FaultConflict, "57P01": FaultUnreachable, "08006": FaultUnreachable,
		"53100": FaultFull, "53300": FaultCrowded, "57014": FaultStalled, "28P01": FaultRefused, "25006": FaultStandby,
		"23505": FaultNone, "42601": FaultNone,
	} {
		if got := faultOfState(code); got != want {
			t.Errorf("%s: got %d, want %d", code, got, want)
		}
	}
}
