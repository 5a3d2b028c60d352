package daemon

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"parley"
	"parley/internal/plainfile"
	"parley/internal/when"
	"parley/mcpserver"
	"parley/plain"
	"parley/program/profile"
	"parley/program/sessions"
)

// Responder is a responder of parley.yaml: an agent for which a model answers.
type Responder struct {
	Name         string                 `yaml:"name" required:"true" doc:"A letter, then letters, digits, - or _, at most 32."`
	Model        string                 `yaml:"model" required:"true" doc:"The model that answers, as its server names it."`
	SystemPrompt string                 `yaml:"system_prompt" doc:"What the model is told before every conversation."`
	Temperature  *float64               `yaml:"temperature" min:"0" max:"2" doc:"The sampling temperature. Unless set, the server chooses."`
	MaxTokens    int                    `yaml:"max_tokens" min:"0" max:"1000000" doc:"The longest answer, in tokens. Unless set, the server chooses."`
	BaseURL      string                 `yaml:"base_url" doc:"The address of a server that speaks chat completions, such as http://127.0.0.1:11434/v1; OPENAI_BASE_URL of the daemon's environment or else OpenAI unless set. A query such as ?api-version=2024-10-21 stays one."`
	APIKeyEnv    string                 `yaml:"api_key_env" doc:"The variable of the daemon's environment that holds the key; OPENAI_API_KEY unless base_url is set. Never the key itself."`
	AutoRespond  *bool                  `yaml:"auto_respond" doc:"false makes it a mailbox for now."`
	Role         string                 `yaml:"role" doc:"Its role in the team."`
	Description  string                 `yaml:"description" doc:"What it is for, in a sentence."`
	Capabilities []string               `yaml:"capabilities" doc:"What it can do, one word or phrase each."`
	Groups       []string               `yaml:"groups" doc:"Groups it is a member of."`
	Additional   parley.ResponderExtras `yaml:"additional_config" doc:"How messages and answers are handled."`
}

func (a *Responder) config() parley.ResponderConfig {
	return parley.ResponderConfig{
		ModelID:      a.Model,
		SystemPrompt: a.SystemPrompt,
		Temperature:  a.Temperature,
		MaxTokens:    a.MaxTokens,
		BaseURL:      a.BaseURL,
		APIKeyEnv:    a.APIKeyEnv,
		Additional:   a.Additional,
	}
}

// Declared returns the responders of the file. They were checked when it was read.
func (t *Team) Declared() []parley.DeclaredResponder {
	var all []parley.DeclaredResponder
	for _, a := range t.Responders {
		config := a.config()
		_ = config.Check() // fills in the defaults
		all = append(all, parley.DeclaredResponder{
			Name:         a.Name,
			Description:  a.Description,
			Role:         a.Role,
			Capabilities: a.Capabilities,
			Groups:       a.Groups,
			Responder: parley.Responder{
				ResponderConfig: config,
				AutoRespond:     a.AutoRespond == nil || *a.AutoRespond,
				Origin:          parley.FromFile,
			},
		})
	}

	return all
}

// checkResponders refuses responders that are invalid or have a name of seen.
func (t *Team) checkResponders(file string, seen map[string]bool) error {
	for _, a := range t.Responders {
		config := a.config()
		err := parley.CheckName(a.Name)
		if err == nil {
			err = config.Check()
		}

		if err != nil {
			e := parley.AsError(err)
			return parley.Errorf(e.Code, "%s: responder %s: %w", file, plain.CleanLine(a.Name), err).
				Suggest("%s", e.Action)
		}

		if seen[strings.ToLower(a.Name)] {
			return duplicateName(file, a.Name)
		}

		seen[strings.ToLower(a.Name)] = true
	}

	return nil
}

// Worktrees says what a new git worktree gets before its agent starts.
type Worktrees struct {
	Copy  []string `yaml:"copy" doc:"Files and directories that git does not have, such as .env, relative to the repository."`
	Setup []string `yaml:"setup" doc:"Shell commands that run in it, one after the other, such as npm ci."`
}

// WithWorktree adds to a launch what the file says of the agent's worktree.
func (t *Team) WithWorktree(a Agent, r parley.LaunchAgentRequest) parley.LaunchAgentRequest {
	r.Worktree = a.Worktree
	t.Prepare(&r)
	return r
}

// checkPrompt refuses a rule by which no prompt comes.
func (a *Agent) checkPrompt(file string) error {
	if a.PromptEvery == "" && a.PromptZone == "" {
		return nil
	}
	_, err := when.ParseRule(a.PromptEvery)
	if err == nil {
		_, err = time.LoadLocation(a.PromptZone)
	}
	if err == nil && a.Prompt == "" {
		err = errors.New("it has no prompt")
	}
	if err != nil {
		return parley.Errorf(parley.InvalidArgument, "%s: the prompt of %s does not come again: %w", file, a.Name, err).
			Suggest("Give prompt, prompt_every as %s, and prompt_zone as Europe/Berlin or none.", when.RuleForms)
	}
	return nil
}

// HasWorktree reports whether the agent is to have a worktree of its own.
func (a *Agent) HasWorktree() bool { return hasWorktree(a.Worktree) }

func hasWorktree(setting string) bool { return setting != "" && setting != "false" }

