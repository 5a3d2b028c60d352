package parleytest

import (
	"slices"
	"testing"
)

// Suite runs every case, each against a new team.
func Suite(t *testing.T, newTeam func(t *testing.T) Team) {
	for _, c := range slices.Concat(agentCases, assistanceCases, attachmentCases, broadcastCases, conversationCases,
		deadlineCases, eventCases, exportCases, fileCases, historyCases, idempotencyCases, inboxCases,
		keyCases, messageStatusCases, operatorCases, reportCases, responderCases, responseCases,
		searchCases, sendCases, threadMemberCases, threadPostCases, threadCases) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // the cases mostly wait
			c.run(newFixture(t, newTeam(t)))
		})
	}
}
