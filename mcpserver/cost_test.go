package mcpserver

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// What a model pays for, in bytes: docs/interfaces.md has the table. Its figures are true to a tenth.
func TestThePageSaysWhatAModelPays(t *testing.T) {
	page := string(must.Have(os.ReadFile("../docs/interfaces.md"))(t))
	for act, bytes := range costs(t) {
		row := regexp.MustCompile(`\| ` + regexp.QuoteMeta(act) + ` \| ([0-9,]+) \|`).FindStringSubmatch(page)
		if row == nil {
			t.Errorf("docs/interfaces.md has no row %q, which costs %d bytes", act, bytes)
			continue
		}

		said, _ := strconv.Atoi(regexp.MustCompile(`,`).ReplaceAllString(row[1], ""))
		if bytes > said || bytes < said*9/10 {
			t.Errorf("%s costs %d bytes, and docs/interfaces.md says %d", act, bytes, said)
		}
	}
}

// costs returns what the tools, the instructions and some answers weigh, as a model gets them.
func costs(t *testing.T) map[string]int {
	terminal := coder
	terminal.Kind, terminal.Seal = parley.KindTerminal, "k7f3qa"
	tools := 0
	for _, tool := range list(t, overHTTP(t, newFake(), terminal, latest, nil)) {
		tools += len(must.Have(json.Marshal(tool))(t))
	}

	costs := map[string]int{"the list of tools": tools, "the instructions": len(instructionsFor(terminal))}
	for act, result := range map[string]any{
		"sending to one":      sentToOne(),
		"a broadcast to 20":   broadcastTo(20),
		"the status of 20":    statusOf(20),
		"the status of one":   statusOf(1),
		"reading one message": readOne(),

		"how far a broadcast to 60 is": progressOf(60),
	} {
		costs[act] = len(must.Have(compact(forModel(result, nil)))(t))
	}

	return costs
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 123456789, time.UTC)

// nthID returns an id as real ones are: a model pays more for chance than for zeros.
func nthID(n int) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(n)))
	return fmt.Sprintf("%x-%x-4%x-8%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])[:36]
}

// news is a text of two hundred characters.
const news = "The build is red since the last merge: the parser takes a tab for a space, so two tests of the " +
	"printer fail. " +
	"I am on it, and will say when it is green again. Please do not merge into main before that."

// deliveriesTo returns the deliveries of a message to so many mailboxes.
func deliveriesTo(n int) []parley.Delivery {
	deliveries := make([]parley.Delivery, n)
	for i := range deliveries {
		deliveries[i] = parley.Delivery{
			MessageID: nthID(99), RecipientID: nthID(i), Recipient: fmt.Sprintf("worker-%02d", i),
			ConversationID: nthID(i), State: parley.DeliverySubmitted,
			Steps: []parley.Step{
				{State: parley.DeliveryQueued, At: noon, Evidence: "stored"},
				{State: parley.DeliverySubmitted, At: noon, Evidence: "stored in its inbox"},
			},
		}
	}
	return deliveries
}

// messageTo returns a message of two hundred characters.
func messageTo(kind parley.MessageKind, deliveries []parley.Delivery) *parley.Message {
	m := &parley.Message{
		ID: nthID(99), Kind: kind, Type: parley.TypeInformation, Priority: parley.PriorityNormal,
		SenderID: coder.ID, Sender: coder.Name, Text: news, Timestamp: noon,
		ChainID: nthID(99), Hop: 1,
	}
	for _, d := range deliveries {
		m.Recipients = append(m.Recipients, d.RecipientID)
	}
	return m
}

func sentToOne() any {
	to := deliveriesTo(1)
	return &parley.SendMessageResult{
		Answer: parley.OK, MessageID: nthID(99), ConversationID: nthID(1), Timestamp: noon,
		Status: "Message sent to worker-00!", Message: "Message sent to agent 5f0c21aa",
		DeliveryStatus: parley.SumUp(to), Deliveries: to, Object: messageTo(parley.KindDirect, to),
	}
}

func broadcastTo(n int) any {
	to := deliveriesTo(n)
	return &parley.BroadcastMessageResult{
		Answer: parley.OK, MessageID: nthID(99), RecipientCount: n, Timestamp: noon,
		Message:        fmt.Sprintf("Message broadcast to %d agent(s)", n),
		DeliveryStatus: parley.SumUp(to), Deliveries: to, Object: messageTo(parley.KindBroadcast, to),
	}
}

// progressOf returns the status of a broadcast of which two deliveries wait.
func progressOf(n int) any {
	to := deliveriesTo(n)
	for i := range to[:2] {
		to[i].State, to[i].ReasonCode, to[i].Reason = parley.DeliveryHeld, parley.HoldBusy, "it works"
	}
	return &parley.MessageStatusResult{
		Answer: parley.OK, Object: messageTo(parley.KindBroadcast, to),
		DeliveryStatus: parley.SumUp(to), Deliveries: to,
	}
}

func statusOf(n int) any {
	res := &parley.AgentStatusResult{Answer: parley.OK, You: coder.Name, YourSeal: "k7f3qa"}
	for i := range n {
		res.Agents = append(res.Agents, parley.AgentStatus{
			Agent: parley.Agent{
				ID: nthID(i), Name: fmt.Sprintf("worker-%02d", i), AgentSpec: parley.AgentSpec{Role: "developer"},
				Kind:  parley.KindTerminal,
				State: parley.StateIdle, Since: noon, Evidence: "its program reported the end of its turn",
				Host: "workstation", Profile: "claude", Command: []string{"claude"}, Dir: "/home/me/project",
				CreatedAt: noon, LastActive: noon,
			},
			Availability: parley.Available,
		})
	}
	return res
}

func readOne() any {
	m := messageTo(parley.KindDirect, deliveriesTo(1))
	return &parley.GetMessagesResult{
		Answer: parley.OK, TotalCount: 1, UnreadCount: 1,
		Messages: []parley.ContractMessage{{
			MessageID: m.ID, SenderAgentID: m.SenderID, SenderName: m.Sender, MessageType: m.Type,
			Content: parley.Content{Text: m.Text}, Priority: m.Priority, Timestamp: noon, ConversationID: nthID(1),
		}},
	}
}
