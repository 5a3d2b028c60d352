package keys

import (
	"context"
	"crypto/hmac"
	"net"
	"net/netip"
	"net/url"
	"slices"

	"parley"
	"parley/op"
	"parley/orchestrator/team"
)

// OpenPage does op.OpenPage. A code is a key of the operator's that only becomes a session.
func (ks *Service) OpenPage(ctx context.Context, req parley.OpenPageRequest) (*parley.OpenPageResult, error) {
	origin := parley.KeyPageCode
	if req.Watch {
		origin = parley.KeyWatchCode
	}

	code, stored := ks.Roster.NewKey(origin)
	ends := stored.CreatedAt.Add(parley.PageCodeLife)
	stored.ExpiresAt = &ends
	if _, err := ks.Roster.SwapKeys(ctx, ks.Roster.ByName(parley.OperatorName), stored, ks.overOnPage); err != nil {
		return nil, err
	}

	return &parley.OpenPageResult{
		Answer:    parley.OK,
		KeyID:     stored.KeyID,
		Code:      code,
		Address:   pageAddress(ks.Info.HTTP),
		Elsewhere: ks.URL,
		Watch:     req.Watch,
		ExpiresAt: ends,
	}, nil
}

// EnterPage turns the one-time code of this daemon into a session. It returns UNAUTHENTICATED for a code that is used
// or too old.
func (ks *Service) EnterPage(ctx context.Context, entry parley.PageEntry) (*parley.PageSession, error) {
	operator := ks.Roster.ByName(parley.OperatorName)
	codes := ks.Roster.Keys.List(operator)
	i := slices.IndexFunc(codes, func(k *team.Key) bool { return k.KeyID == entry.CodeID && k.Origin.IsCode() })
	if i < 0 || codes[i].Ended(ks.Now()) || codes[i].CreatedAt.Before(ks.Info.StartedAt) {
		return nil, parley.PageCodeSpent()
	}
	held := codes[i]
	if !hmac.Equal([]byte(parley.PageProof(held.Hash, entry.PublicKey)), []byte(entry.Proof)) {
		return nil, parley.PageCodeSpent()
	}

	stored := ks.Roster.NewSession(held.Origin.Session(), entry.PublicKey, entry.From)
	ended, err := ks.Roster.SwapKeys(ctx, held.Member, stored, func(k *team.Key) bool {
		return k.KeyID == held.KeyID || ks.overOnPage(k)
	})
	if err != nil {
		return nil, err
	}

	// Another call has used it meanwhile.
	if !slices.Contains(team.KeyIDs(ended), held.KeyID) {
		_, err := ks.Roster.SwapKeys(ctx, held.Member, nil, func(k *team.Key) bool { return k.KeyID == stored.KeyID })
		if err != nil {
			return nil, err
		}
		return nil, parley.PageCodeSpent()
	}

	return &parley.PageSession{
		Answer:    parley.OK,
		KeyID:     stored.KeyID,
		Watch:     stored.Origin == parley.KeyWatch,
		Workspace: ks.Workspace,
	}, nil
}

// pageAddress returns the address of the page on this machine. A daemon that listens on all addresses is on
// loopback too.
func pageAddress(http string) string {
	u, err := url.Parse(http)
	if err != nil {
		return http
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsUnspecified() {
		u.Host = net.JoinHostPort("127.0.0.1", u.Port())
	}
	return u.String()
}

// overOnPage selects the codes and sessions of the page that have ended by themselves.
func (ks *Service) overOnPage(k *team.Key) bool { return k.Origin.OfPage() && k.Ended(ks.Now()) }

// EndPage ends all sessions and links of the page.
func (ks *Service) EndPage(ctx context.Context) error {
	_, err := ks.Roster.SwapKeys(ctx, ks.Roster.ByName(parley.OperatorName), nil,
		func(k *team.Key) bool { return k.Origin.OfPage() })
	return err
}

// SessionLives reports whether a session of the page may still do what the operator may.
func (ks *Service) SessionLives(id string) bool {
	return slices.ContainsFunc(ks.Roster.Keys.List(ks.Roster.ByName(parley.OperatorName)), func(k *team.Key) bool {
		return k.KeyID == id && k.Origin == parley.KeyPage && !k.Ended(ks.Now())
	})
}

// AnswerByCode chooses the option of a code, for the operator. It returns UNAUTHENTICATED for a code that is used, too
// old or unknown, and DIALOG_CHANGED if the agent asks something else by now.
func (ks *Service) AnswerByCode(ctx context.Context, code string) (*parley.AnswerDialogResult, error) {
	if ks.Codes == nil {
		return nil, parley.AnswerCodeSpent()
	}
	taken, ok := ks.Codes.Take(code)
	if !ok {
		return nil, parley.AnswerCodeSpent()
	}

	operator, _ := ks.Roster.CallerOf(ks.Roster.ByName(parley.OperatorName))
	return op.AnswerDialog.Call(parley.WithCaller(ctx, operator), ks.Service, parley.AnswerDialogRequest{
		Agent: taken.Agent, Dialog: taken.Dialog, Choice: taken.Choice,
	})
}
