package main

import (
	"context"
	"testing"
	"time"
)

// A wrapper that is gone at the first look does not end a bridge; a parent that goes later does.
func TestBridgeEndsWithItsParent(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	parents, looks, ended := []int{7, 7, 7, 1}, 0, false
	endWithParent(ctx, func() { ended = true }, func() int {
		looks++
		return parents[min(looks, len(parents))-1]
	})
	if !ended || looks != len(parents) {
		t.Errorf("ended: %v, after %d looks, want %d", ended, looks, len(parents))
	}
}
