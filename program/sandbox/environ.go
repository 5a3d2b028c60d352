package sandbox

import (
	"path"
	"runtime"
	"slices"
	"strings"
)

// passed are the variables that a program in a sandbox gets from its launch, with * for any letters: those by which it
// finds programs, speaks the user's language and reaches the network. None of them leads out.
var passed = []string{
	"PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "EDITOR", "VISUAL", "PAGER",
	"TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PWD",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"PARLEY_AGENT", "PARLEY_SOCKET", "PARLEY_AGENT_ID", "PARLEY_KEY", "PARLEY_DIR",
}

// Environ returns the part of an environment that a program in a sandbox gets, with its private home. more has names
// besides the usual ones, of its profile and of the launch, with * for any letters.
func Environ(env []string, home string, more []string) []string {
	names := slices.Concat(passed, more)
	kept := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.ContainsFunc(names, func(pattern string) bool {
			ok, err := path.Match(pattern, name)
			return ok && err == nil
		})
	})
	temporary := "/tmp"
	if runtime.GOOS == "darwin" { // where nothing can be hidden by a mount
		temporary = home + "/tmp"
	}
	return append(kept, "HOME="+home, "TMPDIR="+temporary)
}
