package tmux

import "golang.org/x/sys/unix"

// arguments returns the command line and the environment with which a process was started. The system
// shows them for processes of the same user.
func arguments(pid int) (args, env []string) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil
	}
	return parseArguments(raw)
}
