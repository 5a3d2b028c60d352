package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/internal/must"
)

// What comes of a trick. Any other outcome is the key of a gap: by that it gets in.
const (
	isAgent  = "the agent"  // the call is the agent's own, and is refused
	stranger = "a stranger" // the call is nobody's, and is refused
	refused  = "no"         // nothing is reached
)

// gap is what parley does not stop, in the words of docs/security.md.
type gap struct{ key, words string }

// ways are those by which an agent without a sandbox can act as the operator.
var ways = []gap{
	{"service", "by a service of yours that runs something later or elsewhere: `at`, `cron`, `systemd-run`, D-Bus, ssh " +
		"to this machine, a build server, an editor with a socket"},
	{"files", "by your files and processes: parley's database, a key in a script or an environment of yours, what " +
		"your shell, git or another program of yours runs"},
	{"tmux", "by what it types into your own tmux, or into parley's"},
	{"daemon", "by ending the daemon and taking its lock, its notes and its socket: your commands send what they " +
		"have to say there"},
	{"keeper", "by ending the keeper, which `parley needs` and `parley doctor` tell"},
	{"macos", "on macOS, by a process that leaves its session and its environment"},
}

// open is what a sandbox leaves open.
var open = []gap{
	{"work", "what an agent writes into its directory, and you run"},
	{"sent", "what it sends over the network with what it was given"},
	{"dialog", "a dialog of its that you answer"},
	{"loopback", "what listens on loopback or on an abstract socket, unless `network: none`"},
	{"etc", "`/etc`, as far as you may read it"},
	{"objects", "the repository's objects, by which it can change what a file of `main` becomes at a later checkout"},
	{"hole", "a hole in the kernel, in bubblewrap or in parley"},
}

// trick is what an agent's program does to act as somebody else, or to reach what is not its own.
type trick struct {
	name   string // of its files
	words  string // on the page
	needs  string // a program that the machine must have
	script string // CALL issues a key; ORPHAN waits until its parent, $$, has ended
	plain  string // what comes of it without a sandbox; "": it is not tried
	sly    string // the same for a program that has taken parley's variables from its environment; "": as plain
	inside string // the key of the gap by which it gets something in a sandbox too
	made   string // the file that shows that it got in; "": it succeeds then
}

