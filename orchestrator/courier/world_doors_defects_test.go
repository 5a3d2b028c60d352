package courier

// doorDefects are mistakes about programs' own doors.
var doorDefects = []defect{
	{"what goes through a door is not claimed", "doorway.go", `	err := d.v.o.Store.ClaimDoor(ctx, x.Key)`,
		`	var err error`, nil},
	{"a door that does not answer counts as closed", "doorway.go", `	if errors.Is(err, door.ErrClosed) {`, `	if err != nil {`, nil},
	{"a closed door counts as one that does not answer", "doorway.go", `	if errors.Is(err, door.ErrClosed) {`, `	if false {`, nil},
	{"what its program keeps counts as read", "doorway_ask.go", `	case f == door.Read:`, `	case f == door.Read, f == door.Queued:`, nil},
	{"what its program keeps is given up", "doorway_ask.go", `	case f != door.Dropped && f != door.Absent:`,
		`	case f != door.Dropped && f != door.Absent && f != door.Queued:`, nil},
	{"what its program has dropped counts as read", "doorway_ask.go", `	case f == door.Read:`, `	case f == door.Read, f == door.Dropped:`, nil},
	{"what its program never got is given up", "doorway_ask.go", `	case f == door.Absent:`, `	case false:`, nil},
	{"a program that says nothing counts as one that never got it", "doorway_ask.go", `	switch f := x.answer.Fate; {`,
		`	if x.answer.Fate == door.Unknown {
		x.answer.Fate = door.Absent
	}
	switch f := x.answer.Fate; {`, nil},
	{"a program that works counts as one that has nothing to do", "doorway_ask.go", `idle := o.Shows == profile.Idle ||`,
		`idle := o.Shows != profile.Blocked ||`, nil},
	{"what a daemon had given as it died is typed", "courier.go", `			c.doors.restore(t, job)
			continue`, `			if err := c.ledger.close(ctx, job, ended(parley.DeliveryQueued, parley.EndedInterrupted, "")); err != nil {
				return err
			}
			continue`, nil},
	{"what a daemon had given as it died is forgotten", "courier.go", `			c.doors.restore(t, job)
			continue`, `			continue`, nil},
	{"a message goes through a door twice", "doorway.go", `typed := job.Door && !d.hook.missed[job.Key] || d.typed[job.Key] ||
		d.v`,
		`typed := d.v`, nil},
	{"what stands in the terminal is given, too", "doorway.go", `d.v.stranded != nil && d.v.stranded.Key == job.Key || forced`, `forced`, nil},
	{"the next message is typed before it", "doorway.go",
		`			h = sight.Held(parley.HoldInside, "a message before this one")`, `			h = sight.Hold{}`, nil},
	{"what is taken back goes behind what came after it", "doorway_ask.go", `range d.open.behind(x) {`,
		`range d.open.behind(x)[:0] {`, nil},
	{"the next message does not wait for its turn to begin", "doorway.go", `	d.v.memory.NoteHanded(&x.Job,`, `	new(attempt.Memory).NoteHanded(&x.Job,`, nil},
	{"nobody looks again after a slow claim for the door", "doorway.go", `	if still := f.Hold(); !still.None() {`,
		`	if still := f.Hold(); false && !still.None() {`, nil},
	{"what goes through a door overtakes an urgent one", "courier.go", `		if !team.IsUrgent(job) && c.m.HasUrgent() {
			c.ledger.soon`, `		if false {
			c.ledger.soon`, nil},
	{"what is not given back is typed all the same", "doorway_ask.go", `	return back
}`, `	return back || true
}`, nil},
	{"what the database did not take counts as told", "doorway_ask.go", `		x.told = err == nil //`, `		x.told = true //`, nil},
	{"what the operator retries is typed although its program has it", "doorway.go",
		`	if f := d.v.answerOf(ctx, x).Fate; f != door.Queued`, `	if f := door.Absent; f != door.Queued`, nil},
	{"what was silent is forgotten with its daemon", "doorway_ask.go", `	for _, job := range jobs {
		x := d.taken(t, job)`, `	for _, job := range jobs[:0] {
		x := d.taken(t, job)`, nil},
	{"what is silent is never asked for again", "doorway_ask.go", `		return x.told, nil // a later turn`, `		if x.told {
			d.open.forget(x)
		}
		return x.told, nil // a later turn`, nil},
	{"what a queue keeps beyond the end of its program is forgotten", "doorway_ask.go", `	x.told = err == nil
	return true, err
}

// shows`, `	if err == nil {
		d.open.forget(x)
	}
	return true, err
}

// shows`, nil},
	{"an urgent message waits for the end of the turn", "doorway.go",
		`x.steer = team.IsUrgent(job) && v.m.Agent().Interruptible`, `x.steer = false`, nil},
	{"any message goes into the turn that runs", "doorway.go",
		`x.steer = team.IsUrgent(job) && v.m.Agent().Interruptible`, `x.steer = v.m.Agent().Interruptible`, nil},
	{"what comes back from a door is not read again", "doorway.go", `	d.v.ledger.behind = d.v.ledger.behind || changes[0].State == parley.DeliveryQueued
`, ``, nil},

	// Hooks of its program.
	{"any message goes to a hook in the turn", "doorway_hook.go", `!at.AtEnd && !team.IsUrgent(*job) ||`, `false ||`, nil},
	{"a hook overtakes what its program has in its own queue", "doorway_hook.go", `|| w.hasQueue(t) {`, `|| w.hasQueue(nil) {`, nil},
	{"a hook overtakes what its program was given", "doorway.go", `		if d.open.ahead().None() {
			return call, true`, `		if true {
			return call, true`, nil},
	{"a hook takes what may be refused", "doorway_hook.go", `!h.None() && !h.Code().OpenDoor(true) || !w.v.isServed(t) ||`,
		`!h.None() && !h.Code().OpenDoor(true) ||`, nil},
	{"what a hook loses again and again goes to the next", "doorway_ask.go", `			d.hook.deaf = x.on
`, ``, nil},
	{"a hook that has gone on counts as one that took it", "doorway.go", `	if errors.Is(err, door.ErrClosed) {`,
		`	if errors.Is(err, door.ErrClosed) && !x.hooked {`, nil},

	// What a program was started with.
	{"what a program was started with is typed once that has ended", "resume.go", `	if job.Door {
		return unseen(m, job, silent(job), why)`, `	if job.Argument {
		return []store.Change{ended(parley.DeliveryQueued, parley.EndedInterrupted, "")}
	}
	if job.Door {
		return unseen(m, job, silent(job), why)`, nil},
	{"nobody looks for what a program was started with", "courier.go", `c.m.Started.Swap(false)`, `false && c.m.Started.Swap(false)`, nil},
	{"what was handed over is delivered although a program was started with it", "courier.go",
		`		c.ledger.leave(nil)
		c.ledger.behind = true
`, `		c.ledger.leave(nil)
`, nil},
	{"the next message does not wait for what a program was started with", "doorway.go", `		case x.Argument:
			return sight.Held(parley.HoldNotBegun, "")`, `		case x.Argument:`, nil},
	{"the door is asked of what a program was started with", "doorway_ask.go", `	if x.Argument {
		return door.Answer{`, `	if x.Argument && false {
		return door.Answer{`, nil},
	{"what a program was started with is never given up", "doorway_ask.go", `now.Sub(x.idle) >= doorSilence {`, `now.Sub(x.idle) >= doorSilence && !x.Argument {`, nil},
	{"what a program was started with is given up while it asks something", "doorway_ask.go", `idle := o.Shows == profile.Idle ||`,
		`idle := o.Shows == profile.Idle || x.Argument && o.Shows == profile.Dialog ||`, nil},
	{"what its launcher shows of a message counts as taken", "doorway_ask.go", `	if x.Argument && !x.worked && (`, `	if false && (`, nil},
	{"what a program has refused at its start counts as taken", "doorway_ask.go", `	case shown && o.Refusal() != "":`, `	case false:`,
		[]edit{{"doorway_ask.go", `answered || !v.memory.MayRefuse(o)`, `true`}}},
}
