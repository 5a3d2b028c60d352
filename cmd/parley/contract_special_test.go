package main

import (
	"testing"

	"parley"
	"parley/internal/modelserver"
)

// The special agents of the agent communication client: the DM as it is configured
// there, and the calls that its players make.
func TestSpecialAgentsAnswerAsWritten(t *testing.T) { specialPlay().perform(t) }

const dmConfig = `"model_id":"gpt-4-turbo","system_prompt":"You are the Dungeon Master (DM).","temperature":0.7,"max_tokens":500,
	"additional_config":{"promptFormat":"PLAYER: {message}\nDM:","responsePostProcessing":"trim","conversationPersistence":true}`

func specialPlay() *play {
	send, respond := "POST /api/messages/send", "POST /api/messages/respond"
	reply := func(text string) string {
		return `"reply":{"message_id":"<uuid>","text":"` + text + `","timestamp":"<time>","usage":{"output_tokens":3,"requests":1}}`
	}

	return &play{proof: "api_key", cast: []string{"AssistantBot"}, prepare: addDM, scenes: []scene{
		{
			name: "a special agent is registered with its configuration",
			op:   "register_agent",
			at:   "POST /api/agents/register",
			args: `{"username":"Oracle","agent_description":"knows","is_special_agent":true,"auto_respond":true,"special_agent_config":{` + dmConfig + `}}`,
			want: `{"success":true,"username":"Oracle","api_key":"<text>","status":"pending_approval"}`,
		},
		{name: "send_message to the DM returns its response", op: "send_message", at: send,
			args: `{"api_key":"{key of AssistantBot}","recipient":"DM","message":"SAY  The door creaks open."}`,
			want: `{"success":true,"status":"Message sent to DM!",` + reply(
				"The door creaks open.",
			) + `}`, keep: map[string]string{"door": "reply.message_id", "asked": "message_id"}},
		{name: "respond_to_message to a special agent returns its response", op: "respond_to_message", at: respond,
			args: `{"api_key":"{key of AssistantBot}","message_id":"{door}","response":"SAY You step inside."}`,
			want: `{"success":true,` + reply("You step inside.") + `}`},
		{
			name: "the whole conversation is in the history",
			op:   "get_conversation_history",
			at:   "GET /api/conversations/history",
			args: `{"api_key":"{key of AssistantBot}","conversation_with":"DM"}`,
			want: `{"with_agent":"DM","has_more":false,"total_messages":4,"messages":[{"message_id":"{asked}","sender":"AssistantBot"},
				{"message_id":"{door}","sender":"DM","content":"The door creaks open."},{"sender":"AssistantBot"},{"sender":"DM","content":"You step inside."}]}`,
		},
		{name: "the inbox of who asked holds nothing new", op: "check_inbox", at: "GET /api/inbox/check",
			args: `{"api_key":"{key of AssistantBot}"}`, want: `{"unread_count":0,"messages":[]}`},
		{name: "a model that fails is told, and nothing is made up", op: "send_message", at: send, status: 502,
			args: `{"api_key":"{key of AssistantBot}","recipient":"DM","message":"FAIL 401 no"}`,
			want: `{"success":false,"error_code":"MODEL_UNAVAILABLE","details":{"reason":"key_refused","message_id":"<uuid>"}}`},
	}, after: func(t *testing.T, s *stage) {
		t.Run("each call is accounted for", func(t *testing.T) {
			u, err := s.boss.Usage(inTime(t), parley.UsageRequest{Agent: "DM"})
			if err != nil || u.Total.Calls != 3 || u.Total.Failed != 1 ||
				u.Total.OutputTokens != 2*modelserver.AnswerTokens {
				t.Errorf("got %+v, %v", u, err)
			}
		})
	}}
}

// addDM declares the DM of the document, at a scripted model.
func addDM(t *testing.T, s *stage) {
	model := modelserver.StartBare()
	t.Cleanup(model.Close)
	heat, yes := 0.7, true
	if _, err := s.boss.AddResponder(inTime(t), parley.AddResponderRequest{Name: "DM", Description: "Dungeon Master", Config: &parley.ResponderConfig{
		ModelID: "gpt-4-turbo", SystemPrompt: "You are the Dungeon Master (DM).", Temperature: &heat, MaxTokens: 500, BaseURL: model.URL + "/v1",
		Additional: parley.ResponderExtras{PromptFormat: "PLAYER: {message}\nDM:", PostProcessing: "trim", Persistence: &yes}}}); err != nil {
		t.Fatal(err)
	}
}

func specialChapter() chapter {
	test := "cmd/parley.TestSpecialAgentsAnswerAsWritten"
	return chapter{title: "Special agents", test: "TestSpecialAgentsAnswerAsWritten", play: specialPlay(),
		about: "The DM of the agent communication client, for which a model answers.",
		calls: []shownCall{
			{
				"register_agent",
				"username agent_description is_special_agent auto_respond special_agent_config special_agent_config.model_id special_agent_config.system_prompt special_agent_config.temperature special_agent_config.max_tokens special_agent_config.additional_config",
				"success api_key status",
			},
			{"send_message", "api_key recipient message", "success status reply reply.text"},
			{"respond_to_message", "api_key message_id response", "success reply reply.text"},
		}, rules: []rule{
			{
				"10 messages of history by themselves, and `promptFormat` for the new one",
				[]string{
					"orchestrator.TestResponderAnswersInTheSameCall",
					"orchestrator.TestHistoryLengthAndPersistence",
				},
			},
			{"Special commands", []string{"orchestrator.TestCommandsAskNoModel"}},
			{
				"Response time, tokens and errors are recorded",
				[]string{test + "/each call is accounted for", "orchestrator.TestFailedAnswerKeepsTheMessageForRetry"},
			},
			{"`auto_respond: false` is a mailbox", []string{"orchestrator.TestRegisteredResponderAnswersOnceApproved"}},
		}}
}
