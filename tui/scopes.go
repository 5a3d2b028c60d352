package tui

const (
	inTraffic scope = inShell + 1 + iota // on one screen
	inAgents
	inThreads
	inNeeds
	inHealth
	inCompose // in what lies over them
	inTo
	inPalette
	inFilter
	inHelp
	inConfirm
	inPrompt
	inAnswer
	inTiles
	inLaunch
	inWorkspaces
	scopes
)

var scopeNames = [scopes]string{
	inShell:   "Everywhere",
	inTraffic: "Traffic",
	inAgents:  "Agents",
	inThreads: "Threads",
	inNeeds:   "Needs you",
	inHealth:  "Health",
	inCompose: "Writing",
	inTo:      "Choosing recipients",
	inPalette: "Command palette",
	inFilter:  "Filtering",
	inHelp:    "Page",
	inConfirm: "Question",
	inPrompt:  "Text prompt",
	inAnswer:  "Answering a question",
	inTiles:   "Tiles",
	inLaunch:  "Launching an agent",

	inWorkspaces: "Your workspaces",
}

// screenScope returns the scope of a screen's own keys.
func screenScope(p place) scope { return inTraffic + scope(p) }
