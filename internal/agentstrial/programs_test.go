package agentstrial

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// realProgram is how a real agent program is made to talk to the scripted model,
// and what makes it ask for permission.
type realProgram struct {
	profile string
	prepare func(t *testing.T, h *home, url string) (args []string) // writes what stands for the user's own configuration
	config  string                                                  // of the user, in the home directory
	ask     string                                                  // a prompt upon which it asks before it makes FILE
	tool    string                                                  // what it calls send_message
	adds    string                                                  // what it adds to a paste that it shows by a placeholder
	fails   []int                                                   // the model's refusals after which it does not try again
}

var realPrograms = []realProgram{
	{profile: "claude", prepare: prepareClaude, config: ".claude.json", tool: "mcp__parley__send_message",
		ask: `CALL Bash {"command":"touch FILE","description":"make a file"}`, fails: []int{500, 429, 529}},
	{profile: "codex", prepare: prepareCodex, config: ".codex/config.toml", tool: "mcp__parley__send_message",
		ask: `CALL exec_command {"cmd":"touch FILE","sandbox_permissions":"require_escalated","justification":"May I?"}`, fails: []int{401}},
	{profile: "copilot", prepare: prepareCopilot, config: ".copilot/config.json", tool: "parley-send_message",
		ask: `CALL bash {"command":"touch FILE","description":"make a file"}`, fails: []int{401, 500}},
	{
		profile: "opencode",
		prepare: prepareOpencode,
		config:  ".config/opencode/opencode.json",
		tool:    "parley_send_message",
		adds:    " ",
		ask:     `CALL bash {"command":"touch FILE","description":"make a file"}`,
		fails:   []int{401},
	},
	{profile: "gemini", prepare: prepareGemini, config: ".gemini/settings.json", tool: "mcp_parley_send_message",
		ask: `CALL run_shell_command {"command":"touch FILE","description":"make a file"}`, fails: []int{400}},
	{profile: "qwen", prepare: prepareQwen, config: ".qwen/settings.json", tool: "mcp__parley__send_message",
		ask: `CALL run_shell_command {"command":"touch FILE","description":"make a file","is_background":false}`, fails: []int{401}},
}

func prepareClaude(t *testing.T, h *home, url string) []string {
	const key = "a-key-of-twenty-char"
	h.env = append(
		h.env,
		"ANTHROPIC_BASE_URL="+url,
		"ANTHROPIC_API_KEY="+key,
		"DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	)

	config, err := json.Marshal(map[string]any{"hasCompletedOnboarding": true, "theme": "dark",
		"projects":              map[string]any{h.workspace: map[string]any{"hasTrustDialogAccepted": true}},
		"customApiKeyResponses": map[string]any{"approved": []string{key}, "rejected": []string{}}})
	if err != nil {
		t.Fatal(err)
	}

	h.configure(t, ".claude.json", string(config))

	return []string{"--permission-mode", "default"}
}

func prepareCodex(t *testing.T, h *home, url string) []string {
	h.env = append(h.env, "SCRIPTED_KEY=none")
	h.configure(t, ".codex/config.toml", fmt.Sprintf(`
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
analytics.enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
[projects.%q]
trust_level = "trusted"
`, url, h.workspace))

	return nil
}

func prepareCopilot(t *testing.T, h *home, url string) []string {
	h.env = append(h.env, "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL="+url+"/v1",
		"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=scripted")
	h.configure(t, ".copilot/config.json", fmt.Sprintf(`{"trustedFolders": [%q], "banner": "never"}`, h.workspace))
	return nil
}

func prepareOpencode(t *testing.T, h *home, url string) []string {
	h.env = append(
		h.env,
		"OPENCODE_DISABLE_AUTOUPDATE=1",
		"OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	)

	h.configure(
		t,
		".config/opencode/opencode.json",
		fmt.Sprintf(`{"model": "scripted/scripted", "permission": "ask", "provider": {"scripted": {
		"npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": {"baseURL": "%s/v1", "apiKey": "none"},
		"models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 128000, "output": 8000}}}}}}`, url),
	)

	return nil
}

func prepareGemini(t *testing.T, h *home, url string) []string {
	// It reads no such file below a directory that others can write, as /tmp is.
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}

	state, err := os.MkdirTemp(cache, "parley-test-")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		h.command("down").Run() // else what still runs there makes it again
		os.RemoveAll(state)
	})

	h.env = append(h.env, "GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL="+url, "XDG_STATE_HOME="+state)
	h.configure(
		t,
		".gemini/settings.json",
		`{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
		"general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}, "privacy": {"usageStatisticsEnabled": false}}`,
	)

	return []string{"--model", "gemini-2.5-flash"}
}

func prepareQwen(t *testing.T, h *home, url string) []string {
	h.env = append(h.env, "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+url+"/v1", "OPENAI_MODEL=scripted")
	h.configure(
		t,
		".qwen/settings.json",
		`{"security": {"auth": {"selectedType": "openai"}}, "ui": {"theme": "Qwen Dark"},
		"general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false}, "memory": {"enableManagedAutoMemory": false}}`,
	)
	return []string{"--approval-mode", "default"}
}
