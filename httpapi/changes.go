package httpapi

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/op"
)

// looks finds out what changes without an event, such as a draft that has stood for long, or tokens that were used. The
// streams of all pages share it, so that ten pages at rest cost what one does.
type looks struct {
	service parley.Service
	age     time.Duration // how old a look may be that another page takes over; less than the time between heartbeats
	mu      sync.Mutex
	last    map[bool]look // of those who may only look, and of the others
}

// look is the sums of answers, by what a page calls them.
type look struct {
	at   time.Time
	sums map[string]uint64
}

var lookSeed = maphash.MakeSeed()

// looked is what is looked at.
var looked = map[string]*op.Op{"needs": op.GetNeeds.Op, "team": op.GetAgentStatus.Op}

// sums returns those of what the caller sees now. What cannot be read has none.
func (l *looks) sums(ctx context.Context) map[string]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	watches := parley.CallerFrom(ctx).Watches != ""
	if seen := l.last[watches]; time.Since(seen.at) < l.age {
		return seen.sums
	}

	now := look{time.Now(), map[string]uint64{}}
	for name, o := range looked {
		inv, err := o.Decode(nil)
		if err != nil {
			continue
		}
		if answer, err := inv.Call(ctx, l.service); err == nil {
			if team, ok := answer.(*parley.AgentStatusResult); ok { // that the operator looks is nothing new
				team.Agents = slices.DeleteFunc(team.Agents,
					func(a parley.AgentStatus) bool { return a.Kind == parley.KindHuman })
			}
			data, _ := json.Marshal(answer) // cannot fail: strings, numbers and times
			now.sums[name] = maphash.Bytes(lookSeed, data)
		}
	}
	l.last[watches] = now

	return now.sums
}

// changed returns what differs between two looks.
func changed(before, now map[string]uint64) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(looked)) {
		if before[name] != now[name] {
			names = append(names, name)
		}
	}
	return names
}
