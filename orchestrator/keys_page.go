package orchestrator

import (
	"context"
	"crypto/hmac"
	"net"
	"net/netip"
	"net/url"
	"slices"

	"parley"
	"parley/orchestrator/team"
)

// OpenPage does op.OpenPage. A code is a key of the operator's that only becomes a session.
func (ks *keyService) OpenPage(ctx context.Context, req parley.OpenPageRequest) (*parley.OpenPageResult, error) {
	origin := parley.KeyPageCode
	if req.Watch {
		origin = parley.KeyWatchCode
	}

	code, stored := ks.roster.NewKey(origin)
	ends := stored.CreatedAt.Add(parley.PageCodeLife)
	stored.ExpiresAt = &ends
	if _, err := ks.roster.SwapKeys(ctx, ks.roster.ByName(parley.OperatorName), stored, ks.overOnPage); err != nil {
		return nil, err
	}

	return &parley.OpenPageResult{
		Answer:    parley.OK,
		KeyID:     stored.KeyID,
		Code:      code,
		Address:   pageAddress(ks.opts.Daemon.Info.HTTP),
		Elsewhere: ks.opts.Settings.Web.URL,
		Watch:     req.Watch,
		ExpiresAt: ends,
	}, nil
}

// EnterPage turns the one-time code of this daemon into a session. It returns UNAUTHENTICATED for a code that is used
// or too old.
func (ks *keyService) EnterPage(ctx context.Context, entry parley.PageEntry) (*parley.PageSession, error) {
	operator := ks.roster.ByName(parley.OperatorName)
	codes := ks.roster.Keys.List(operator)
	i := slices.IndexFunc(codes, func(k *team.Key) bool { return k.KeyID == entry.CodeID && k.Origin.IsCode() })
	if i < 0 || codes[i].Ended(ks.now()) || codes[i].CreatedAt.Before(ks.opts.Daemon.Info.StartedAt) {
		return nil, parley.PageCodeSpent()
	}
	held := codes[i]
	if !hmac.Equal([]byte(parley.PageProof(held.Hash, entry.PublicKey)), []byte(entry.Proof)) {
		return nil, parley.PageCodeSpent()
	}

	stored := ks.roster.NewSession(held.Origin.Session(), entry.PublicKey)
	ended, err := ks.roster.SwapKeys(ctx, held.Member, stored, func(k *team.Key) bool {
		return k.KeyID == held.KeyID || ks.overOnPage(k)
	})
	if err != nil {
		return nil, err
	}

	// Another call has used it meanwhile.
	if !slices.Contains(team.KeyIDs(ended), held.KeyID) {
		_, err := ks.roster.SwapKeys(ctx, held.Member, nil, func(k *team.Key) bool { return k.KeyID == stored.KeyID })
		if err != nil {
			return nil, err
		}
		return nil, parley.PageCodeSpent()
	}

	return &parley.PageSession{
		Answer:    parley.OK,
		KeyID:     stored.KeyID,
		Watch:     stored.Origin == parley.KeyWatch,
		Workspace: ks.opts.Workspace,
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
func (ks *keyService) overOnPage(k *team.Key) bool { return k.Origin.OfPage() && k.Ended(ks.now()) }

// EndPage ends all sessions and links of the page.
func (ks *keyService) EndPage(ctx context.Context) error {
	_, err := ks.roster.SwapKeys(ctx, ks.roster.ByName(parley.OperatorName), nil,
		func(k *team.Key) bool { return k.Origin.OfPage() })
	return err
}
