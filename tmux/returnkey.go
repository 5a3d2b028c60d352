package tmux

// ReturnKey is the key with which a person leaves a terminal on parley's own server. It
// needs no prefix, so a tmux of the person's own that shows the terminal in one of its
// panes passes it on, unless it has bound the key itself. The prefix and d do the same.
const ReturnKey = "F12"

// returnCommands bind the key, also while keys are queued (see queueBindings). It ends copy
// mode, which would hold back messages after the person has left.
func returnCommands() []string {
	leave := "{ copy-mode -q ; detach-client }"
	return []string{
		"bind-key -T root " + ReturnKey + " " + leave,
		"bind-key -T " + queueTable + " " + ReturnKey + " " + leave,
		"bind-key d " + leave,
	}
}
