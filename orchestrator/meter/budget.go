package meter

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley"
	"parley/internal/setting"
	"parley/plain"
)

// Prices are the prices of models, by the model's name. A name that ends with * is the beginning of
// names; the longest that fits counts.
type Prices map[string]Price

// Price is what a million tokens of a model cost.
type Price struct {
	Input      float64 `yaml:"input" doc:"What a million tokens cost that the model reads."`
	Cached     float64 `yaml:"cached" doc:"What a million tokens cost that are taken from a cache."`
	CacheWrite float64 `yaml:"cache_write" doc:"What a million tokens cost that are put into a cache."`
	Output     float64 `yaml:"output" doc:"What a million tokens cost that the model writes, reasoning included."`
}

// of returns the price of a model.
func (p Prices) of(model string) (price Price, ok bool) {
	if price, ok = p[model]; ok {
		return price, true
	}
	longest := -1
	for _, name := range slices.Sorted(maps.Keys(p)) {
		begin, isBegin := strings.CutSuffix(name, "*")
		if isBegin && strings.HasPrefix(model, begin) && len(begin) > longest {
			price, longest, ok = p[name], len(begin), true
		}
	}
	return price, ok
}

const million = 1_000_000

// cost returns what tokens of a model cost.
func (p Price) cost(t parley.Tokens) float64 {
	return (float64(t.Input)*p.Input + float64(t.Cached)*p.Cached + float64(t.CacheWrite)*p.CacheWrite +
		float64(t.Output)*p.Output) / million
}

// Budget is what may be used on a day. The tags declare each setting once: see package setting.
type Budget struct {
	Tokens int     `yaml:"tokens" min:"0" doc:"How many tokens may be used on a day, those from a cache included; 0 for any number."`
	Money  float64 `yaml:"money" doc:"How much may be spent on a day, by prices; 0 for any amount."`
	WarnAt int     `yaml:"warn_at" default:"80" min:"1" max:"100" doc:"The percentage of the budget from which you are warned."`
	Then   string  `yaml:"then" default:"warn" enum:"warn,hold,pause" doc:"What follows when it is used up: a warning only, messages to the agents are held until midnight, or communication is paused."`
}

// What follows when a budget is used up.
const (
	thenHold  = "hold"
	thenPause = "pause"
)

// Given reports whether there is a budget.
func (b *Budget) Given() bool { return b.Tokens > 0 || b.Money > 0 }

// Check fills in the defaults and refuses what cannot be meant. Source tells where the budget stands.
func (b *Budget) Check(source string) error {
	if *b == (Budget{}) {
		return nil
	}
	setting.Fill(b)
	if b.Money < 0 {
		return setting.Refuse(source, "money", b.Money, "an amount of at least 0")
	}
	if !b.Given() {
		return setting.Refuse(source, "tokens", 0, "tokens or money, or leave the budget out")
	}
	return setting.Check(b, source)
}

// Check refuses prices below zero.
func (p Prices) Check(source string) error {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if price := p[name]; min(price.Input, price.Cached, price.CacheWrite, price.Output) < 0 {
			return setting.Refuse(source, name, "below zero",
				"prices of a million tokens, such as {input: 5, output: 25}")
		}
	}
	return nil
}

// usedUp returns how much of a budget is used, in percent, and that in words.
func (b *Budget) usedUp(s parley.Spending) (percent int, words string) {
	if b.Tokens > 0 {
		percent = int(float64(s.Total()) * 100 / float64(b.Tokens))
		words = fmt.Sprintf("%s of %s tokens", plain.FormatCount(s.Total()), plain.FormatCount(int64(b.Tokens)))
	}
	if b.Money > 0 {
		if p := int(s.Cost * 100 / b.Money); p >= percent || b.Tokens == 0 {
			percent, words = p, plain.FormatCost(s.Cost)+" of "+plain.FormatCost(b.Money)
		}
	}
	return percent, words
}
