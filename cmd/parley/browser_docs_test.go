package main

import (
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

// TestPicturesOfTheDocs draws those of the page, of the demo's agents, where PARLEY_TEST_SHOTS names a directory.
func TestPicturesOfTheDocs(t *testing.T) {
	if os.Getenv("PARLEY_TEST_SHOTS") == "" {
		t.Skip("make screenshots draws them")
	}
	browser := testpage.Start(t)
	workspace := filepath.Join(t.TempDir(), "shop")
	must.Do(t, os.Mkdir(workspace, 0o700))
	h := must.Have(testhome.At(workspace))(t)
	t.Cleanup(func() { must.Do(t, h.End()) })
	git := gitOf(t, h)
	git(h.Workspace, "init", "-q", "-b", "main")
	git(h.Workspace, "commit", "-q", "--allow-empty", "-m", "begin")

	for _, role := range []string{"reviewer", "tester", "coder", "planner"} {
		testhome.Run[parley.LaunchAgentResult](t, h, "launch", role, "--profile", "demo", "--role", role, "--",
			"parley", "demo-agent", "--role", role)
	}
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "releaser", "--profile", "demo", "--",
		"parley", "demo-agent", "--dialog-at-start")
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "docs", "--profile", "demo", "--",
		"parley", "demo-agent", "--on", ".", "--reply", "The new flag is described. May I remove the old one?")
	testhome.Run[parley.SendMessageResult](t, h, "send", "docs", "Please describe the new flag.")

	dark := feature("prefers-color-scheme", "dark")
	x := testpage.SignIn(t, h, browser, 360, 640)
	asks(x, dark)
	x.Until("document.querySelector('[data-kind=dialog]')")
	x.Shows("The new flag is described.")
	testpage.JS[bool](x, "("+testpage.Button("[data-kind=dialog]", "Yes")+".click(), true)")
	x.Shows("Tap again to choose: Yes")
	x.Fits("the question")
	x.Picture("page-phone")

	x = testpage.SignIn(t, h, browser, 1120, 640)
	asks(x, dark)
	x.Goes("tiles")
	x.Until("[...document.querySelectorAll('main pre')].filter(e => e.innerText.includes('demo agent')).length == 6")
	x.Fits("the tiles")
	x.Picture("page-tiles")

	x = testpage.SignIn(t, h, browser, 1120, 900)
	asks(x, dark)
	x.Goes("pictures")
	x.Shows("Who wrote to whom")
	x.Fits("the pictures")
	x.Picture("page-pictures")
}