// tricks are all that are tried, with and without a sandbox, in their order.
var tricks = []trick{
	// To lose a parent, or to get a terminal.
	{"child", "a call of its own", "", "CALL", isAgent, "", "", ""},
	{"background", "an orphan", "", "sh -c 'ORPHAN $$ CALL &'", isAgent, "", "", ""},
	{"nohup", "an orphan with `nohup`", "nohup", "sh -c 'nohup ORPHAN $$ CALL &'", isAgent, "", "", ""},
	{"setsid", "an orphan in a session of its own", "setsid",
		"setsid sh -c 'ORPHAN $$ CALL &'", isAgent, stranger, "", ""},
	{"doublefork", "an orphan's child", "", "sh -c 'sh -c \"ORPHAN \\$\\$ CALL &\" &'", isAgent, "", "", ""},
	{"runshell", "`run-shell` of tmux", "", "tmux run-shell -b 'CALL'", stranger, "", "", ""},
	{"ifshell", "`if-shell` of tmux", "", "tmux if-shell -b 'CALL' ''", stranger, "", "", ""},
	{"pipepane", "`pipe-pane` of tmux", "", "tmux pipe-pane 'CALL'", stranger, "", "", ""},
	{"hook", "a hook of tmux", "", "tmux set-hook -g client-resized \"run-shell -b 'CALL'\" && " +
		"tmux set-hook -gR client-resized && tmux set-hook -gu client-resized", stranger, "", "", ""},
	{"window", "a window of parley's tmux", "", "tmux new-window -d 'CALL'", stranger, "", "", ""},
	{"session", "a session of parley's tmux", "", "tmux new-session -d 'CALL'", stranger, "", "", ""},
	{"othertmux", "a tmux of its own", "", "tmux -L other new-session -d 'CALL'", isAgent, stranger, "", ""},
	{"terminal", "another terminal", "script", "script -qec 'CALL' /dev/null </dev/null", isAgent, "", "", ""},
	{"orphanterminal", "an orphan with another terminal", "script",
		"setsid sh -c 'ORPHAN $$ script -qec \"CALL\" /dev/null </dev/null &'", isAgent, stranger, "", ""},
	{"at", "`at`", "atd", "echo 'CALL' | at now", isAgent, "service", "", ""},
	{"atterminal", "`at` with a terminal", "atd",
		"echo \"script -qec 'CALL' /dev/null\" | at now", isAgent, "service", "", ""},
	{"attmux", "`at` with a tmux of its own", "atd", "echo \"tmux -L at -f /dev/null new-session -d 'CALL'\" | at now",
		isAgent, "service", "", ""},
	{"atorphan", "an orphan of `at` with a terminal", "atd",
		"echo \"setsid sh -c 'ORPHAN \\$\\$ script -qec CALL /dev/null &'\" | at now", isAgent, "service", "", ""},
	{"unit", "`systemd-run`", "systemd-run", "systemd-run --user 'CALL'", "service", "", "", ""},
	{"login", "`ssh localhost`", "sshd", "ssh -o BatchMode=yes localhost CALL", "service", "", "", ""},
	{"elsewhere", "the same, as if from elsewhere", "sshd",
		"ssh -o BatchMode=yes localhost \"env SSH_CONNECTION='9.9.9.9 1 8.8.8.8 22' CALL\"", "service", "", "", ""},
	{"namespace", "a namespace of its own", "unshare", "unshare -Ur setsid sh -c 'ORPHAN $$ CALL &' || CALL",
		isAgent, stranger, "", ""},
	{"otheruser", "another user", "setpriv", "setpriv --reuid=65534 --clear-groups CALL || CALL", isAgent, "", "", ""},
	{"named", "the name `cron`", "bash", "bash -c '(exec -a cron sh CALL)'", isAgent, "", "", ""},
	{"sshd", "the name `sshd`, as if from elsewhere", "bash",
		"bash -c '(SSH_CONNECTION=\"9.9.9.9 1 8.8.8.8 22\" exec -a sshd sh CALL)'", isAgent, "", "", ""},

	// To reach the daemon otherwise.
	{"workspacesocket", "the workspace's socket", "", "env -u PARLEY_SOCKET sh CALL", isAgent, "", "", ""},
	{"port", "the port on loopback, without a key", "curl", "curl -sS -H 'Content-Type: application/json' " +
		"-d '{\"agent\":\"victim\"}' $http/api/issue_key", stranger, "", "", ""},
	{"page", "a link to the operator's page", "", "parley web --json", isAgent, "", "", ""},
	{"daemonofitsown", "a daemon of its own", "",
		"env -u PARLEY_SOCKET -u PARLEY_KEY sh -c 'parley serve & sleep 1; sh CALL'", isAgent, "", "", ""},
	{"daemonelsewhere", "the same in a namespace", "unshare", "unshare -Urpf --mount-proc " +
		"env -u PARLEY_SOCKET -u PARLEY_KEY sh -c 'parley serve & sleep 1; sh CALL' || CALL", isAgent, "", "", ""},
	{"database", "to read parley's database", "", `cat "$database" >/dev/null`, "files", "", "", ""},
	{"private", "to read another agent's own files", "", `ls "$private" | grep .`, "files", "", "", ""},
	{"panes", "to type through parley's tmux", "",
		`tmux -S "$panes" send-keys -t neighbour: -l x || tmux -S "$panes" list-panes -a`, "tmux", "", "", ""},
	{"tmux", "to type into the operator's tmux", "", `tmux -S "$tmux" send-keys -l x`, "tmux", "", "", ""},

	// To reach what is the user's, or another agent's.
	{"ssh", "to read a key of ssh", "", `cat "$home/.ssh/id_ed25519"`, "files", "", "", ""},
	{"bashrc", "to write what the shell runs", "", `echo evil >"$home/.bashrc"`, "files", "", "", "$home/.bashrc"},
	{"settings", "to write settings of its program", "",
		`mkdir -p "$home/.claude" && echo evil >"$home/.claude/settings.json"`, "files", "", "", "$home/.claude/settings.json"},
	{"environment", "to read a key in the environment of its launch", "",
		`tr '\0' '\n' </proc/1/environ | grep SECRET= || env | grep SECRET=`, "files", "", "", ""},
	{"environ", "to read a key in the environment of a process", "",
		`tr '\0' '\n' <"/proc/$outsider/environ" | grep OUTSIDE=`, "files", "", "", ""},
	{"processes", "to see the commands of processes", "",
		`tr '\0' ' ' <"/proc/$outsider/cmdline" | grep sleep`, "files", "", "", ""},
	{"kill", "to end a process", "", `grep sleep "/proc/$outsider/comm" && kill -0 "$outsider"`, "files", "", "", ""},
	{"tty", "to write on another terminal", "", `echo x >"$tty"`, "files", "", "", ""},
	{"memory", "to read shared memory", "", `cat "$memory"`, "files", "", "", ""},
	{"bus", "to reach sockets of the session", "", `ls "$run/bus"`, "files", "", "", ""},
	{"services", "to reach what the system's services keep", "", `ls /var/lib`, "files", "", "", ""},
	{"neighbour", "to read another worktree", "", `cat "$neighbour/secret"`, "files", "", "", ""},
	{"checkout", "to write into the main checkout", "", `echo evil >"$repo/evil"`, "files", "", "", "$repo/evil"},
	{"etc", "to read `/etc/passwd`", "", `cat /etc/passwd`, "files", "", "etc", ""},
	{"loopback", "to call a server on loopback", "bash",
		`bash -c ": <>/dev/tcp/127.0.0.1/$port"`, "files", "", "loopback", ""},
	{"abstract", "to call an abstract socket", "perl", `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); ` +
		`connect(S, pack_sockaddr_un("\0$ARGV[0]")) or exit 1' "$abstract"`, "files", "", "loopback", ""},

	// To change what git does for others.
	{"makefile", "to write a Makefile into its worktree", "", `echo evil >Makefile`, "files", "", "work", ""},
	{"objects", "to write an object", "", `echo evil | git hash-object -w --stdin`, "files", "", "objects", ""},
	{"githook", "to write a hook", "",
		`echo evil >"$common/hooks/post-checkout"`, "files", "", "", "$common/hooks/post-checkout"},
	{"gitconfig", "to change the configuration", "", `git config core.fsmonitor evil`, "files", "", "", ""},
	{"gitown", "to change that of its worktree", "",
		`: >>"$gitdir/config.worktree" && echo "[a]" >>"$gitdir/config.worktree"`, "files", "", "", ""},
	{"attributes", "to write attributes", "", `echo '* filter=evil' >"$common/info/attributes"`, "files", "", "", ""},
	{"branch", "to move another branch", "", `git update-ref refs/heads/victim HEAD`, "files", "", "", ""},
	{"tag", "to make a tag", "", `git tag "evil$$"`, "files", "", "", ""},
	{"remote", "to move a branch of a remote", "", `git update-ref refs/remotes/origin/main HEAD`, "files", "", "", ""},
	{"gitdir", "to lead its worktree to another repository", "", `: >>.git && mv .git away && mv away .git`,
		"files", "", "", ""},
	{"commondir", "to lead it to another configuration", "",
		`cp "$gitdir/commondir" /tmp/c$$ && cat /tmp/c$$ >"$gitdir/commondir"`, "files", "", "", ""},

	// The last one without a sandbox: with the keeper, what an orphan was a child of is gone.
	{"keeper", "an orphan, once it has ended the keeper", "setsid",
		"kill -9 $(ps -o ppid= -p \"$(tmux display-message -p '#{pid}')\") && setsid sh -c 'ORPHAN $$ CALL &'",
		"", "keeper", "", ""},

	// What would harm the machine that tries it.
	{"system", "to write a system program", "", `echo evil >/usr/bin/evil`, "", "", "", ""},
	{"kernel", "to set what the kernel runs", "", `echo evil >/proc/sys/kernel/core_pattern`, "", "", "", ""},
	{"device", "to make a device", "", `mknod /tmp/device c 1 3`, "", "", "", ""},
	{"mark", "to take away what marks a sandbox", "",
		`rmdir /parley-sandbox || umount /parley-sandbox || mv /parley-sandbox /x`, "", "", "", ""},
	{"unmount", "to unmount what hides a file, in a namespace", "unshare",
		`unshare -Urm sh -c 'umount /tmp; cat "$home/.ssh/id_ed25519"'`, "", "", "", ""},
	{"enter", "to enter the namespace of the first process", "nsenter", `nsenter -t 1 -m cat "$home/.ssh/id_ed25519"`,
		"", "", "", ""},
}

