package main

import (
	"context"
	"testing"
	"time"

	"parley/client"
)

func TestWorkspaceThatAnswersTooLateSaysSo(t *testing.T) {
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()

	var l workspaceLine
	l.fail(late, l.ask(late, client.New(client.Options{Socket: "/nowhere"})), 3*time.Second)
	if l.agents() != "no answer within 3s" {
		t.Errorf("its line says %q", l.agents())
	}
}
