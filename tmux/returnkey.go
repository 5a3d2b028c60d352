package tmux

// ReturnKey is the key with which a person leaves a terminal on a server of our own.
// It takes no prefix, so a tmux of the person's own that has ours in one of its panes
// passes it on, unless it has a use for the key itself. The prefix and d do the same.
const ReturnKey = "F12"

// returnCommands bind it, also while keys wait (see hold), and say so in the status line.
func returnCommands() []string {
	return []string{
		"bind-key -T root " + ReturnKey + " { detach-client }",
		"bind-key -T " + holdTable + " " + ReturnKey + " { detach-client }",
		"set-option -g status-right " + quote(" "+ReturnKey+" returns "),
	}
}
