package tmux

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// FullHistories is how many terminals may keep View.History lines: 20 of 10,000 lines and 180
// of shortHistory are fewer than 200 of 2,000. A line costs the server about 0.6 kB.
const FullHistories = 20

const shortHistory = 1000

// viewKeys are the keys that a View may bind: those that no program reads as text.
var viewKeys = regexp.MustCompile(`^((C-|S-|M-)*F([1-9]|1[0-2])|(C-|S-)*M-(C-|S-)*([a-z0-9]|Left|Right|Up|Down|PageUp|PageDown))$`)

// IsViewKey reports whether a View may bind the key.
func IsViewKey(key string) bool { return viewKeys.MatchString(key) && key != ReturnKey }

func (v View) commands() []string {
	return slices.Concat(v.options(), v.statusLine(), v.mouseBindings(), v.keyBindings(), v.switchBindings())
}

// extendedTerminals is the place, in a list that tmux begins at 0, of the terminals that can
// send extended keys: all of them, since one that cannot ignores the request.
const extendedTerminals = "terminal-features[90]"

func (v View) options() []string {
	clipboard := v.Clipboard
	if clipboard == "" {
		clipboard = "off"
	}

	options := []string{
		"set-option -g mouse " + onOff(v.Mouse),
		"set-option -s set-clipboard " + clipboard,
		"set-option -s extended-keys " + onOff(v.Keys),
		"set-option -s -q extended-keys-format csi-u", // since 3.5; what the versions before send
	}
	if v.Keys {
		return append(options, "set-option -s "+extendedTerminals+" "+quote("*:extkeys"))
	}

	return append(options, "set-option -s -u -q "+extendedTerminals)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// barOption holds the words behind the name in the status line of a session. See Pane.SetBar.
const barOption = "@parley_bar"

// statusLine shows the agent's whole name and the keys. A session has one window, so the list
// of windows would say nothing.
func (v View) statusLine() []string {
	keys := ReturnKey + " returns "
	if v.NextKey != "" {
		keys = v.NextKey + " next agent, " + keys
	}

	return []string{
		"set-option -g status " + onOff(v.Status),
		"set-option -g status-left-length 200",
		"set-option -g status-left " + quote("[#[bold]#{session_name}#[default]] #{"+barOption+"} "),
		"set-option -g status-right-length 80",
		"set-option -g status-right " + quote(" "+keys),
		"set-option -wg window-status-format ''",
		"set-option -wg window-status-current-format ''",
	}
}

// mouseMenus are the menus and gestures of the mouse with which tmux would end or rearrange an
// agent's terminal. Not every version knows each.
var mouseMenus = []string{
	"MouseDown3Status", "MouseDown3StatusLeft", "MouseDown3Empty",
	"M-MouseDown3Status", "M-MouseDown3StatusLeft", "M-MouseDown3Empty",
	"M-MouseDrag1Pane", "M-MouseDrag1Border", "C-MouseDrag1Pane", "C-MouseDrag1Empty", "C-MouseDown1Status",
	"MouseDown1Control9", "WheelUpStatus", "WheelDownStatus",
}

// mouseBindings make the right button reach the program, instead of a menu that ends it. A
// program that fills the whole screen leaves no history: before 3.8, tmux entered copy mode
// there for nothing, where keys are lost and messages wait.
func (v View) mouseBindings() []string {
	const taken = "#{||:#{alternate_on},#{||:#{pane_in_mode},#{mouse_any_flag}}}"
	return []string{
		"bind-key -T root WheelUpPane { if-shell -F " + quote(taken) + " { send-keys -M } { copy-mode -e } }",
		"bind-key -T root MouseDown3Pane { send-keys -M }",
		"bind-key -T root M-MouseDown3Pane { send-keys -M }",
	}
}

// unbindMenus takes mouseMenus away. tmux fails for a key that it does not know.
func unbindMenus(ctx context.Context, conn *conn) error {
	for _, key := range mouseMenus {
		_, err := conn.do(ctx, endWithToken([]string{"unbind-key -q -T root " + key}))
		if _, unknown := errors.AsType[*CommandError](err); err != nil && !unknown {
			return err
		}
	}
	return nil
}

// newLineKey is what Shift+Enter sends: Ctrl+J. The tried programs take that as a new line in
// their composers; Pi 1.6 submits at Alt+Enter. Most read neither form of Shift+Enter that tmux could send, and
// without any of this a terminal sends Enter, which submits.
const newLineKey = "send-keys C-j"

func (v View) keyBindings() []string {
	if !v.Keys {
		return []string{"unbind-key -q -T root S-Enter", "unbind-key -q -T " + queueTable + " S-Enter"}
	}
	return []string{
		"bind-key -T root S-Enter { " + newLineKey + " }",
		"bind-key -T " + queueTable + " S-Enter { " + queueWait() + newLineKey + " }",
	}
}

// notHub is true for every session but the one that parley keeps for itself.
const notHub = "#{!=:#{session_name}," + hubSession + "}"

// switchBindings bind the ways from one agent to another: the keys of v, those that tmux has
// behind its prefix, and the lists to choose from. The hub is in none of them.
func (v View) switchBindings() []string {
	next, previous := switchTo("-n"), switchTo("-p")
	commands := []string{
		"set-option -g " + keysOption + " " + quote(v.NextKey+" "+v.PreviousKey),
		"bind-key n " + next, "bind-key ) " + next,
		"bind-key p " + previous, "bind-key ( " + previous,
		"bind-key s { choose-tree -Z -s -f " + quote(notHub) + " }",
		"bind-key w { choose-tree -Z -w -f " + quote(notHub) + " }",
	}

	for _, table := range []string{"root", queueTable} {
		if v.NextKey != "" {
			commands = append(commands, "bind-key -T "+table+" "+v.NextKey+" "+next)
		}
		if v.PreviousKey != "" {
			commands = append(commands, "bind-key -T "+table+" "+v.PreviousKey+" "+previous)
		}
	}

	return commands
}

// switchTo returns the commands of a key that shows another agent. They end copy mode first:
// it would hold back messages after the person has left.
func switchTo(direction string) string {
	onHub := quote("#{==:#{client_session}," + hubSession + "}")
	return "{ copy-mode -q ; switch-client " + direction + " ; " +
		"if-shell -F " + onHub + " { switch-client " + direction + " } }"
}

// keysOption remembers which keys the last View bound, so that another one can unbind them.
const keysOption = "@parley_keys"

// forgetKeys unbinds what an earlier View bound.
func forgetKeys(ctx context.Context, conn *conn) error {
	r, err := conn.do(ctx, endWithToken([]string{"show-options -g -q -v " + keysOption}))
	if err != nil {
		return err
	}

	var commands []string
	for _, key := range strings.Fields(strings.Join(r.lines, " ")) {
		if IsViewKey(key) {
			commands = append(commands, "unbind-key -q -T root "+key, "unbind-key -q -T "+queueTable+" "+key)
		}
	}
	if len(commands) > 0 {
		_, err = conn.do(ctx, endWithToken(commands))
	}

	return err
}

// historyLimit returns how many lines a new terminal keeps if there are so many already.
func (v View) historyLimit(terminals int) int {
	if v.History == 0 || terminals >= FullHistories {
		return shortHistory
	}
	return v.History
}
