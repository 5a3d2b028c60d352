package agents

import (
	"testing"

	"parley"
)

func TestTitleSaysWhatAProgramDoes(t *testing.T) {
	a := &parley.Agent{Name: "coder", Profile: "claude", Dir: "/home/someone/storefront", Host: "box"}
	for title, want := range map[string]string{
		"✳ Fix the parser's messages":         "Fix the parser's messages",
		"⠸ - Responding - Fix the build grok": "Fix the build grok",
		"Kilo CLI | Rewrite the store":        "Rewrite the store",
		"> say what is left":                  "say what is left",
		"移行計画 を書く":                            "移行計画 を書く",
		"✳ Claude Code":                       "",
		"⠋ storefront":                        "",
		"◇  Ready (storefront)":               "",
		"π - storefront":                      "",
		"box":                                 "",
		"someone@box: ~/src and more":         "",
		"":                                    "",
	} {
		if got := doing(title, a); got != want {
			t.Errorf("%q says %q, want %q", title, got, want)
		}
	}
}
