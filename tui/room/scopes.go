package room

import "parley/tui/kit"

const (
	InTraffic kit.Scope = kit.InShell + 1 + iota // on one screen
	InAgents
	InThreads
	InNeeds
	InHealth
	InCompose // in what lies over them
	InTo
	InPalette
	InFilter
	InList
	InHelp
	InConfirm
	InPrompt
	InAnswer
	InTiles
	InReview
	InMerge
	InLaunch
	InWorkspaces
	scopes
)

var ScopeNames = [scopes]string{
	kit.InShell: "Everywhere",
	InTraffic:   "Traffic",
	InAgents:    "Agents",
	InThreads:   "Threads",
	InNeeds:     "Needs you",
	InHealth:    "Health",
	InCompose:   "Writing",
	InTo:        "Choosing recipients",
	InPalette:   "Command palette",
	InFilter:    "Filtering messages",
	InList:      "Filtering a list",
	InHelp:      "Page",
	InConfirm:   "Question",
	InPrompt:    "Text prompt",
	InAnswer:    "Answering a question",
	InTiles:     "Tiles",
	InReview:    "Review",
	InMerge:     "Merging",
	InLaunch:    "Launching an agent",

	InWorkspaces: "Your workspaces",
}

// ScreenScope returns the scope of a screen's own keys.
func ScreenScope(p Place) kit.Scope { return InTraffic + kit.Scope(p) }
