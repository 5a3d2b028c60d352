// Package tmux owns one tmux server: a control-mode client with a single reader,
// pipelined commands and its own reconnection, the sessions on that server, and
// the panes in them. Its heart is Pane.Submit, which types one text into a
// terminal so that neither a crash nor a repeat can lose or double it: check,
// paste and remembrance are one line that the server runs without interruption.
// It knows nothing of agents or messages.
package tmux
