package profile

import "slices"

// Relays reports whether the command line is that of a program that passes what is typed on to another machine, a
// container or a server of terminals. What reads it there is not seen.
func Relays(argv []string) bool {
	c := seeThrough(argv)
	words, known := relays[c.name()]
	return known && (words == nil || slices.ContainsFunc(c.rest, func(word string) bool {
		return slices.Contains(words, word)
	}))
}

// relays maps such programs to the words of which one makes them so; nil: always.
var relays = map[string][]string{
	"ssh": nil, "autossh": nil, "mosh": nil, "mosh-client": nil, "et": nil, "telnet": nil, "rlogin": nil,
	"tmux": nil, "screen": nil, "zellij": nil, "dtach": nil, "abduco": nil,
	"docker": containers, "docker-compose": containers, "podman": containers, "nerdctl": containers,
	"kubectl": containers, "oc": containers, "lxc": containers, "incus": containers,
	"distrobox": machines, "toolbox": machines, "machinectl": machines, "vagrant": machines, "limactl": machines,
	"multipass": machines, "adb": machines, "gcloud": machines, "fly": machines, "flyctl": machines, "heroku": machines,
}

var (
	containers = []string{"exec", "run", "attach", "start", "debug", "shell", "console"}
	machines   = []string{"ssh", "shell", "enter", "run", "login", "console"}
)
