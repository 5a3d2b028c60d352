package main

import (
	"fmt"
	"strings"
)

const contractIntro = `# What parley keeps to

Four documents say how agents talk: which calls there are, what they take and give, and what fails how. Their calls work as they are
written, names and values included. This page says of each which test makes it; it is written by those tests, which fail when a call is
in none of them: ` + "`go test ./cmd/parley -run TestThePageOnTheContract -update`" + `.

An answer may have more fields than a document shows, because each is the union of all four.
`

const contractEnd = `
## Otherwise than written

The program is in Go, and not a package of npm. An agent's id alone (` + "`X-Agent-ID`" + `) proves nothing, unless the operator has said that it
does. No answer but the agent log cuts a text at 200 characters. The limit of 2,000 characters holds for all calls. ` + "`transfer_file`" + ` reads
what the sender may send, and no other path.
`

func chapters() []chapter {
	return []chapter{
		clientChapter(),
		specialChapter(),
		systemChapter(),
		toolsChapter(),
		messageChapter(),
		codesChapter(),
		badChapter(),
	}
}

func clientChapter() chapter {
	return chapter{
		title: "Agent communication client",
		test:  "TestTheAgentCommunicationClientWorksAsWritten",
		play:  clientPlay(),
		about: "Registration with a key, the inbox, answers, history; at its paths under `/api`, with the key as `api_key`.",
		calls: []shownCall{
			{"register_agent", "username agent_description", "success agent_id username api_key status"},
			{"send_message", "api_key recipient message", "success status message_id"},
			{
				"check_inbox",
				"api_key limit filter_by_sender include_read",
				"unread_count total_count messages messages.message_id messages.sender messages.content messages.timestamp messages.read messages.conversation_id",
			},
			{"respond_to_message", "api_key message_id response", "success"},
			{"ignore_message", "api_key message_id reason", "success message"},
			{
				"get_conversation_history",
				"api_key conversation_with limit",
				"conversation_id with_agent messages messages.message_id messages.sender messages.content messages.timestamp has_more total_messages",
			},
		},
		rules: []rule{
			{
				"20 messages of the inbox and 50 of a conversation by themselves",
				[]string{"cmd/parley.TestTheAgentCommunicationClientWorksAsWritten/defaults are 20 and 50"},
			},
			{
				"The key is in a header, the query or the body",
				[]string{
					"cmd/parley.TestTheAgentCommunicationClientWorksAsWritten/the key is in the header or the query",
					"httpapi.TestCredentials",
				},
			},
			{
				"Registration needs no key; everything else does",
				[]string{"cmd/parley.TestEveryOperationIsForThoseItIsFor"},
			},
			{"Keys are stored hashed", []string{"orchestrator.TestKeysAreStoredHashed"}},
			{
				"The function definitions of a chat completion",
				[]string{
					"cmd/parley.TestTheFunctionDefinitionsAreThoseOfTheDocument",
					"parley.TestToolsAreFunctionDefinitions",
				},
			},
			{
				"`talk_to_dm`, `message_agent`, `check_messages`, `get_dm_conversation_history`, an agent's own tools",
				[]string{
					"cmd/parley.TestTheToolsOfAgentsThemselvesWorkAsWritten",
					"client.TestDispatchUnderstandsTheCallsOfModels",
				},
			},
			{"The client library's six methods, in its order", []string{"client.ExampleClient"}},
			{
				"Special status is asked for, and the operator approves",
				[]string{"orchestrator.TestService/SpecialAgentsWaitForApproval"},
			},
			{"Nobody sees a conversation of others", []string{"orchestrator.TestService/HistoryIsTheCallersOwn"}},
		},
	}
}

