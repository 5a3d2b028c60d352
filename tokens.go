package parley

// Tokens are what models read and wrote. No token is in two of the first four numbers.
type Tokens struct {
	Input      int64 `json:"input_tokens"`       // read, and neither taken from a cache nor put into one
	Cached     int64 `json:"cached_tokens"`      // taken from a cache
	CacheWrite int64 `json:"cache_write_tokens"` // put into a cache
	Output     int64 `json:"output_tokens"`      // written, with reasoning
	Reasoning  int64 `json:"reasoning_tokens"`   // of the output, as far as the program tells
}

// Total returns the number of all tokens.
func (t Tokens) Total() int64 { return t.Input + t.Cached + t.CacheWrite + t.Output }

// Plus returns the sum of both.
func (t Tokens) Plus(o Tokens) Tokens {
	return Tokens{
		t.Input + o.Input, t.Cached + o.Cached, t.CacheWrite + o.CacheWrite,
		t.Output + o.Output, t.Reasoning + o.Reasoning,
	}
}

// Minus returns the difference.
func (t Tokens) Minus(o Tokens) Tokens {
	return t.Plus(Tokens{-o.Input, -o.Cached, -o.CacheWrite, -o.Output, -o.Reasoning})
}

// UsageUnknown says why it is not known what an agent used.
type UsageUnknown string

// The reasons. New ones may be added; none is renamed.
const (
	UsageNoReader     UsageUnknown = "no_reader"     // no transcript of this program can be read
	UsageNoTranscript UsageUnknown = "no_transcript" // its program has told of no transcript yet, or has not made it
	UsageUnreadable   UsageUnknown = "unreadable"    // the file cannot be read
	UsageUnknownForm  UsageUnknown = "unknown_form"  // this version of the program writes it in another form
)

// Words says it for people.
func (u UsageUnknown) Words() string {
	switch u {
	case "":
		return ""
	case UsageNoReader:
		return "not known: parley cannot read what this program used"
	case UsageNoTranscript:
		return "not known yet: parley has seen no transcript of its program"
	case UsageUnreadable:
		return "not known: its transcript cannot be read"
	case UsageUnknownForm:
		return "not known: its transcript is in a form that parley does not know"
	}
	return "not known: " + string(u)
}

// ProgramUsage is what the program of an agent used.
type ProgramUsage struct {
	AgentID string `json:"agent_id"`
	Agent   string `json:"agent"`
	Program string `json:"program,omitempty"` // its profile

	// Unknown says why more may have been used than the numbers tell; "" if they are whole.
	Unknown UsageUnknown `json:"unknown,omitempty"`

	Spending
	Today Spending   `json:"today"`
	Days  []UsageDay `json:"days"` // the newest first
}

// Spending is what models used, and what that cost.
type Spending struct {
	Responses int `json:"responses"` // of models
	Tokens
	Cost     float64  `json:"cost"`               // by the prices of parley.yaml
	Unpriced []string `json:"unpriced,omitempty"` // models that have no price there: they are not in the cost
}

// UsageDay is what one model used on one day.
type UsageDay struct {
	Day   string `json:"day"` // of the daemon's machine, such as 2026-01-31
	Model string `json:"model"`
	Spending
}
