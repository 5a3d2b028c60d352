package tui

// essentials are the keys with which everything can be done, by way of : at the
// latest. They can be learned in a minute.
var essentials = []essential{
	{[]string{"1", "2", "3", "4", "5"}, "1 to 5", "traffic, agents, threads, needs you, health"},
	{[]string{"up", "down", "pgup", "pgdown"}, "↑ ↓", "up and down; pgup and pgdn by pages"},
	{[]string{"g", "G"}, "g G", "to the top; to the newest"},
	{[]string{"enter"}, "enter", "open it, or take the best action"},
	{[]string{"tab"}, "tab", "between a list and what it shows"},
	{[]string{"esc"}, "esc", "back"},
	{[]string{"/"}, "/", "filter the traffic"},
	{[]string{"c"}, "c", "write to the agent, or in the thread"},
	{[]string{"r"}, "r", "reply"},
	{[]string{"s"}, "s", "steer the agent"},
	{[]string{"a"}, "a", "attach to the agent's terminal"},
	{[]string{":"}, ":", "run any command"},
	{[]string{"u"}, "u", "undo the last action"},
	{[]string{"?"}, "?", "all keys, listed below"},
	{[]string{"q"}, "q", "quit; agents keep running"},
}
