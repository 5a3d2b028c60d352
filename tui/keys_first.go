package tui

import "parley/tui/kit"

// essentials are the keys with which everything can be done, by way of : at the
// latest. They can be learned in a minute.
var essentials = []kit.Essential{
	{Keys: []string{"1", "2", "3", "4", "5"}, Show: "1 to 5", Does: "traffic, agents, threads, needs you, health"},
	{Keys: []string{"up", "down", "g", "G"}, Show: "↑ ↓ g G", Does: "up and down; to the top, to the newest"},
	{Keys: []string{"enter"}, Show: "enter", Does: "open it, or take the best action"},
	{Keys: []string{"tab"}, Show: "tab", Does: "between a list and what it shows"},
	{Keys: []string{"esc"}, Show: "esc", Does: "back"},
	{Keys: []string{"/"}, Show: "/", Does: "filter the list that is shown"},
	{Keys: []string{"'"}, Show: "'", Does: "go to an agent, thread, need… by name"},
	{Keys: []string{"c"}, Show: "c", Does: "write to the agent, or in the thread"},
	{Keys: []string{"r"}, Show: "r", Does: "reply"},
	{Keys: []string{"s"}, Show: "s", Does: "steer the agent"},
	{Keys: []string{"a"}, Show: "a", Does: "attach to the agent's terminal"},
	{Keys: []string{":"}, Show: ":", Does: "run any command"},
	{Keys: []string{"u"}, Show: "u", Does: "undo the last action"},
	{Keys: []string{"?"}, Show: "?", Does: "all keys, listed below"},
	{Keys: []string{"q"}, Show: "q", Does: "quit; agents keep running"},
}
