// Package errand runs programs that the daemon needs for a moment and whose files an agent may have written: git
// in its worktree, a set-up command there, a program that is asked for its version. What such a program starts
// must not count as the operator.
package errand

import (
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// Mark is the entry of the environment by which a process is known to belong to an errand.
const Mark = "PARLEY_ERRAND=1"

// Prepare makes cmd an errand: it carries the mark beside its own environment, leads a session of its own, so
// that what loses its parent there leads nowhere, and ends with all that is in its group when its context does.
// cmd comes from exec.CommandContext. Its output is waited for at most a second after it has ended, since what it
// leaves behind may hold that: exec.ErrWaitDelay then.
func Prepare(cmd *exec.Cmd) {
	cmd.Env = append(slices.Clone(cmd.Environ()), Mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
}
