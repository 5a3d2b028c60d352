package conversation

import "parley"

// Admit judges a turn, and takes it if it may start.
func (b *Budgets) Admit(s Settings, t Turn) Verdict {
	v := b.Judge(s, t)
	if !v.Held {
		b.Take(t)
	}
	return v
}

func Mentions(text, name string) bool { return parseText(text).mentions(name) }

func AsksDirectly(text, name string) bool { return parseText(text).asks(name) }

func IsQuestion(text string) bool { return len(parseText(text).questions) > 0 }

func Acknowledges(text string) bool { return parseText(text).acknowledges() }

func Relevance(agent *parley.Agent, text string) float64 {
	return parseText(text).relevance(interestsOf(agent))
}
