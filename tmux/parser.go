package tmux

import (
	"strconv"
	"strings"
)

type eventKind int

const (
	eventNone   eventKind = iota
	eventBegin            // a block that answers our line opens
	eventOutput           // a line inside such a block
	eventToken            // the line that ends a request
	eventError            // such a block closes with %error
	eventNotice           // a line outside every block
)

type event struct {
	kind   eventKind
	line   string // eventOutput, eventNotice; of eventToken, the text after the token
	number uint64 // of the request, for eventToken
}

// parser reads the lines of a control client. tmux answers commands in blocks, one
// per command and more if if-shell inserts some. Blocks are therefore never counted:
// a request ends at a line that carries its token. tmux does not escape what it
// prints in a block, so a screen may show "%end 1 2 1". A block therefore closes only
// at the numbers that opened it, tokens carry a secret, and after a token the next
// %end closes any open block. So no output can put the parser out of step for longer
// than one request.
type parser struct {
	secret  string // prefix of every token of this connection
	open    bool
	mine    bool   // flags 1: it answers a line that we wrote
	id      string // "time number flags" of the open block
	closing bool   // the token was seen, so the next %end closes
}

func (p *parser) feed(line string) event {
	if number, rest, ok := p.token(line); ok {
		p.closing = p.open
		return event{kind: eventToken, number: number, line: rest}
	}

	if !p.open {
		return p.outside(line)
	}

	word, id, _ := strings.Cut(line, " ")
	ends := word == "%end" || word == "%error"
	if ends && (id == p.id || p.closing) {
		p.open, p.closing = false, false
		if word == "%error" && p.mine {
			return event{kind: eventError}
		}
		return event{}
	}

	if !p.mine {
		return event{}
	}

	return event{kind: eventOutput, line: line}
}

func (p *parser) outside(line string) event {
	id, ok := strings.CutPrefix(line, "%begin ")
	if !ok {
		return event{kind: eventNotice, line: line}
	}
	p.open, p.id, p.closing = true, id, false
	// Flags 0 mark blocks that answer no line of ours: the attach itself, hooks, keys
	// of a person in a mode.
	p.mine = strings.HasSuffix(id, " 1")
	if p.mine {
		return event{kind: eventBegin}
	}
	return event{}
}

func (p *parser) token(line string) (number uint64, rest string, ok bool) {
	line, ok = strings.CutPrefix(line, p.secret)
	if !ok || p.secret == "" {
		return 0, "", false
	}
	digits, rest, _ := strings.Cut(line, " ")
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, rest, err == nil
}

// number parses a field. A format that this version of tmux does not know is empty,
// which is 0.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