// tried are tricks of an agent or of somebody else that a test of its own plays.
var tried = []struct{ who, words, comes, test string }{
	{"an agent", "it shows a key of the operator's that it found", "it does not count",
		"cmd/parley.TestOperatorsKeyCountsNowhereInAnAgentsTerminal"},
	{"an agent", "it ends the daemon and starts one as it likes", "its environment, flags and files decide nothing",
		"cmd/parley.TestAgentThatStartsTheDaemonDecidesNothing"},
	{"an agent", "a key of the operator's over TCP, by any address", "it does not count",
		"internal/daemon.TestOperatorsKeyCountsByWhoShowsIt"},
	{"an agent", "a call during its launch", "it is the agent's", "internal/daemon.TestCallDuringALaunchIsTheAgents"},
	{"an agent", "a call by a process that has ended, or cannot be placed", "it is nobody's",
		"internal/daemon.TestProcessThatCannotBePlacedIsNobody"},
	{"an agent", "a connection from before its pane was adopted", "it is the agent's then",
		"internal/daemon.TestCallerIsDeterminedAgainAfterAdoption"},
	{"an agent", "its pane is adopted after it has shown a key",
		"the key counts no more", "internal/daemon.TestKeyIsLookedAtAgainAfterAdoption"},
	{"an agent", "a connection that cannot be traced",
		"it is not believed", "internal/daemon.TestConnectionsThatCannotBeTracedAreNotBelieved"},
	{"an agent", "any operation that is not an agent's", "refused", "cmd/parley.TestEveryOperationIsForThoseItIsFor"},
	{"an agent", "the code of a notice, a second time", "refused", "orchestrator.TestACodeAnswersOneDialogOnce"},
	{"an agent", "a launch out of its sandbox",
		"refused", "orchestrator/terminal.TestOnlyTheOperatorTakesALaunchOutOfASandbox"},
	{"an agent", "a link where its next sandbox shows something",
		"refused", "program/sandbox.TestASandboxRefusesToShowParley"},
	{"an agent", "a link in its private home", "it is not followed", "program/sandbox.TestThePrivateHome"},
	{"an agent", "a script that names what its sandbox is to show",
		"it shows nothing", "program/sandbox.TestWhatAnAgentWritesShowsItNothing"},
	{"an agent", "a text like parley's own", "it is quoted", "plain.TestImitationsAreQuotedWhereverTheyStand"},
	{"any program", "the socket of a daemon that was killed", "it is sent nothing", "cmd/parley.TestAThiefOfTheSocket"},
	{"any user", "the port of a daemon that is away", "what open pages send there is good for nothing",
		"cmd/parley.TestAThiefOfThePort"},
	{"any user", "thousands of connections", "others are served", "internal/daemon.TestStrangersShutNobodyOut"},
	{"a repository", "hooks, and programs in its configuration", "parley's git runs none",
		"orchestrator/worktree.TestHooksOfTheConfigurationAreSwitchedOff"},
	{"a repository", "filters",
		"parley's git runs none", "orchestrator/worktree.TestFilterThatCannotBeSwitchedOffIsRefused"},
	{"a repository", "a `parley.yaml` that nobody has trusted", "it runs, sends and opens nothing",
		"internal/daemon.TestWhateverNeedsTrustIsClaimed"},
	{"a web page", "another origin, and another host's name", "refused", "httpapi.TestHostAndOriginAreChecked"},
	{"a web page", "a program on a neighbouring port, in your browser",
		"blocked", "cmd/parley.TestANeighbourInABrowser"},
}

