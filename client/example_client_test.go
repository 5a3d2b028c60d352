package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"parley"
	"parley/client"
	"parley/op"
)

// say sends a message for an example.
func say(ctx context.Context, from *client.Client, to, text string) {
	if _, err := from.SendMessage(ctx, parley.SendMessageRequest{To: parley.Names{to}, Text: text}); err != nil {
		log.Fatal(err)
	}
}

// An agent joins, writes, looks back, reads, answers, and lets thanks be.
func ExampleClient() {
	ctx := context.Background()
	address, operator, stop := startDaemon()
	defer stop()

	// once: a name of its own, and the key that is shown only now
	joined, err := client.New(client.Options{URL: address}).RegisterAgent(ctx, parley.RegisterAgentRequest{
		Username:    "AssistantBot",
		Description: "Helps users with productivity tasks",
	})
	if err != nil {
		log.Fatal(err)
	}

	c := client.New(client.Options{URL: address, Key: joined.APIKey})
	defer c.Close()

	question := parley.SendMessageRequest{To: parley.Names{"operator"}, Text: "Shall I tidy up the inbox?"}
	sent, err := c.SendMessage(ctx, question)
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(sent.Status)
	fmt.Println(len(sent.DeliveryStatus.DeliveredTo), "delivered,", len(sent.DeliveryStatus.PendingDelivery), "pending")

	say(ctx, operator, "AssistantBot", "Yes. Which one first?")
	say(ctx, operator, "AssistantBot", "Thanks!")

	history, err := c.GetConversationHistory(ctx, parley.HistoryRequest{With: "operator", Limit: 50})
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(history.TotalMessages, "messages with", history.WithAgent)

	inbox, err := c.CheckInbox(ctx, parley.CheckInboxRequest{WaitSeconds: 30}) // waits if there is nothing
	if err != nil {
		log.Fatal(err)
	}

	for _, m := range inbox.Messages {
		fmt.Printf("%s: %s\n", m.Sender, m.Content)
	}

	for _, m := range inbox.Messages {
		if !strings.Contains(m.Content, "?") {
			continue
		}

		answer, err := c.RespondToMessage(ctx, parley.RespondToMessageRequest{
			MessageID: m.MessageID,
			Text:      "The oldest one.",
		})
		if err != nil {
			log.Fatal(err)
		}

		fmt.Println(answer.Message)
	}

	for _, m := range inbox.Messages {
		if !strings.HasPrefix(m.Content, "Thanks") {
			continue
		}

		ignored, err := c.IgnoreMessage(ctx, parley.IgnoreMessageRequest{
			MessageID: m.MessageID,
			Reason:    "only thanks",
		})
		if err != nil {
			log.Fatal(err)
		}

		fmt.Println(ignored.Message)
	}

	// Output:
	// Message sent to operator!
	// 1 delivered, 0 pending
	// 3 messages with operator
	// operator: Yes. Which one first?
	// operator: Thanks!
	// Message sent to operator!
	// Message marked as read
}

// Every operation is a value.
func ExampleClient_Do() {
	ctx := context.Background()
	_, c, stop := startDaemon()
	defer stop()

	threads, err := op.ListThreads.Call(ctx, c, parley.ListThreadsRequest{})
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(len(threads.Threads), "threads")
	// Output:
	// 0 threads
}

// A failure says what it is and what to do.
func ExampleClient_SendMessage() {
	ctx := context.Background()
	_, c, stop := startDaemon()
	defer stop()

	_, err := c.SendMessage(ctx, parley.SendMessageRequest{To: parley.Names{"nobody"}, Text: "hello?"})
	if parley.ErrorCode(err) == parley.AgentNotFound {
		fmt.Println(parley.AsError(err).Message)
		fmt.Println(parley.AsError(err).Action)
	}
	// Output:
	// there is no agent "nobody"
	// There are no agents yet; parley launch NAME -- PROGRAM starts one.
}

// A program gives its model the tools and makes the calls that come back.
func ExampleClient_Dispatch() {
	ctx := context.Background()
	_, c, stop := startDaemon()
	defer stop()

	tools, err := c.Tools(ctx) // goes into the request as its `tools`
	if err != nil {
		log.Fatal(err)
	}

	for _, tool := range tools {
		if tool.Function.Name == "send_message" {
			fmt.Println(tool.Type, tool.Function.Name)
		}
	}

	// what the model answered with
	type toolCall struct{ ID, Name, Arguments string }
	calls := []toolCall{
		{"call_1", "check_inbox", `{"limit": 5}`},
		{"call_2", "send_message", `{"to": "nobody", "text": "hello?"}`},
	}

	for _, call := range calls {
		content, err := c.Dispatch(ctx, call.Name, call.Arguments)
		if err != nil {
			log.Fatal(err) // no daemon answers
		}

		// send {"role": "tool", "tool_call_id": call.ID, "content": content} back to the model
		var answer struct {
			Success bool   `json:"success"`
			Action  string `json:"suggested_action"`
		}

		if err := json.Unmarshal([]byte(content), &answer); err != nil {
			log.Fatal(err)
		}

		fmt.Printf("%s %t %q\n", call.ID, answer.Success, answer.Action)
	}
	// Output:
	// function send_message
	// call_1 true ""
	// call_2 false "There are no agents yet; parley launch NAME -- PROGRAM starts one."
}

// A program follows what happens, from where it left off.
func ExampleClient_Events() {
	ctx := context.Background()
	address, c, stop := startDaemon()
	defer stop()

	joined, err := client.New(client.Options{URL: address}).
		RegisterAgent(ctx, parley.RegisterAgentRequest{Username: "tester"})
	if err != nil {
		log.Fatal(err)
	}

	say(ctx, client.New(client.Options{URL: address, Key: joined.APIKey}), "operator", "all green")

	last := int64(0) // the Seq of the last event that was dealt with
	for event, err := range c.Events(ctx, last) {
		if err != nil {
			log.Fatal(err) // nothing that waiting would mend
		}

		last = event.Seq
		if event.Type == parley.EventDirectMessage {
			fmt.Println(event.Sender, "to", event.Recipient+":", event.Preview)
			break
		}
	}
	// Output: tester to operator: all green
}
