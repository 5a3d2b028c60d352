package meter

import (
	"math"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/store"
)

func TestTheLongestNameGivesThePrice(t *testing.T) {
	p := Prices{"claude-opus*": {Input: 5}, "claude-*": {Input: 3}, "claude-opus-5-5": {Input: 4}}
	for model, want := range map[string]float64{
		"claude-opus-5-5": 4, "claude-opus-5-5-20260101": 5, "claude-sonnet-5": 3,
	} {
		if got, ok := p.of(model); !ok || got.Input != want {
			t.Errorf("%s: got %+v, %v, want %v", model, got, ok, want)
		}
	}
	if _, ok := p.of("gpt-6"); ok {
		t.Error("a model without a price has one")
	}
}

// What has no price is named, and is not guessed.
func TestCostsAreThoseOfThePrices(t *testing.T) {
	p := Prices{"a": {Input: 5, Cached: 0.5, CacheWrite: 6, Output: 25}}
	u := p.usage([]store.TokenDay{
		{Day: "2026-01-02", Model: "a", Responses: 2, Tokens: parley.Tokens{
			Input: 1_000_000, Cached: 2_000_000, CacheWrite: 500_000, Output: 100_000, Reasoning: 90_000,
		}},
		{Day: "2026-01-01", Model: "b", Responses: 1, Tokens: parley.Tokens{Output: 7}},
	})
	if math.Abs(u.Cost-(5+1+3+2.5)) > 1e-9 || len(u.Unpriced) != 1 || u.Unpriced[0] != "b" {
		t.Errorf("cost %v, without a price %v", u.Cost, u.Unpriced)
	}
	if u.Responses != 3 || u.Total() != 3_600_007 || len(u.Days) != 2 || u.Days[1].Cost != 0 {
		t.Errorf("got %+v", u)
	}
}

func TestTheTighterPartOfABudgetCounts(t *testing.T) {
	b := Budget{Tokens: 1000, Money: 10}
	for _, test := range []struct {
		tokens  int64
		cost    float64
		percent int
		words   string
	}{
		{500, 1, 50, "500 of 1000 tokens"},
		{500, 9, 90, "9.00 of 10.00"},
		{1001, 9, 100, "1001 of 1000 tokens"},
	} {
		s := parley.Spending{Tokens: parley.Tokens{Output: test.tokens}, Cost: test.cost}
		if percent, words := b.usedUp(s); percent != test.percent || words != test.words {
			t.Errorf("got %d, %q, want %d, %q", percent, words, test.percent, test.words)
		}
	}
}

func TestBudgetsAreChecked(t *testing.T) {
	good := Budget{Tokens: 5}
	must.Do(t, good.Check("here"))
	if good.WarnAt != 80 || good.Then != "warn" {
		t.Errorf("the defaults are %+v", good)
	}
	var none Budget
	if err := none.Check("here"); err != nil || none != (Budget{}) {
		t.Errorf("no budget: %v, %+v", err, none)
	}
	for name, bad := range map[string]Budget{
		"tokens": {Then: "hold"}, "money": {Money: -1}, "then": {Tokens: 1, Then: "stop"},
		"warn_at": {Tokens: 1, WarnAt: 101},
	} {
		if err := bad.Check("here"); err == nil || parley.AsError(err).Details["setting"] != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if (Prices{"m": {Output: -1}}).Check("here") == nil {
		t.Error("a price below zero is taken")
	}
}
