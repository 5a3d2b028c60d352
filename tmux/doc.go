// Package tmux owns one tmux server: a control-mode client with a single reader,
// pipelined commands and automatic reconnection, the sessions on that server, and
// the panes in them. Its core is Pane.Submit, which types one text into a terminal
// so that neither a crash nor a repeated call can lose or double it: the check, the
// paste and the record of it are one line that the server runs without interruption.
// It knows nothing about agents or messages.
package tmux