func systemChapter() chapter {
	test := "cmd/parley.TestTheAgentCommunicationSystemWorksAsWritten"
	return chapter{
		title: "Agent communication system",
		test:  "TestTheAgentCommunicationSystemWorksAsWritten",
		play:  systemPlay(),
		about: "Messages into terminals. Callers name themselves with `X-Agent-ID`, which a daemon believes that is told to (`trust_local_agent_id`); with a key it is checked.",
		calls: []shownCall{
			{"broadcast_message", "message sender_agent_id", "success recipient_count message"},
			{"send_message", "message sender_agent_id recipient_agent_id", "success message detail"},
			{"get_agent_status", "", "agents.id agents.name agents.state"},
		},
		rules: []rule{
			{
				"WebSocket events of both kinds, with the first 100 characters",
				[]string{
					test + "/events have the fields of both kinds",
					"store.TestAppendStoresAllThatBelongsToAMessage",
					"httpapi.TestEventsComeOverAWebSocket",
				},
			},
			{
				"A row in the agent log for each recipient, with 200 characters of the text",
				[]string{
					test + "/the agent log has a row for each recipient",
					"store.TestAppendStoresAllThatBelongsToAMessage",
				},
			},
			{
				"`[AGENT 12345678 TO AGENT 87654321]: …` and `[AGENT 12345678 BROADCAST]: …` in the terminal",
				[]string{
					"orchestrator.TestMessageArrivesUnderItsHeader",
					"orchestrator.TestBroadcastReachesAllButTheSender",
				},
			},
			{
				"`[GUARDIAN GUIDANCE - STUCK]: …` in the terminal",
				[]string{"orchestrator.TestGuidanceIsTypedUnderItsOwnHeader"},
			},
			{"A text cannot pass itself off as a header", []string{"orchestrator.TestHostileTextCannotSpeakAsAnother"}},
			{
				"A failure of the server is status 500 with `detail`",
				[]string{"httpapi.TestErrorsBecomeStatuses", "httpapi.TestInternalErrorsAreLoggedOnce"},
			},
			{"Broadcasts skip who is terminated", []string{"orchestrator.TestService/BroadcastSkipsStopped"}},
			{
				"Rate limits, of broadcasts their own",
				[]string{
					"orchestrator.TestBroadcastsHaveALimitOfTheirOwn",
					"httpapi.TestWhoIsLimitedIsToldWhenToTryAgain",
				},
			},
			{
				"To come, and here: threads and replies",
				[]string{"orchestrator.TestService/ThreadsTakeTheSeedsCalls", "orchestrator.TestService/SendAnswers"},
			},
			{
				"To come, and here: history and search",
				[]string{
					"orchestrator.TestService/HistoryIsOldestFirstAndPages",
					"orchestrator.TestService/SearchFindsNewestFirst",
				},
			},
			{"To come, and here: groups", []string{"orchestrator.TestService/BroadcastToAGroup"}},
			{"To come, and here: priorities", []string{"orchestrator.TestUrgentGoesFirst"}},
			{"To come, and here: read receipts", []string{"orchestrator.TestService/MessageStatusShowsTheLadder"}},
			{
				"To come, and here: filters by sender and topic",
				[]string{
					"orchestrator.TestService/GetMessagesFilters",
					"orchestrator.TestService/CheckInboxFiltersBySender",
				},
			},
		},
	}
}

