package parleytest

import "parley"

var responderCases = []testCase{
	{"ResponderIsAddedChangedAndListed", addResponder},
	{"ResponderWithAnIllegalConfigurationIsRefused", addResponderRefused},
	{"AddingARegisteredResponderApprovesIt", addRegistered},
	{"UsageIsEmptyAtFirst", usageEmpty},
}

func addResponder(f *fixture) {
	same(f.T, "responders at first",
		len(do[parley.ListRespondersResult](f.operator, "list_responders", nil).Responders), 0)

	config := params{"model_id": "scripted", "base_url": "http://127.0.0.1:1/v1", "temperature": 0.5,
		"additional_config": params{
			"promptFormat":            "PLAYER: {message}\nDM:",
			"responsePostProcessing":  "trim",
			"conversationPersistence": true,
		}}

	do[parley.AddResponderResult](f.operator, "add_responder",
		params{"name": "DM", "description": "tells stories", "special_agent_config": config})

	config["max_tokens"] = 500
	id := do[parley.AddResponderResult](
		f.operator, "add_responder", params{"name": "DM", "special_agent_config": config},
	).AgentID

	list := do[parley.ListRespondersResult](f.operator, "list_responders", nil).Responders
	if len(list) != 1 {
		f.Fatalf("responders are %+v", list)
	}

	r := list[0]
	same(
		f.T,
		"the responder",
		[]any{
			r.Agent,
			r.AgentID,
			r.Answers,
			r.ModelID,
			r.MaxTokens,
			*r.Temperature,
			r.Origin,
			r.Additional.PromptFormat,
		},
		[]any{"DM", id, true, "scripted", 500, 0.5, parley.FromOperator, "PLAYER: {message}\nDM:"},
	)

	a := f.planner.agent("DM")
	same(f.T, "the agent", []any{a.Kind, a.IsSpecial, a.AutoRespond, a.Description},
		[]any{parley.KindResponder, true, true, "tells stories"})

	do[parley.AddResponderResult](
		f.operator, "add_responder", params{"name": "DM", "special_agent_config": config, "auto_respond": false},
	)

	same(f.T, "what a mailbox gets", f.planner.send("hello", "DM").Reply, (*parley.Reply)(nil))
}

func addResponderRefused(f *fixture) {
	for _, config := range []params{
		{}, {"model_id": " "}, {"model_id": "m", "base_url": "localhost:11434"},
		{"model_id": "m", "api_key_env": "sk-1 2"}, {"model_id": "m", "temperature": 3},
		{"model_id": "m", "max_tokens": -1}, {"model_id": "m", "modell": "x"},
		{"model_id": "m", "additional_config": params{"promptFormat": "no place for it"}},
		{"model_id": "m", "additional_config": params{"responsePostProcessing": "rot13"}},
		{"model_id": "m", "additional_config": params{"historyLength": 101}},
	} {
		refused(
			f.operator, "add_responder", params{"name": "DM", "special_agent_config": config}, parley.InvalidArgument,
		)
	}

	good := params{"model_id": "m"}
	refused(f.operator, "add_responder", params{"name": "DM"}, parley.InvalidArgument)
	refused(
		f.operator, "add_responder", params{"name": "operator", "special_agent_config": good}, parley.InvalidArgument,
	)

	refused(f.operator, "add_responder", params{"name": "coder", "special_agent_config": good}, parley.AgentExists)
}

func addRegistered(f *fixture) {
	refused(f.operator, "register_agent", params{"username": "sage", "special_agent_config": params{"model_id": "m"}},
		parley.InvalidArgument)

	refused(f.operator, "register_agent",
		params{"username": "sage", "special": true, "special_agent_config": params{"model": "m"}},
		parley.InvalidArgument)

	answer := do[parley.RegisterAgentResult](
		f.operator,
		"register_agent",
		params{"username": "sage", "is_special_agent": true, "auto_respond": true,
			"special_agent_config": params{"model_id": "theirs"}},
	)

	same(f.T, "status", answer.Status, parley.StatusPendingApproval)
	list := do[parley.ListRespondersResult](f.operator, "list_responders", nil).Responders
	if len(list) != 1 || list[0].Answers || list[0].Approval != parley.ApprovalPending ||
		list[0].Origin != parley.FromRegistration {
		f.Errorf("before the decision: %+v", list)
	}

	do[parley.AddResponderResult](f.operator, "add_responder",
		params{"name": "sage", "special_agent_config": params{"model_id": "ours", "base_url": "http://127.0.0.1:1"}})

	list = do[parley.ListRespondersResult](f.operator, "list_responders", nil).Responders
	if len(list) != 1 || !list[0].Answers || list[0].ModelID != "ours" || list[0].AgentID != answer.AgentID {
		f.Errorf("after it: %+v", list)
	}
}

func usageEmpty(f *fixture) {
	u := do[parley.UsageResult](f.operator, "usage", params{"calls": 5})
	same(f.T, "usage", []any{u.Total, len(u.Agents), len(u.Calls)}, []any{parley.Spent{}, 0, 0})
	refused(f.operator, "usage", params{"agent": "nobody"}, parley.AgentNotFound)
}
