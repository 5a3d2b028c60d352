package files

import (
	"strings"
	"testing"

	"parley"
	"parley/orchestrator/settings"
)

func TestFileTextFitsTheLimit(t *testing.T) {
	for _, limit := range []int{20, 130, 300, 2000} {
		te := &Service{Settings: &settings.Settings{Deliveries: settings.Deliveries{MaxText: limit}}}
		text := te.fileText(parley.File{Name: strings.Repeat("ü", 20), SHA256: strings.Repeat("a", 64)}, "/a/path",
			strings.Repeat("é", 1000))
		if n := len([]rune(text)); n > limit || limit == 2000 && !strings.HasSuffix(text, "é") {
			t.Errorf("with %d characters allowed it has %d: %s", limit, n, text)
		}
	}
}