func toolsChapter() chapter {
	test := "cmd/parley.TestTheCommunicationToolsWorkAsWritten"
	return chapter{title: "Communication tools", test: "TestTheCommunicationToolsWorkAsWritten", play: toolsPlay(),
		about: "Direct messages, threads and files; each call names its caller, who must be the one that calls. On the daemon's socket, where a path can be sent.",
		calls: []shownCall{
			{"send_message", "sender_id recipient_id thread_id content urgent", "message message_id message_object"},
			{"get_messages", "agent_id thread_id limit since", "messages"},
			{
				"create_thread",
				"creator_id title participants initial_message",
				"message thread thread.thread_id initial_message_id",
			},
			{"join_thread", "thread_id agent_id", "message status"},
			{
				"broadcast_message",
				"sender_id recipient_ids content urgent",
				"message message_id message_object message_object.recipient_agent_ids",
			},
			{"check_new_messages", "agent_id", "message unread_count"},
			{
				"transfer_file",
				"sender_id recipient_id source_path destination_filename description",
				"message filename message_id data.server_path",
			},
			{"get_thread_details", "thread_id", "thread_id title creator_id participants created_at"},
			{"add_participant_to_thread", "thread_id agent_id_to_add inviting_agent_id", "message"},
			{"remove_participant_from_thread", "thread_id agent_id_to_remove removing_agent_id", "message"},
		}, rules: []rule{
			{"10 messages by themselves", []string{test + "/get_messages shows 10 by itself"}},
			{"The file is at the path that the recipient is told", []string{test + "/the file is at the path"}},
			{
				"Only participants read and post",
				[]string{
					"orchestrator.TestService/ThreadsAreReadByThoseInThem",
					"store.TestNobodyGetsAPostAfterItsRemoval",
				},
			},
			{"Participants are listed as they came", []string{"store.TestThreadKeepsTheOrderOfItsParticipants"}},
			{
				"Which files may be sent, and who may read them",
				[]string{
					"orchestrator.TestAgentSendsFromItsDirectoryAndTheWorkspace",
					"orchestrator.TestFileIsForItsSenderItsRecipientsAndTheOperator",
				},
			},
			{"A path from the network is refused", []string{"orchestrator.TestPathFromTheNetworkIsRefused"}},
		}}
}

func messageChapter() chapter {
	test := "cmd/parley.TestTheMessageContractWorksAsWritten"
	message := "messages.message_id messages.sender_agent_id messages.sender_role messages.message_type messages.content.text messages.content.data messages.content.attachments " +
		"messages.priority messages.timestamp messages.read_status messages.requires_response messages.response_deadline messages.context_reference"
	return chapter{title: "Message contract", test: "TestTheMessageContractWorksAsWritten", play: messagePlay(),
		about: "Types, priorities, required responses, delivery status, updates and assistance. Its names in capitals are the Go client's too; MCP and REST have them in small letters.",
		calls: []shownCall{
			{
				"SEND_MESSAGE",
				"sender_agent_id recipient_agent_ids message_type content.text content.data content.attachments priority requires_response context_reference",
				"success message_id timestamp delivery_status.delivered_to delivery_status.failed_delivery delivery_status.pending_delivery error",
			},
			{
				"GET_MESSAGES",
				"agent_id filters.message_types filters.senders filters.priority filters.unread_only filters.since_timestamp limit sort_order",
				"success " + message + " total_count unread_count error",
			},
			{"MARK_MESSAGE_READ", "agent_id message_ids", "success marked_read not_found already_read error"},
			{
				"RESPOND_TO_MESSAGE",
				"responder_agent_id original_message_id response_content.text response_content.data response_content.status additional_recipients",
				"success response_message_id original_message_updated timestamp error",
			},
			{
				"BROADCAST_UPDATE",
				"sender_agent_id update_type content.summary content.details content.impact content.action_required urgency",
				"success broadcast_id recipients timestamp error",
			},
			{
				"REQUEST_ASSISTANCE",
				"requester_agent_id assistance_type target_agents required_capabilities request_details.description request_details.context request_details.deadline request_details.priority",
				"success request_id potential_responders.agent_id potential_responders.role potential_responders.capability_match potential_responders.availability broadcast_sent error",
			},
		}, rules: []rule{
			{"50 messages by themselves", []string{test + "/GET_MESSAGES shows 50 by itself"}},
			{
				"Errors have `success`, `error_code`, `error_message`, `details` and `suggested_action`",
				[]string{"cmd/parley.TestEveryErrorCodeIsTheSameByEveryFace"},
			},
			{
				"A deadline is set where none is given; after it a formal response is refused",
				[]string{"orchestrator.TestService/RespondTooLate", "orchestrator.TestService/DeadlinesAreTimesToCome"},
			},
			{
				"Who owes a response is reminded, then the sender is told, then the operator",
				[]string{"orchestrator.TestDeadlinesTellTheDebtorThenTheSenderThenTheOperatorOnce"},
			},
			{
				"`partial` is still owed, `delegated` passes it on, `unable` ends it",
				[]string{
					"orchestrator.TestService/RespondSettlesWhatIsOwed",
					"orchestrator.TestService/RespondDelegates",
				},
			},
			{
				"`delivered_to` is what is proven",
				[]string{
					"orchestrator.TestService/SendGivesAFullReceipt",
					"orchestrator.TestUnreadTextIsUnconfirmedAndProvenLater",
				},
			},
			{
				"How capable and how available a responder is",
				[]string{"orchestrator.TestCapabilityMatch", "orchestrator.TestAssistanceAsksTheCapableTheBestFirst"},
			},
			{"What an update's urgency means", []string{"orchestrator.TestService/BroadcastUpdateUrgency"}},
			{
				"Messages can be stopped for a time, and reading works",
				[]string{"orchestrator.TestPauseRefusesAndHoldsAndReadingWorks"},
			},
		}}
}

