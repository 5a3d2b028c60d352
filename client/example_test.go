package client_test

import (
	"context"
	"fmt"
	"log"

	"parley"
	"parley/client"
	"parley/op"
)

// A program joins the team, is sent a message, and answers it.
func Example() {
	ctx := context.Background()
	address, operator, stop := startDaemon()
	defer stop()

	joined, err := op.RegisterAgent.Call(ctx, operator,
		parley.RegisterAgentRequest{Username: "tester", Description: "runs the tests"})
	if err != nil {
		log.Fatal(err)
	}

	tester := client.New(client.Options{URL: address, Key: joined.APIKey})

	receipt, err := op.SendMessage.Call(ctx, operator,
		parley.SendMessageRequest{To: parley.Names{"tester"}, Text: "are the tests green?"})
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(receipt.Status)

	inbox, err := op.CheckInbox.Call(ctx, tester, parley.CheckInboxRequest{WaitSeconds: 30})
	if err != nil {
		log.Fatal(err)
	}

	for _, message := range inbox.Messages {
		fmt.Printf("%s: %s\n", message.Sender, message.Content)
		answer := parley.RespondToMessageRequest{MessageID: message.MessageID, Text: "all green"}
		if _, err := op.RespondToMessage.Call(ctx, tester, answer); err != nil {
			log.Fatal(err)
		}
	}

	for event, err := range operator.Events(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}

		if event.Type == parley.EventDirectMessage && event.Sender == "tester" {
			fmt.Printf("%s said: %s\n", event.Sender, event.Preview)
			break
		}
	}
	// Output:
	// Message sent to tester!
	// operator: are the tests green?
	// tester said: all green
}
