package daemon

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"parley"
	"parley/internal/notify"
	"parley/internal/place"
	"parley/internal/plainfile"
	"parley/internal/setting"
	"parley/orchestrator"
	"parley/orchestrator/conversation"
	"parley/orchestrator/meter"
	"parley/orchestrator/settings"
	"parley/plain"
	"parley/program/profile"
)

// Team is parley.yaml: the agents that `parley up` launches, the settings, and the
// workspace's own profiles. The JSON schema is read off the tags.
type Team struct {
	Agents       []Agent                    `yaml:"agents" doc:"The agents that parley up launches, in this order."`
	Settings     Settings                   `yaml:"settings" doc:"Settings of the daemon. PARLEY_NAME in the environment overrides each, a flag of parley serve overrides both."`
	Worktrees    Worktrees                  `yaml:"worktrees" doc:"What a new git worktree gets before its agent starts."`
	Conversation conversation.Settings      `yaml:"conversation" doc:"What agents may say to each other before a person speaks again."`
	Attach       AttachSettings             `yaml:"attach" doc:"How agents' terminals treat you when you attach. PARLEY_ATTACH_NAME in the environment overrides each."`
	Screen       ScreenSettings             `yaml:"screen" doc:"How the screen treats you. PARLEY_SCREEN_NAME in the environment overrides each."`
	Prices       meter.Prices               `yaml:"prices" doc:"What a million tokens of a model cost, by the model's name or, with * at the end, its beginning."`
	Budget       meter.Budget               `yaml:"budget" doc:"What the programs of all agents together may use on a day."`
	Notify       notify.Settings            `yaml:"notify" doc:"How, when and of what you are told while you are away."`
	Web          settings.PageSettings      `yaml:"web" doc:"How the page in a browser treats you."`
	Responders   []Responder                `yaml:"responders" doc:"The agents for which a model answers at once."`
	Profiles     map[string]yaml.RawMessage `yaml:"profiles" doc:"Profiles of your own, or changes to built-in ones: a name and the keys that differ."`

	File      string   `yaml:"-"` // its real path; "" if there is none
	Hash      string   `yaml:"-"` // the SHA-256 of its content, in hexadecimal
	Claims    []Claim  `yaml:"-"` // what the file runs, opens, sends and deletes
	Untrusted []string `yaml:"-"` // files of learned profiles that parley ignores, for the same reason
	Withheld  []Claim  `yaml:"-"` // the parts that parley ignores, because the user does not trust the file

	LeftOut []*parley.Error `yaml:"-"` // what is wrong with profiles of the user's own, which do not count
}

// Agent is one agent of the team.
type Agent struct {
	Name             string   `yaml:"name" required:"true" doc:"A letter, then letters, digits, - or _, at most 32."`
	Profile          string   `yaml:"profile" doc:"What kind of program it is; if left out, found by its name, or generic."`
	Host             string   `yaml:"host" doc:"The machine of the team on which it runs, if several share a database: then dir is relative to the workspace there, and the rest of its environment is that of the daemon there."`
	Command          []string `yaml:"command" doc:"The program and its arguments; the profile's own if left out."`
	Dir              string   `yaml:"dir" doc:"Working directory, relative to this file; the workspace if left out."`
	Worktree         string   `yaml:"worktree" doc:"true: a git worktree and a branch of its own, parley/NAME, in a sandbox parley/NAME/work; or the name of a branch."`
	Model            string   `yaml:"model" doc:"The model that the program is to use, in the program's own word."`
	Prompt           string   `yaml:"prompt" doc:"The first message to it, or @FILE, relative to this file."`
	PromptEvery      string   `yaml:"prompt_every" doc:"When its prompt comes again, such as weekdays 9:00 or 30m."`
	PromptZone       string   `yaml:"prompt_zone" doc:"The zone of these times, such as Europe/Berlin; that of parley up if left out."`
	parley.AgentSpec `yaml:",inline"`
	Toolsets         []string          `yaml:"toolsets" doc:"The groups of MCP tools that it is offered, of those that mcp_toolsets leaves: messages, team, threads, schedules, files, orchestrate; all if left out."`
	Env              map[string]string `yaml:"env" doc:"Variables of its environment; the rest is that of parley up."`
	Resume           *bool             `yaml:"resume" doc:"Whether parley up and a restart continue its program's conversation; true if left out."`
	Budget           meter.Budget      `yaml:"budget" doc:"What its program may use on a day."`
	Size             string            `yaml:"size" doc:"Columns and rows of its terminal, such as 200x50."`
}

