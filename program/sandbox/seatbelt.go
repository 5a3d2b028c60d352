package sandbox

import (
	"strings"
)

// seatbelt is macOS's program that runs another one behind a profile. Nothing inside may look at it, by which a program
// there knows where it is.
const seatbelt = "/usr/bin/sandbox-exec"

// seatbeltBase is what every program may do on macOS: run others, use its own terminal and new ones, and ask the system
// who the user is and what the machine can. The keychain, the window server and launchd are not in it. Where rules
// differ, the last one counts.
const seatbeltBase = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* signal (target same-sandbox))
(allow file-read-metadata)
(deny file-read-metadata (literal "` + seatbelt + `"))
(allow file-read* (literal "/") (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/zero"))
(allow file-read* file-map-executable (subpath "/System") (subpath "/Library") (subpath "/private/var/db/dyld"))
(allow file-read* (subpath "/private/var/db/timezone") (subpath "/private/var/select"))
(allow file-read* file-write* file-ioctl (literal "/dev/null") (literal "/dev/tty") (literal "/dev/ptmx"))
(allow pseudo-tty)
(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))
(allow file-read* file-write*
  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(allow ipc-posix-sem mach-host* user-preference-read)
(allow sysctl-read
  (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.") (sysctl-name-prefix "kern.os")
  (sysctl-name-prefix "kern.max") (sysctl-name-prefix "net.routetable.") (sysctl-name "kern.argmax")
  (sysctl-name "kern.hostname") (sysctl-name "kern.ngroups") (sysctl-name "kern.secure_kernel")
  (sysctl-name "kern.usrstack64") (sysctl-name "kern.version") (sysctl-name "sysctl.proc_cputype")
  (sysctl-name "vm.loadavg"))
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.system.logger") (global-name "com.apple.system.notification_center")
  (global-name "com.apple.SystemConfiguration.configd") (global-name "com.apple.trustd.agent"))
`

// seatbeltNetwork is the network as the user's. The first lines name hosts.
const seatbeltNetwork = `(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow mach-lookup (global-name "com.apple.dnssd.service"))
(allow system-socket)
(allow network-outbound (remote ip))
(allow network-bind network-inbound (local ip))
`

// profile returns the profile of seatbelt that shows what the arguments of bwrap show: there is one list of both. What
// they show at another path, or make, is not in it.
func (p *Plan) profile(arguments []string) string {
	var text strings.Builder
	text.WriteString(seatbeltBase)
	if !p.Offline {
		text.WriteString(seatbeltNetwork)
	}
	text.WriteString("(allow network-outbound (remote unix-socket (subpath " + scheme(p.Socket) + ")))\n")

	for i, word := range arguments {
		if word != "--bind" && word != "--ro-bind" || arguments[i+1] != arguments[i+2] {
			continue
		}
		path := " (subpath " + scheme(arguments[i+1]) + "))\n"
		text.WriteString("(allow file-read* file-map-executable" + path)
		if word == "--bind" {
			text.WriteString("(allow file-write*" + path)
		} else {
			text.WriteString("(deny file-write*" + path)
		}
	}

	return text.String()
}

// scheme returns a path as the profile's language writes it, without links: seatbelt knows no other.
func scheme(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(resolved(path)) + `"`
}
