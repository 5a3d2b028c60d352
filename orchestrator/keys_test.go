package orchestrator

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/team"
)

// good returns the owner of a key, or "" if the key is not valid.
func (te *testTeam) good(key string) string {
	c, _ := te.roster.Authenticate(context.Background(), key)
	return c.Name
}

// wantGood checks which keys are valid and coder's.
func (te *testTeam) wantGood(when string, keys map[string]bool) {
	te.t.Helper()
	for key, want := range keys {
		if got := te.good(key) == "coder"; got != want {
			te.t.Errorf("%s: key %s is good: %v, want %v", when, key[:parley.KeyIDLength], got, want)
		}
	}
}

func TestKeysWorkUntilTheyEnd(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	boss := te.operator()
	res := must.Have(op.RegisterAgent.Call(boss, te, parley.RegisterAgentRequest{Username: "coder"}))(t)

	issue := func() string {
		t.Helper()
		k := must.Have(op.IssueKey.Call(boss, te, parley.IssueKeyRequest{Agent: "coder"}))(t)
		return k.APIKey
	}

	first, second, third := res.APIKey, issue(), issue()
	te.wantGood("issued", map[string]bool{
		first:                      true,
		second:                     true,
		third:                      true,
		third[:parley.KeyIDLength]: false,
		first + "x":                false,
		strings.ToUpper(first):     false,
	})

	must.Have(op.RevokeKey.Call(boss, te, parley.RevokeKeyRequest{KeyID: second}))(t) // a full key is accepted too

	te.wantGood("revoked", map[string]bool{first: true, second: false, third: true})

	te.close() // a restart changes nothing
	te.open()
	te.wantGood("another daemon", map[string]bool{first: true, second: false, third: true})

	rotated := must.Have(op.RotateKey.Call(te.operator(), te, parley.RotateKeyRequest{Agent: "coder"}))(t)

	te.wantGood("rotated", map[string]bool{first: false, second: false, third: false, rotated.APIKey: true})
	must.Have(op.RevokeKey.Call(te.operator(), te, parley.RevokeKeyRequest{Agent: "coder"}))(t)

	te.wantGood("all revoked", map[string]bool{rotated.APIKey: false})
	te.restart()
	te.wantGood("yet another daemon", map[string]bool{first: false, second: false, third: false, rotated.APIKey: false})
}

func TestLastUseOfAKeyIsStored(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.as("coder") // which authenticates with the first
	must.Have(op.IssueKey.Call(te.operator(), te, parley.IssueKeyRequest{Agent: "coder"}))(t)
	te.Workspace.Expire(context.Background())
	te.restart()
	res, err := op.ListKeys.Call(te.operator(), te, parley.ListKeysRequest{Agent: "coder"})
	if err != nil || len(res.Keys) != 2 || res.Keys[0].LastUsed == nil || res.Keys[1].LastUsed != nil {
		t.Errorf("keys: got %+v, %v, want the first alone used", res, err)
	}
}

func TestKeysAreStoredHashed(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	res := must.Have(op.RegisterAgent.Call(te.operator(), te, parley.RegisterAgentRequest{Username: "coder"}))(t)
	keys, err := te.store.Keys.List(context.Background())
	if err != nil || len(keys) != 1 || string(keys[0].Hash) != string(team.HashKey(res.APIKey)) ||
		len(keys[0].Hash) != 32 {
		t.Errorf("stored: %+v, %v", keys, err)
	}
}

// keyIn returns the key that is in a launched agent's environment.
func (te *testTeam) keyIn(name string) string {
	te.t.Helper()
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", te.roster.ByName(name).Terminal().PID))
	if err != nil {
		te.t.Skipf("the environment of a process cannot be read here: %v", err)
	}
	for entry := range strings.SplitSeq(string(env), "\x00") {
		if key, ok := strings.CutPrefix(entry, "PARLEY_KEY="); ok {
			return key
		}
	}
	te.t.Fatalf("%s has no key", name)
	return ""
}

func TestRestartReplacesOnlyTheLaunchKey(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	boss := te.operator()
	launch := func() {
		t.Helper()
		must.Have(op.LaunchAgent.Call(boss, te, parley.LaunchAgentRequest{Name: "coder", Command: []string{"cat"}}))(t)
	}

	launch()
	first := te.keyIn("coder")

	issued := must.Have(op.IssueKey.Call(boss, te, parley.IssueKeyRequest{Agent: "coder"}))(t)
	must.Have(op.RestartAgent.Call(boss, te, parley.RestartAgentRequest{Agent: "coder"}))(t)

	second := te.keyIn("coder")
	te.wantGood("restarted", map[string]bool{first: false, second: true, issued.APIKey: true})

	rotated, err := op.RotateKey.Call(boss, te, parley.RotateKeyRequest{Agent: "coder"})
	if err != nil || !strings.Contains(rotated.Message, "parley restart coder") ||
		!slices.Contains(rotated.Ended, second[:parley.KeyIDLength]) {
		t.Errorf("rotate: got %+v, %v, want it to say that coder must be restarted", rotated, err)
	}

	must.Have(op.StopAgent.Call(boss, te, parley.StopAgentRequest{Agent: "coder"}))(t)

	te.wantGood("stopped", map[string]bool{second: false, rotated.APIKey: false})
	launch()
	te.wantGood("launched again", map[string]bool{second: false, rotated.APIKey: false, te.keyIn("coder"): true})
}