// LoadTeam reads and checks a parley.yaml, whether or not the user trusts it. Unless must is
// set, a missing file counts as an empty one.
func LoadTeam(file string, must bool) (*Team, error) { return loadOver(&Team{}, file, must) }

// Load returns what counts in a workspace: the user's own file, and what the workspace's says
// more or otherwise. Without the user's trust, only the harmless part of the latter counts.
func Load(at place.Place, env Environ) (*Team, error) {
	own, err := loadOwn(env)
	if err != nil {
		return nil, err
	}

	base := *own
	base.Profiles, base.Responders = nil, nil // Untrusted and LeftOut stay
	base.Screen.Keys, base.Screen.Filters = maps.Clone(own.Screen.Keys), maps.Clone(own.Screen.Filters)
	t, err := loadOver(&base, at.TeamFile(), false)
	if err != nil {
		return nil, err
	}

	if !TrustOf(env).Has(t) {
		t.withhold(own)
		return t, nil
	}
	t.add(own)

	return t, nil
}

// loadOwn reads the user's own file, which may be missing.
func loadOwn(env Environ) (*Team, error) {
	dir := configDir(env)
	if dir == "" {
		return LoadTeam("", false)
	}

	t, err := LoadTeam(filepath.Join(dir, "parley", "parley.yaml"), false)
	if err == nil && len(t.Agents) > 0 {
		err = parley.Errorf(parley.InvalidArgument, "%s names agents", t.File).
			Suggest("Agents belong into the parley.yaml of a workspace.")
	}
	if err != nil {
		return nil, err
	}

	t.Profiles, t.LeftOut = sound(t.File, t.Profiles)
	addLearned(env, t)

	return t, nil
}

// add adds the profiles and responders of the user's own file that the workspace does not name.
func (t *Team) add(own *Team) {
	profiles := map[string]yaml.RawMessage{}
	maps.Copy(profiles, own.Profiles)
	maps.Copy(profiles, t.Profiles)
	t.Profiles = profiles

	for _, r := range own.Responders {
		if !slices.ContainsFunc(t.Responders, func(o Responder) bool { return strings.EqualFold(o.Name, r.Name) }) {
			t.Responders = append(t.Responders, r)
		}
	}
}

// loadOver reads a file into t: what the file does not name stays as it is.
func loadOver(t *Team, file string, must bool) (*Team, error) {
	t.File, t.Hash, t.Claims = "", "", nil
	if t.Settings == (Settings{}) { // else zeros of the user's own file are meant
		setting.Fill(&t.Settings)
	}
	if t.Conversation == (conversation.Settings{}) {
		t.Conversation = conversation.Defaults()
	}
	t.Attach.fill()
	if reflect.ValueOf(t.Notify).IsZero() { // else the same
		setting.Fill(&t.Notify)
	}
	before := *t
	before.Screen.Keys = maps.Clone(t.Screen.Keys)

	text, err := plainfile.Read(file, maxTeamFile)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return t, nil
	}

	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "%s cannot be read: %w", file, place.PathCause(err)).
			Suggest("Give a file that is there; parley init writes one.")
	}
	if err := decodeYAML(file, text, t); err != nil {
		return nil, err
	}

	if t.Settings == (Settings{}) { // "settings:" without any
		t.Settings = before.Settings
	}
	if reflect.ValueOf(t.Notify).IsZero() {
		t.Notify = before.Notify
	}
	if t.Conversation == (conversation.Settings{}) { // "conversation:" without any
		t.Conversation = before.Conversation
	}
	t.Conversation = t.Conversation.Filled()
	t.Attach.fill() // "attach:" without any
	if err := t.check(filepath.Base(file)); err != nil {
		return nil, err
	}
	t.File, t.Hash, t.Claims = place.RealPath(file), hashOf(text), t.claims(&before)

	return t, nil
}

