package tmux

import (
	"testing"
	"time"
)

func TestALookAtTheProcessesIsSharedByThoseItIsNewEnoughFor(t *testing.T) {
	var p Processes
	before := time.Now()
	look := p.look(before)
	if p.look(before) != look {
		t.Error("the same is looked for twice")
	}

	if now := p.look(time.Now()); now == look || p.look(before) != now {
		t.Error("an old look is taken for what is so now")
	}
}