// An invitation lets its owner register, for a while, and nothing else.
func TestInvitationIsOnlyForRegistration(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	te := newTeam(t, func(o *Options) { o.Now = clock.now })
	res := must.Have(op.Invite.Call(te.operator(), te, parley.InviteRequest{}))(t)

	guest, ok := te.roster.Authenticate(t.Context(), res.Token)
	if !ok || !guest.Invited || !guest.Nobody() || guest.Operator {
		t.Fatalf("it stands for %+v, %v; want nobody, invited", guest, ok)
	}
	for _, o := range op.All {
		if err := o.Allow(guest); (err == nil) != (o.Access == op.Public) {
			t.Errorf("%s by a guest: %v", o.Name, err)
		}
	}

	clock.set(res.ExpiresAt.Add(-time.Second))
	if _, ok := te.roster.Authenticate(t.Context(), res.Token); !ok {
		t.Error("it ended too early")
	}
	clock.set(res.ExpiresAt)
	if _, ok := te.roster.Authenticate(t.Context(), res.Token); ok {
		t.Error("it works after its end")
	}
}

// A newcomer who was invited can do nothing before the operator has decided.
func TestNewcomersWaitForTheOperator(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.ApproveNewcomers = true })
	boss := te.operator()
	guest := parley.WithCaller(t.Context(), parley.Caller{Invited: true, Address: "127.0.0.1:4711"})
	stranger := parley.WithCaller(t.Context(), parley.Caller{Address: "192.0.2.7:4711"})
	own := parley.WithCaller(t.Context(), parley.Caller{Address: "127.0.0.1:4712"})

	keys := map[string]string{}
	for name, from := range map[string]context.Context{"guest": guest, "stranger": stranger, "own": own} {
		res := must.Have(op.RegisterAgent.Call(from, te, parley.RegisterAgentRequest{Username: name}))(t)
		keys[name] = res.APIKey
	}

	wantAllowed := func(name string, want bool) {
		t.Helper()
		c, ok := te.roster.Authenticate(t.Context(), keys[name])
		if err := op.Find("send_message").Allow(c); !ok || (err == nil) != want {
			t.Errorf("%s: %+v, %v, %v; want allowed: %v", name, c, ok, err, want)
		}
	}
	wantAllowed("own", true)
	wantAllowed("guest", false)
	wantAllowed("stranger", false)

	var waiting []string
	for _, need := range must.Have(op.GetNeeds.Call(boss, te, parley.GetNeedsRequest{}))(t).Needs {
		if need.Kind == parley.NeedNewcomer {
			waiting = append(waiting, need.Agent)
		}
	}
	slices.Sort(waiting)
	if !slices.Equal(waiting, []string{"guest", "stranger"}) {
		t.Errorf("those wait for the operator: %v", waiting)
	}

	must.Have(op.ApproveAgent.Call(boss, te, parley.ApproveAgentRequest{Agent: "guest", Approve: true}))(t)
	must.Have(op.ApproveAgent.Call(boss, te, parley.ApproveAgentRequest{Agent: "stranger"}))(t)
	wantAllowed("guest", true)
	if c, ok := te.roster.Authenticate(t.Context(), keys["stranger"]); ok {
		t.Errorf("who was turned away is still %+v", c)
	}
}

// Where there is no terminal, the operator brings a key along. After the first agent it is too late.
func TestOperatorBringsAKeyBeforeThereAreAgents(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	first, stored := te.roster.NewKey(parley.KeyIssued)
	second, late := te.roster.NewKey(parley.KeyIssued)

	must.Do(t, te.roster.EnsureOperator(t.Context(), stored))
	if c, ok := te.roster.Authenticate(t.Context(), first); !ok || !c.Operator {
		t.Errorf("the key stands for %+v, %v; want the operator", c, ok)
	}

	te.as("coder")
	must.Do(t, te.roster.EnsureOperator(t.Context(), late))
	if c, ok := te.roster.Authenticate(t.Context(), second); ok {
		t.Errorf("the key that came after an agent stands for %+v", c)
	}
}

func TestKeysEndByThemselves(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	must.Have(op.RegisterAgent.Call(te.operator(), te, parley.RegisterAgentRequest{Username: "coder"}))(t)
	lasting := must.Have(op.IssueKey.Call(te.operator(), te, parley.IssueKeyRequest{Agent: "coder"}))(t)
	ending := must.Have(op.IssueKey.Call(te.operator(), te, parley.IssueKeyRequest{Agent: "coder", Expires: "30d"}))(t)
	if lasting.ExpiresAt != nil || ending.ExpiresAt == nil || !strings.Contains(ending.Message, "until") {
		t.Fatalf("issued %+v and %+v", lasting, ending)
	}

	for _, at := range []struct {
		days int
		good bool
	}{{29, true}, {31, false}} {
		te.reopen(func(o *Options) { o.Now = func() time.Time { return time.Now().AddDate(0, 0, at.days) } })
		te.wantGood(fmt.Sprint("after ", at.days, " days"),
			map[string]bool{lasting.APIKey: true, ending.APIKey: at.good})
	}

	list := must.Have(op.ListKeys.Call(te.operator(), te, parley.ListKeysRequest{Agent: "coder"}))(t)
	i := slices.IndexFunc(list.Keys, func(k parley.Key) bool { return k.KeyID == ending.KeyID })
	if i < 0 || list.Keys[i].ExpiresAt == nil || !list.Keys[i].ExpiresAt.Equal(*ending.ExpiresAt) {
		t.Errorf("the list shows %+v, want the end of %s", list.Keys, ending.KeyID)
	}
}