// check refuses what the types allow and the daemon does not. File is the name of the
// file.
func (t *Team) check(file string) error {
	seen := map[string]bool{} // by agents' names in lower case
	for i, a := range t.Agents {
		if err := parley.CheckName(a.Name); err != nil {
			e := parley.AsError(err)
			return parley.Errorf(e.Code, "%s: agent %d: %w", file, i+1, err).Suggest("%s", e.Action)
		}

		if seen[strings.ToLower(a.Name)] {
			return duplicateName(file, a.Name)
		}
		seen[strings.ToLower(a.Name)] = true

		if err := cmp.Or(a.checkToolsets(file), a.checkPrompt(file)); err != nil {
			return err
		}
		if err := t.Agents[i].Budget.Check(file + ": the budget of " + a.Name); err != nil {
			return err
		}
		if _, _, err := ParseSize(a.Size); err != nil {
			e := parley.AsError(err)
			return parley.Errorf(e.Code, "%s: agent %s: %w", file, a.Name, err).Suggest("%s", e.Action)
		}
	}

	if err := cmp.Or(t.Screen.check(file), t.Attach.check(file+": attach")); err != nil {
		return err
	}
	if err := setting.Check(&t.Conversation, file+": conversation"); err != nil {
		return err
	}
	if err := t.Prices.Check(file + ": prices"); err != nil {
		return err
	}
	if err := t.Budget.Check(file + ": budget"); err != nil {
		return err
	}
	if err := t.Notify.Check(file + ": notify"); err != nil {
		return err
	}
	if err := t.Web.Check(file + ": web"); err != nil {
		return err
	}
	if err := t.checkResponders(file, seen); err != nil {
		return err
	}

	return t.Settings.check(file)
}

func duplicateName(file, name string) error {
	return parley.Errorf(parley.InvalidArgument, "%s: two agents are named %s", file, name).
		Suggest("Give each its own name.")
}

func (t *Team) service() settings.Settings {
	s := t.Settings.Settings
	s.Conversation, s.Web, s.Given = t.Conversation, t.Web, true
	return s
}

// costs returns the prices and the budgets.
func (t *Team) costs() orchestrator.Costs {
	c := orchestrator.Costs{Prices: t.Prices, Team: t.Budget, Agents: map[string]meter.Budget{}}
	for _, a := range t.Agents {
		c.Agents[strings.ToLower(a.Name)] = a.Budget
	}
	return c
}

// ProfileSet returns the built-in profiles with the team's own.
func (t *Team) ProfileSet() (profile.Set, error) {
	set, wrong := profile.Load(t.Profiles)
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		return profile.Set{}, wrongProfile(t.File, name, wrong[name])
	}
	return set, nil
}

// sound returns the profiles of a file without those that have a mistake, and what that is. The user's own file must
// not stop a workspace that does not need them.
func sound(file string, profiles map[string]yaml.RawMessage) (good map[string]yaml.RawMessage, bad []*parley.Error) {
	_, wrong := profile.Load(profiles)
	good = maps.Clone(profiles)
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		bad = append(bad, wrongProfile(file, name, wrong[name]))
		delete(good, name)
	}
	return good, bad
}

// wrongProfile says where in a file the mistake in a profile stands.
func wrongProfile(file, name string, wrong error) *parley.Error {
	e := parley.AsError(wrong)
	text, err := plainfile.Read(file, maxTeamFile)
	if err != nil {
		return e
	}

	key, _ := e.Details["key"].(string)
	line := profile.LineOf(text, append([]string{"profiles", name}, strings.Split(key, ".")...)...)
	if line == 0 { // of another file
		return e
	}
	return parley.Errorf(e.Code, "%s:%d: %w", file, line, e).
		With("file", file).With("line", line).With("profile", name).Suggest("%s", e.Action)
}

var sizeForm = regexp.MustCompile(`^([1-9][0-9]{0,3})x([1-9][0-9]{0,3})$`)

// ParseSize parses COLUMNSxROWS; an empty size is 0, 0.
func ParseSize(size string) (width, height int, err error) {
	if size == "" {
		return 0, 0, nil
	}

	m := sizeForm.FindStringSubmatch(size)
	if m == nil {
		return 0, 0, parley.Errorf(parley.InvalidArgument, "size is %q", plain.CleanLine(size)).
			With("parameter", "size").
			Suggest("Give columns and rows, such as 200x50.")
	}

	width, _ = strconv.Atoi(m[1]) // four digits at most
	height, _ = strconv.Atoi(m[2])

	return width, height, nil
}
