package daemon

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"parley/internal/notify"
	"parley/internal/setting"
	"parley/internal/sh"
	"parley/orchestrator/responder"
	"parley/orchestrator/settings"
	"parley/plain"
	"parley/store"
)

// Claim is one thing that a parley.yaml asks for and that counts only if the user trusts the file.
type Claim struct {
	Key   string `json:"key"`   // where it stands: agents, profiles, responders, or the name of a setting
	Words string `json:"words"` // what it does, in one line or, for a profile, several
}

// claims lists what a file runs, opens, sends and deletes. Before is what counts without it.
func (t *Team) claims(before *Team) []Claim {
	return slices.Concat(t.agentClaims(), t.worktreeClaims(), t.profileClaims(), t.responderClaims(),
		t.settingClaims(&before.Settings), t.notifyClaims(&before.Notify), t.webClaims(&before.Web),
		t.clipboardClaims(before.Attach.Clipboard), t.keyClaims(before.Screen.Keys))
}

func (t *Team) agentClaims() []Claim {
	var all []Claim
	for _, a := range t.Agents {
		command := sh.Line(a.Command)
		if command == "" {
			command = "the program of the profile " + cmp.Or(a.Profile, "generic")
		}

		words := fmt.Sprintf("agent %s runs %s", a.Name, command)
		if a.Dir != "" {
			words += " in " + a.Dir
		}
		for _, name := range slices.Sorted(maps.Keys(a.Env)) {
			words += fmt.Sprintf(", with %s=%s", name, a.Env[name])
		}
		if a.Sandbox != nil && !*a.Sandbox {
			words += ", in no sandbox"
		}
		if a.Prompt != "" {
			words += ", and is told: " + a.Prompt
			if a.PromptEvery != "" {
				words += ", every " + strings.TrimPrefix(a.PromptEvery, "every ")
			}
		}
		all = append(all, Claim{"agents", plain.CleanLine(words)})
	}

	return all
}

func (t *Team) profileClaims() []Claim {
	var all []Claim
	for _, name := range slices.Sorted(maps.Keys(t.Profiles)) {
		words := []string{"profile " + plain.CleanLine(name) + " says how a program is started and typed into:"}
		for line := range strings.Lines(string(t.Profiles[name])) {
			words = append(words, strings.TrimRight("  "+cleanIndented(line), " "))
		}
		all = append(all, Claim{"profiles", strings.Join(words, "\n")})
	}

	return all
}

// cleanIndented cleans a line and keeps its indentation, which has a meaning in YAML.
func cleanIndented(line string) string {
	text := strings.TrimLeft(line, " ")
	return line[:len(line)-len(text)] + plain.CleanLine(text)
}

func (t *Team) responderClaims() []Claim {
	var all []Claim
	for _, r := range t.Responders {
		key := r.APIKeyEnv
		if r.BaseURL == "" {
			key = cmp.Or(key, "OPENAI_API_KEY")
		}

		words := fmt.Sprintf("responder %s sends messages to %s", r.Name,
			cmp.Or(r.BaseURL, responder.HostedURL+" (OPENAI_BASE_URL if that is set)"))
		if key != "" {
			words += ", with the content of $" + key
		}
		all = append(all, Claim{"responders", plain.CleanLine(words)})
	}

	return all
}

func (t *Team) settingClaims(before *Settings) []Claim {
	var all []Claim
	for _, f := range SettingFields() {
		if value := f.Value(&t.Settings); f.Trusted && value != f.Value(before) {
			if f.Name == databaseSetting && value != "" {
				value = store.PlaceOf(value) // without the password
			}
			all = append(all, Claim{f.Name, plain.CleanLine(f.Name + " is " + value)})
		}
	}

	return all
}