// The page lists all tricks, and security.md what is left, as the tests have it.
func TestThePageOfTricksIsAsTheTestsSay(t *testing.T) {
	known := testsOf(t, "../..")
	page := tricksHead + "\n## An agent\n\n" +
		"| it tries | with its environment as it is | cleared of parley | in a sandbox |\n|---|---|---|---|\n"
	for _, k := range tricks {
		plain, sly := comes(k.plain), comes(k.sly)
		if k.sly == "" {
			sly = plain
		}
		page += fmt.Sprintf("| %s | %s | %s | %s |\n", k.words, plain, sly, comes(orRefused(k.inside)))
	}
	page += "\n## Others, and an agent otherwise\n\n| who | what | what comes of it | test |\n|---|---|---|---|\n"
	for _, k := range tried {
		page += fmt.Sprintf("| %s | %s | %s | `%s` |\n", k.who, k.words, k.comes, k.test)
		if !known[k.test] {
			t.Errorf("%s: there is no test %s", k.words, k.test)
		}
	}
	page += "\n## What gets in\n\nWithout a sandbox:\n\n" + list(ways) +
		"\nIn a sandbox it reaches no more than:\n\n" + list(open)

	security := documents(t)["security.md"]
	for mark, gaps := range map[string][]gap{"ways": ways, "open": open} {
		before, after, _ := strings.Cut(security, "<!-- "+mark+" -->\n")
		_, after, _ = strings.Cut(after, "<!-- /"+mark+" -->")
		security = before + "<!-- " + mark + " -->\n" + list(gaps) + "<!-- /" + mark + " -->" + after
	}
	for file, text := range map[string]string{"measured/tricks.md": page, "security.md": security} {
		if *update {
			must.Do(t, os.WriteFile("../../docs/"+file, []byte(text), 0o644))
		}
		if got, err := os.ReadFile("../../docs/" + file); err != nil || string(got) != text {
			t.Errorf("docs/%s is not up to date (%v); "+
				"run: go test ./cmd/parley -run TestThePageOfTricks -update", file, err)
		}
	}
}

const tricksHead = `# Tricks

What an agent that means harm can try, what comes of it, and what is left. [security.md](../security.md) says what
parley promises. The tables are those of the tests, which play the first one: ` + "`go test ./cmd/parley -run Trick`" + `;
what needs ` + "`atd`" + `, ` + "`systemd-run`" + ` or an sshd, where there is one.

A call asks for another agent's key. It is refused as **the agent**'s, or as **a stranger**'s. Whatever gets in is in
bold, with its number in the [list](#what-gets-in) of what is left, which security.md has word for word. What would harm
the machine is tried in a sandbox alone.
`

func orRefused(key string) string {
	if key == "" {
		return refused
	}
	return key
}

// comes returns the words of what comes of a trick.
func comes(key string) string {
	for what, gaps := range map[string][]gap{"without": ways, "in": open} {
		for i, g := range gaps {
			if g.key == key {
				return fmt.Sprintf("**yes** (%s %d)", what, i+1)
			}
		}
	}
	if key == "" {
		return "not tried"
	}
	return key
}

func list(gaps []gap) (text string) {
	for i, g := range gaps {
		text += fmt.Sprintf("%d. %s\n", i+1, g.words)
	}
	return text
}
