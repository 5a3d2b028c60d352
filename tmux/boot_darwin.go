package tmux

import "golang.org/x/sys/unix"

// Boot names the time since the machine was started; "" if it is not known.
func Boot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