// notifyClaims tells where notices go, which have the beginnings of messages in them, and what else of them needs
// trust.
func (t *Team) notifyClaims(before *notify.Settings) []Claim {
	now := &t.Notify
	var all []Claim
	var told []string // names of settings
	if c := sh.Line(now.Command); c != "" && c != sh.Line(before.Command) {
		all, told = append(all, Claim{"notify", plain.CleanLine("notify runs " + c)}), append(told, "command")
	}

	for _, to := range []struct{ name, address, token, oldAddress, oldToken string }{
		{"webhook", now.Webhook, now.WebhookTokenEnv, before.Webhook, before.WebhookTokenEnv},
		{"ntfy", now.Ntfy, now.NtfyTokenEnv, before.Ntfy, before.NtfyTokenEnv},
	} {
		if to.address == "" || to.address == to.oldAddress && to.token == to.oldToken {
			continue
		}
		words := "notify sends what needs you to " + to.address
		if to.token != "" {
			words += ", with the content of $" + to.token
		}
		all, told = append(all, Claim{"notify", plain.CleanLine(words)}), append(told, to.name, to.name+"_token_env")
	}

	for _, f := range setting.Fields(reflect.TypeFor[notify.Settings]()) {
		value := cmp.Or(f.Value(now), "empty")
		if f.Trusted && f.Value(now) != f.Value(before) && !slices.Contains(told, f.Name) {
			all = append(all, Claim{"notify", plain.CleanLine("notify." + f.Name + " is " + value)})
		}
	}

	return all
}

// webClaims tells what the page may do beyond its defaults.
func (t *Team) webClaims(before *settings.PageSettings) []Claim {
	var all []Claim
	for _, f := range setting.Fields(reflect.TypeFor[settings.PageSettings]()) {
		if value := f.Value(&t.Web); f.Trusted && value != f.Value(before) {
			all = append(all, Claim{"web", plain.CleanLine("web." + f.Name + " is " + value)})
		}
	}
	return all
}

// clipboardReach orders who may fill the clipboard, from which a person pastes into a shell.
var clipboardReach = []string{"none", "selection", "programs"}

// opensClipboard reports whether the file lets more fill the clipboard than counts without it. One that lets less do so
// needs no trust.
func (t *Team) opensClipboard(before string) bool {
	return slices.Index(clipboardReach, t.Attach.Clipboard) > slices.Index(clipboardReach, before)
}

func (t *Team) clipboardClaims(before string) []Claim {
	what := map[string]string{"selection": "what you select", "programs": "programs"}[t.Attach.Clipboard]
	if !t.opensClipboard(before) {
		return nil
	}
	return []Claim{{"attach", "attach lets " + what + " fill your clipboard"}}
}

// keyClaims tells which keys of the screen get another meaning: a person presses them without looking.
func (t *Team) keyClaims(before map[string]string) []Claim {
	if maps.Equal(t.Screen.Keys, before) {
		return nil
	}
	var words []string
	for _, action := range slices.Sorted(maps.Keys(t.Screen.Keys)) {
		words = append(words, action+" is "+t.Screen.Keys[action])
	}
	return []Claim{{"screen", plain.CleanLine("screen sets keys: " + strings.Join(words, ", "))}}
}

// withhold takes out of a file what the user does not trust, and puts the user's own in its place.
// Agents stay: only parley up launches them, and it asks first.
func (t *Team) withhold(own *Team) {
	t.Withheld = slices.DeleteFunc(slices.Clone(t.Claims), func(c Claim) bool { return c.Key == "agents" })
	t.Profiles, t.Responders, t.Worktrees = own.Profiles, own.Responders, own.Worktrees
	t.Screen.Keys = own.Screen.Keys
	if t.opensClipboard(own.Attach.Clipboard) {
		t.Attach.Clipboard = own.Attach.Clipboard
	}

	for _, f := range SettingFields() {
		if f.Trusted {
			f.Copy(&t.Settings, &own.Settings)
		}
	}
	for _, f := range setting.Fields(reflect.TypeFor[notify.Settings]()) {
		if f.Trusted {
			f.Copy(&t.Notify, &own.Notify)
		}
	}
	t.Web = own.Web
}

// WithheldWords names the parts of the files that parley ignores, "" if there are none.
func (t *Team) WithheldWords() string {
	var words []string
	if len(t.Withheld) > 0 {
		words = append(words, "parley.yaml is not trusted; parley ignores its "+keysOf(t.Withheld))
	}
	for _, file := range t.Untrusted {
		words = append(words, plain.CleanLine(file)+" is not trusted, and ignored: parley trust "+sh.Word(file))
	}
	return strings.Join(words, "; ")
}

// keysOf names the keys of claims, each once: "agents, profiles and http_address".
func keysOf(claims []Claim) string {
	var keys []string
	for _, c := range claims {
		if !slices.Contains(keys, c.Key) {
			keys = append(keys, c.Key)
		}
	}

	if n := len(keys); n > 1 {
		return strings.Join(keys[:n-1], ", ") + " and " + keys[n-1]
	}
	return strings.Join(keys, "")
}
