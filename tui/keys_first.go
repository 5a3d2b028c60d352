package tui

// essentials are the keys with which everything can be done, by way of : at the
// latest. They can be learned in a minute.
var essentials = []essential{
	{keys: []string{"1", "2", "3", "4", "5"}, show: "1 to 5", does: "traffic, agents, threads, needs you, health"},
	{keys: []string{"up", "down", "pgup", "pgdown"}, show: "↑ ↓", does: "up and down; pgup and pgdn by pages"},
	{keys: []string{"g", "G"}, show: "g G", does: "to the top; to the newest"},
	{keys: []string{"enter"}, show: "enter", does: "open it, or take the best action"},
	{keys: []string{"tab"}, show: "tab", does: "between a list and what it shows"},
	{keys: []string{"esc"}, show: "esc", does: "back"},
	{keys: []string{"/"}, show: "/", does: "filter the traffic"},
	{keys: []string{"c"}, show: "c", does: "write to the agent, or in the thread"},
	{keys: []string{"r"}, show: "r", does: "reply"},
	{keys: []string{"s"}, show: "s", does: "steer the agent"},
	{keys: []string{"a"}, show: "a", does: "attach to the agent's terminal"},
	{keys: []string{":"}, show: ":", does: "run any command"},
	{keys: []string{"u"}, show: "u", does: "undo the last action"},
	{keys: []string{"?"}, show: "?", does: "all keys, listed below"},
	{keys: []string{"q"}, show: "q", does: "quit; agents keep running"},
}