// Prepare adds to a launch what the file says of new worktrees, if it asks for one.
func (t *Team) Prepare(r *parley.LaunchAgentRequest) {
	if hasWorktree(r.Worktree) {
		r.Copy, r.Setup = t.Worktrees.Copy, t.Worktrees.Setup
	}
}

// worktreeClaims tells what runs in new worktrees, and what is copied there.
func (t *Team) worktreeClaims() []Claim {
	var all []Claim
	if len(t.Worktrees.Copy) > 0 {
		words := "each new worktree gets " + strings.Join(t.Worktrees.Copy, ", ")
		all = append(all, Claim{"worktrees", plain.CleanLine(words)})
	}
	for _, command := range t.Worktrees.Setup {
		all = append(all, Claim{"worktrees", plain.CleanLine("in each new worktree runs " + command)})
	}
	return all
}

// checkToolsets refuses an agent's toolsets that do not exist.
func (m *Agent) checkToolsets(file string) error {
	if m.Toolsets != nil && len(m.Toolsets) == 0 {
		return parley.Errorf(parley.InvalidArgument, "%s: agent %s: toolsets is empty", file, m.Name).
			Suggest("Leave it out for all tools, or name at least one group.")
	}
	if _, err := mcpserver.ParseToolsets(strings.Join(m.Toolsets, ",")); err != nil {
		e := parley.AsError(err)
		return parley.Errorf(e.Code, "%s: agent %s: %w", file, m.Name, err).Suggest("%s", e.Action)
	}
	return nil
}

// toolsets returns the toolsets of the agents that are offered fewer than all, by name.
func (t *Team) toolsets() map[string]string {
	sets := map[string]string{}
	for _, m := range t.Agents {
		if len(m.Toolsets) > 0 {
			sets[m.Name] = strings.Join(m.Toolsets, ",")
		}
	}
	return sets
}

// ParseToolsets parses the toolsets of the mcp_toolsets setting and those of single
// agents, by name.
func ParseToolsets(
	setting string, agents map[string]string,
) (all mcpserver.Toolsets, own map[string]mcpserver.Toolsets, err error) {
	if all, err = mcpserver.ParseToolsets(setting); err != nil {
		return nil, nil, err
	}
	own = map[string]mcpserver.Toolsets{}
	for name, text := range agents {
		if own[strings.ToLower(name)], err = mcpserver.ParseToolsets(text); err != nil {
			return nil, nil, err
		}
	}
	return all, own, nil
}

// LearnedDir returns the user's directory of profiles that parley learned, "" if there is none. Each has a file of its
// own there, and its captures beside it.
func LearnedDir(env Environ) string {
	dir := configDir(env)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "parley", "profiles")
}

// configDir returns the user's directory for settings, "" if there is none.
func configDir(env Environ) string {
	dir := env.Get("XDG_CONFIG_HOME")
	if home := env.Get("HOME"); !filepath.IsAbs(dir) && home != "" {
		dir = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// addLearned adds to t the learned profiles that the user's own file does not name. A file of somebody else's counts
// once the user trusts it, as a parley.yaml does.
func addLearned(env Environ, t *Team) {
	dir := LearnedDir(env)
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || dir == "" {
		return // a directory whose name is a pattern holds none
	}

	all := map[string]yaml.RawMessage{}
	for _, file := range files {
		one, err := LoadLearned(file)
		switch {
		case err != nil:
			t.LeftOut = append(t.LeftOut, parley.AsError(err))
		case TrustOf(env).Has(one):
			maps.Copy(all, one.Profiles)
		default:
			t.Untrusted = append(t.Untrusted, file)
		}
	}
	maps.Copy(all, t.Profiles)
	t.Profiles = all
}

// LoadLearned reads the file of a learned profile, which has the profile's name and holds nothing else.
func LoadLearned(file string) (*Team, error) {
	t, err := LoadTeam(file, true)
	if err != nil {
		return nil, err
	}

	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	_, ok := t.Profiles[name]
	text, err := plainfile.Read(file, maxTeamFile)
	if err != nil {
		return nil, fmt.Errorf("read a learned profile: %w", err)
	}
	var sections map[string]any
	if err := yaml.Unmarshal(text, &sections); err != nil || !ok || len(t.Profiles) != 1 || len(sections) != 1 {
		return nil, parley.Errorf(parley.InvalidArgument, "%s holds more or something else than the profile %s", file,
			name).
			Suggest("Move the rest to a parley.yaml, or remove the file.")
	}
	if _, err = t.ProfileSet(); err != nil {
		return nil, err
	}

	return t, nil
}

// installed returns the profiles whose programs are here, those that were tried first.
func installed(s profile.Set) (names []string) {
	for _, p := range s.Launchable() {
		if _, err := exec.LookPath(p.Command[0]); err == nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// kept says where the user's programs keep their conversations, and where the index of them is.
func (e Environ) kept() sessions.Options {
	cache := e.Get("XDG_CACHE_HOME")
	if !filepath.IsAbs(cache) {
		cache = filepath.Join(e.Get("HOME"), ".cache")
	}
	return sessions.Options{Home: e.Get("HOME"), Env: e.Get, Index: filepath.Join(cache, "parley", "sessions.db")}
}