// codesChapter lists the codes as the test that produces them does.
func codesChapter() chapter {
	about := "`TestEveryErrorCodeIsTheSameByEveryFace` and `TestEveryFaultIsTheSameByEveryFace` make each call by REST, MCP, the Go client and `parley --json`, and want the same code and the same advice from all; `TestEveryErrorCodeIsTriedByEveryFace` fails when a code has no line.\n\n" +
		"| code | status | by | call |\n|---|---|---|---|\n"
	for _, f := range append(failures(&stage{}), faults(&stage{})...) {
		by, without, why := []string{}, []string{}, ""
		for _, face := range failingFaces {
			if reason := f.never[face.name]; reason != "" {
				without, why = append(without, face.name), reason
				continue
			}
			by = append(by, face.name)
		}

		faces := "all four"
		switch {
		case len(without) == 1:
			faces = "all but " + without[0] + ": " + why
		case len(by) == 0:
			faces = "none: " + why
		case len(without) > 1:
			faces = strings.Join(by, ", ") + ": it keeps a daemon from starting"
		}

		status, call := "", f.op
		if f.status != 0 {
			status = fmt.Sprint(f.status)
		}
		if call == "" && f.cli != nil {
			call = "parley " + f.cli[0]
		}
		if call != "" {
			call = "`" + call + "`"
		}

		about += fmt.Sprintf("| `%s` | %s | %s | %s |\n", f.code, status, faces, call)
	}

	return chapter{title: "Error codes", about: strings.TrimSpace(about), rules: []rule{
		{
			"Every code has its status over HTTP",
			[]string{"httpapi.TestEveryCodeHasAStatus", "httpapi.TestErrorsBecomeStatuses"},
		},
		{
			"`DAEMON_UNAVAILABLE`, when no daemon answers",
			[]string{"client.TestCallFailsWhenNobodyListens", "client.TestDispatchFailsWhenTheDaemonIsAway"},
		},
		{
			"`STORAGE_UNAVAILABLE`, when a disk is full, locked, or not ours",
			[]string{
				"store.TestFullDatabaseRecovers",
				"store.TestLockedDatabaseRecovers",
				"store.TestOpenWithoutPermission",
			},
		},
		{"`INTERNAL`, when a call crashes", []string{"httpapi.TestACrashIsAnAnswer", "mcpserver.TestACrashIsAnAnswer"}},
	}}
}

// badChapter lists what is refused as the test that tries it does.
func badChapter() chapter {
	var names []string
	for _, b := range badCalls() {
		names = append(names, b.name)
	}

	return chapter{
		title: "Bad input",
		about: "`TestBadInputIsRefusedAndNothingIsStored` tries by REST, MCP and the Go client, and counts the rows of the database before and after: " +
			strings.Join(
				names,
				"; ",
			) + ".",
		rules: []rule{
			{"Ten megabytes", []string{"cmd/parley.TestTenMegabytesAreRefused"}},
			{"What is no JSON is no call of MCP", []string{"cmd/parley.TestWhatIsNotJSONIsNoCallOfMCP"}},
			{
				"A time means the same in every zone, and a name in all letters",
				[]string{"cmd/parley.TestZonesAndLettersMeanTheSame"},
			},
			{
				"Unknown parameters are refused with the nearest right name",
				[]string{"parley.TestDecodeNamesWhatFiltersDoNotHave"},
			},
		},
	}
}
