package courier

import (
	"strings"
	"testing"
	"time"

	"parley"
)

// The shortest stories that have broken a promise once.
var cases = []struct {
	name  string
	story story
}{
	{"a key that is taken late", story{
		Profile: "gemini", Traits: traits{Width: 120, Begin: ms(425), Work: time.Second, DropsBegin: true},
		Events: []event{
			{At: 18 * time.Second, Do: "late key", For: 4 * time.Second},
			send(29 * time.Second), send(30 * time.Second),
		},
	}},
	{"the next text behind one that is not drawn yet", story{
		Profile: "copilot", Traits: traits{
			Width: 120, Read: ms(800), Draw: ms(91), Start: ms(3552), Work: time.Second, Fold: 120,
		},
		Events: []event{
			{At: time.Second, Do: "hang", For: 10 * time.Second}, long(3 * time.Second), long(3 * time.Second),
		},
	}},
	{"an old report lets the next text into work that has not begun", story{
		Seed: 14604, Profile: "gemini", Traits: traits{
			Width: 120, Start: ms(3838), Begin: ms(315), Work: ms(1552), Report: 3 * time.Second, Reports: true,
			DropsBegin: true,
		},
		Events: []event{
			send(ms(2020)), send(ms(6493)),
			{At: ms(6784), Do: "send", What: "high"},
		},
	}},
	{"what got its key twice is taken out of the conversation before that was drawn", story{
		Seed: 12015, Profile: "copilot", Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(764), Begin: ms(443), Work: ms(3020), Report: 3 * time.Second,
			Reports: true, Suggests: true, Home: true,
		},
		Events: []event{
			send(ms(12810)), {At: ms(14762), Do: "unread key", N: 3, For: ms(6455)}, send(ms(18748)),
			send(ms(32188)), send(ms(32923)),
			{At: ms(51134), Do: "break keys", N: 1}, send(ms(51159)),
			{At: ms(60129), Do: "undo", N: 7, For: ms(16140)},
		},
	}},
	{"what was refused once is taken out of the conversation when it is retried", story{
		Seed: 20419, Profile: "codex", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(2336), Begin: ms(1500), Work: time.Second, oddities: oddities{SignedOut: ms(11991)},
		},
		Events: []event{
			{At: 11 * time.Second, Do: "send", What: "normal", N: 2},
			{At: 28 * time.Second, Do: "draft", What: "leaves it", N: 2, For: 9 * time.Second},
			{At: 53 * time.Second, Do: "undo", N: 4, For: 23 * time.Second}, {At: 61 * time.Second, Do: "retry", N: 1},
			{At: 113 * time.Second, Do: "recall", For: 10 * time.Second},
		},
	}},
	{"the database is away as a prompt is taken that is then taken back", story{
		Seed: 18830, Profile: "copilot", Back: ms(100), Traits: traits{
			Width: 120, Read: ms(800), Start: ms(1036), Work: 15 * time.Second, oddities: oddities{Launch: ms(8895)},
		},
		Events: []event{
			{At: time.Second, Do: "daemon dies", What: "at once", N: 50}, send(3 * time.Second),
			{At: 14 * time.Second, Do: "late key", N: 1, For: 5 * time.Second}, send(23 * time.Second),
			{At: 26 * time.Second, Do: "daemon dies after", What: "paste, dialog", N: 5, For: 7 * time.Second},
			send(61 * time.Second), {At: 64 * time.Second, Do: "undo", N: 5, For: 15 * time.Second},
			{At: 66 * time.Second, Do: "database", What: "lost advance", N: 1},
		},
	}},
	{"what stands in its composer all the time is fetched", story{
		Seed: 31250, Profile: "codex", Back: ms(100), Traits: traits{Width: 120, Start: ms(283), Work: time.Second},
		Events: []event{
			{Do: "break keys", N: 2}, send(2 * time.Second),
			{At: 24 * time.Second, Do: "fetch", N: 1, For: 12 * time.Second},
			send(26 * time.Second),
		},
	}},
	{"tmux is away as a prompt is entered that is then taken back", story{
		Seed: 37091, Profile: "qwen", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(2963), Begin: ms(485), Work: time.Second, Suggests: true,
		},
		Events: []event{
			{At: 33 * time.Second, Do: "dialog", N: 3, For: 7 * time.Second},
			{At: 34 * time.Second, Do: "undo", N: 6, For: 14 * time.Second},
			{At: 38 * time.Second, Do: "send", What: "urgent", N: 1},
			{At: 38 * time.Second, Do: "tmux", What: "broken key", N: 2, For: 70 * time.Second},
		},
	}},
	{"its program says that it has what it has not drawn yet", story{
		Seed: 38228, Profile: "claude", Back: ms(100), Traits: traits{
			Width: 120, Read: ms(800), Draw: ms(124), Start: ms(3687), Work: ms(3244), Report: ms(411), Reports: true,
			Suggests: true, oddities: oddities{Launch: ms(1650), Drops: true},
		},
		Events: []event{
			send(ms(5366)), send(ms(13114)), {At: ms(15548), Do: "stall", N: 2, For: ms(10458)},
		},
	}},
	{"what a dialog swallowed is typed again as its machine sleeps", story{
		Seed: 41438, Profile: "codex", Shared: true, Back: ms(100), Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(1563), Work: time.Second,
		},
		Events: []event{
			send(ms(20354)), {At: ms(24130), Do: "send", What: "urgent"},
			{At: ms(24289), Do: "swallow", N: 1, For: ms(8971)},
			{At: ms(39244), Do: "sleep", What: "alone", N: 55, For: ms(21995)},
		},
	}},
	{"the next behind what its program has only just taken", story{
		Seed: 37701, Profile: "gemini", Shared: true, Back: ms(1011), Traits: traits{
			Width: 120, Read: ms(58), Start: ms(2565), Begin: ms(480), Work: time.Second, Reports: true,
			DropsBegin: true, ShortID: true,
		},
		Events: []event{
			{At: 4 * time.Second, Do: "question", What: "news", For: 9 * time.Second},
			{At: 8 * time.Second, Do: "swallow", What: "enter", N: 1, For: 8 * time.Second},
			{At: 12 * time.Second, Do: "left keys", What: "leaves it", N: 1, For: time.Second},
			{At: 13 * time.Second, Do: "pause", N: 1, For: 3 * time.Second}, long(13 * time.Second),
			{At: 38 * time.Second, Do: "daemon dies", What: "late", N: 46}, send(42 * time.Second),
			{At: 45 * time.Second, Do: "sleep", What: "and another takes over", N: 53, For: 16 * time.Second},
			{At: 47 * time.Second, Do: "send", What: "normal", N: 2},
			{At: 63 * time.Second, Do: "late key", N: 2, For: 7 * time.Second},
			{At: 64 * time.Second, Do: "daemon dies", What: "at once", N: 11},
		},
	}},
	{"a person enters what is then taken back", story{
		Seed: 45218, Profile: "qwen", Back: ms(100), Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(2622), Work: time.Second, Reports: true,
		},
		Events: []event{
			{At: 19 * time.Second, Do: "swallow", What: "enter", N: 2, For: 7 * time.Second}, send(24 * time.Second),
			{At: 32 * time.Second, Do: "undo", N: 3, For: 24 * time.Second},
		},
	}},
	{"messages are paused as a program starts with one", story{
		Profile: "claude", Traits: traits{Width: 120, Start: ms(500), Work: 2 * time.Second},
		Events: []event{
			{At: 5 * time.Second, Do: "launch", What: "late", For: 20 * time.Second},
			{At: 5 * time.Second, Do: "pause", For: 10 * time.Second},
		},
	}},
	{"the terminal goes away after the report", story{
		Profile: "copilot", Traits: traits{
			Width: 120, Start: ms(2494), Draw: 2 * time.Second, Begin: ms(1500),
			Work: 15 * time.Second, Reports: true,
		},
		Events: []event{
			long(ms(1184)), send(ms(18675)),
			{At: ms(31940), Do: "server dies", For: ms(14655)},
		},
	}},
	{"a dialog opens while the door is asked of a message that it has dropped, and which is sent again", story{
		Seed: 175237, Profile: "codex", Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(1240), Work: time.Second, Suggests: true,
			doorTraits: doorTraits{
				Door: "tells", Setting: "when_held", Answers: ms(1625), Doubles: true, Yields: true, Lies: true,
			},
		},
		Events: []event{
			{At: 45 * time.Second, Do: "door drops", N: 1, For: 2 * time.Second}, send(72 * time.Second),
			send(75 * time.Second), {At: 105 * time.Second, Do: "dialog", N: 1, For: 10 * time.Second},
			{At: 106 * time.Second, Do: "retry", N: 2},
		},
	}},
	{"a dialog opens while the door is asked whether it keeps the message", story{
		Seed: 14070, Profile: "opencode", Traits: traits{
			Width: 120, Read: ms(32), Start: ms(1547), Work: time.Second,
			doorTraits: doorTraits{Door: "tells", Answers: ms(844), Lies: true},
		},
		Events: []event{
			{At: ms(7236), Do: "door loses", N: 2, For: ms(9852)},
			{At: ms(11812), Do: "question", What: "line", For: ms(7996)},
			{At: ms(12171), Do: "answer", What: "late", For: ms(6343)}, send(ms(15964)),
			{At: ms(18957), Do: "question", What: "news", For: ms(12898)},
			{At: ms(30916), Do: "send", What: "urgent"}, {At: ms(34470), Do: "dialog", N: 3, For: ms(4608)},
		},
	}},
	{"a person's keys, read and not drawn yet", story{
		Profile: "codex", Traits: traits{
			Width: 120, Start: ms(3087), Draw: 2 * time.Second, Work: 15 * time.Second,
		},
		Events: []event{
			{At: 50 * time.Second, Do: "send", What: "high"}, send(56 * time.Second),
			{At: 58 * time.Second, Do: "hang", N: 2, For: 12 * time.Second},
			{At: 62 * time.Second, Do: "draft", What: "pastes it", N: 2, For: 14 * time.Second},
		},
	}},
	{"a retry of a text that is not drawn yet", story{
		Profile: "claude", Traits: traits{
			Width: 120, Read: ms(800), Draw: ms(138), Work: time.Second,
		},
		Events: []event{
			{At: 13 * time.Second, Do: "hang", For: 13 * time.Second},
			send(16 * time.Second), {At: 26 * time.Second, Do: "retry", N: 1},
		},
	}},
	{"a program that dies after its report, while tmux is slow to answer the key", story{
		Profile: "copilot", Traits: traits{Width: 120, Start: ms(3743), Work: time.Second, Reports: true},
		Events: []event{
			{At: 26 * time.Second, Do: "tmux", What: "after key", For: 12 * time.Second},
			{At: 28 * time.Second, Do: "send", What: "urgent", N: 1},
			{At: 36 * time.Second, Do: "program dies", N: 3, For: 9 * time.Second},
		},
	}},
	{"a queue that outlives its program", story{
		Profile: "opencode", Traits: traits{
			Width: 120, Start: ms(100), Work: time.Second, doorTraits: doorTraits{Door: "tells", Outlives: true},
		},
		Events: []event{
			{At: 5 * time.Second, Do: "dialog", For: 20 * time.Second}, send(6 * time.Second),
			{At: 10 * time.Second, Do: "program dies", N: 3, For: 9 * time.Second},
		},
	}},
	{"a verdict on a lost letter that the database does not take", story{
		Profile: "claude", Traits: traits{
			Width: 120, Start: ms(100), Work: time.Second, Reports: true,
			doorTraits: doorTraits{Door: "reports", Setting: doorAlways},
		},
		Events: []event{
			send(2 * time.Second), {At: 10 * time.Second, Do: "door loses", N: 1}, send(11 * time.Second),
			{At: 35 * time.Second, Do: "database", What: "lost advance"},
		},
	}},
	{"a report at the moment of the verdict", story{
		Seed: 25061, Profile: "qwen", Traits: traits{
			Width: 120, Read: ms(38), Draw: 2 * time.Second, Start: ms(3052),
			Begin: ms(22), Work: ms(3836), Report: ms(176), Reports: true,
		},
		Events: []event{
			send(ms(21058)),
			{At: ms(27395), Do: "tmux", What: "broken key", N: 1, For: 12 * time.Second},
			send(ms(28446)),
			{At: ms(30026), Do: "late key", N: 2, For: ms(4503)},
			send(ms(30803)),
		},
	}},
	{"a retry of a text in a program that draws nothing for long", story{
		Profile: "codex", Traits: traits{Width: 120, Start: ms(509), Work: time.Second},
		Events: []event{
			send(11 * time.Second), {At: 21 * time.Second, Do: "stall", For: 14 * time.Second}, long(23 * time.Second),
			{At: ms(29400), Do: "retry", N: 2},
		},
	}},
	{"a person's keys that tmux keeps back until the text is taken", story{
		Seed: 305757, Profile: "claude", Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(241), Work: time.Second, Report: 3 * time.Second,
			Reports: true,
		},
		Events: []event{
			{At: ms(1737), Do: "prompt", N: 2}, send(ms(4365)), send(ms(4985)),
			{At: ms(10215), Do: "unshown", What: "pastes it", N: 1, For: ms(12873)},
		},
	}},
	{"a pager that reads what the program has not", story{
		Profile: "generic", Traits: traits{
			Width: 120, Read: ms(800), Draw: ms(137), Start: ms(564), Joined: true,
			Work: time.Second, Lines: true,
		},
		Events: []event{
			send(10 * time.Second), {At: 12 * time.Second, Do: "shell", What: "less", N: 2, For: 10 * time.Second},
			{At: 14 * time.Second, Do: "prompt", N: 2, For: 10 * time.Second},
		},
	}},
	{"an urgent message where a person scrolls who has just typed", story{
		Profile: "codex", Traits: traits{
			Width: 120, Start: ms(509), Work: time.Second, doorTraits: doorTraits{Setting: DoorNever, Steers: true},
		},
		Events: []event{
			send(10 * time.Second), {At: 20 * time.Second, Do: "scroll", N: 1, For: 20 * time.Second},
			{At: 21 * time.Second, Do: "unshown", What: "pastes it", N: 1, For: 15 * time.Second},
			{At: ms(23800), Do: "send", What: "urgent"},
		},
	}},
	{"a draft that shows while the database is slow", story{
		Profile: "qwen", Traits: traits{Width: 120, Start: ms(3454), Work: time.Second},
		Events: []event{
			{At: ms(38591), Do: "database", What: "slow claim", N: 2, For: 5 * time.Second},
			{At: ms(44330), Do: "unshown", What: "pastes it", N: 2, For: ms(13984)},
			send(ms(53719)),
		},
	}},
	{"a text that hangs behind its unread key", story{
		Profile: "claude", Traits: traits{Width: 120, Work: time.Second},
		Events: []event{send(10 * time.Second), {At: ms(10100), Do: "hang", For: 12 * time.Second}},
	}},
	{"keys of a person who has left, read and not drawn yet", story{
		Profile: "generic", Traits: traits{Width: 120, Draw: 2 * time.Second, Start: ms(613), Work: time.Second},
		Events: []event{
			{At: 29 * time.Second, Do: "draft", What: "pastes it", N: 2, For: 7 * time.Second},
			{At: 31 * time.Second, Do: "send", What: "high"},
			{At: 34 * time.Second, Do: "synchronized", N: 3, For: 9 * time.Second},
			{At: 35 * time.Second, Do: "hang", N: 1, For: 9 * time.Second},
		},
	}},
	{"keys of a person who has left, unread while another one scrolled", story{
		Profile: "opencode", Traits: traits{
			Width: 120, Read: ms(46), Draw: 2 * time.Second, Start: ms(2797), Begin: ms(1500),
			Work: time.Second, ShortID: true,
		},
		Events: []event{
			send(ms(2220)), {At: ms(6970), Do: "mingle", What: "clears it", N: 1, For: ms(10439)},
			send(ms(29020)), send(ms(30673)), long(ms(41201)), {At: ms(53043), Do: "scroll", N: 3, For: ms(9371)},
			{At: ms(55376), Do: "unread", What: "leaves it", N: 2, For: ms(6914)},
		},
	}},
	{"keys of a person who has left, unread at the last look before tmux was slow", story{
		Profile: "copilot", Back: ms(100), Traits: traits{
			Width: 120, Read: ms(16), Draw: 2 * time.Second, Start: ms(1184), Gap: ms(109), Work: 15 * time.Second,
			Report: ms(292), Reports: true,
		},
		Events: []event{
			{At: ms(4994), Do: "send", What: "high", N: 1}, send(ms(7094)),
			{At: ms(13266), Do: "prompt", N: 2, For: ms(9929)},
			{At: ms(27590), Do: "dies unanswered", N: 1, For: ms(7614)},
			{At: ms(41940), Do: "unread", What: "leaves it", N: 1, For: ms(6517)},
		},
	}},
	{"words that a person enters behind two keys that became line breaks", story{
		Profile: "claude", Shared: true, Lost: 1, Back: ms(100), Traits: traits{
			Width: 120, Start: ms(1808), Work: time.Second, Suggests: true, doorTraits: doorTraits{Door: "tells"},
		},
		Events: []event{
			{Do: "break keys", N: 2}, {At: 10 * time.Second, Do: "connection ends", N: 40, What: "before"},
			send(11 * time.Second),
			{At: 34 * time.Second, Do: "unread", What: "submits it", N: 2, For: 9 * time.Second},
		},
	}},
	{"what a hook dies with, sent again, where the first time still stands", story{
		Profile: "codex", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(3157), Work: 15 * time.Second, oddities: oddities{SignedOut: ms(23942)},
			hookTraits: hookTraits{Hooks: "tells"},
		},
		Events: []event{
			{At: 15 * time.Second, Do: "send", What: "normal", N: 1},
			{At: 20 * time.Second, Do: "retry", N: 1, For: 11 * time.Second},
			{At: 23 * time.Second, Do: "swallow", N: 1, For: 4 * time.Second},
			{At: 24 * time.Second, Do: "hooks die", N: 2}, {At: 42 * time.Second, Do: "send", What: "urgent"},
		},
	}},
	{"what stood in a terminal that was another's for a while, sent again behind a question", story{
		Profile: "qwen", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(2767), Work: time.Second, ShortID: true,
			doorTraits: doorTraits{Door: "tells", Setting: "always", Answers: ms(11), Doubles: true, Steers: true},
		},
		Events: []event{
			send(ms(1247)), {At: ms(1864), Do: "door loses", N: 2, For: ms(3604)}, send(ms(3002)),
			{At: ms(3848), Do: "daemon dies after", What: "paste, draft", N: 3, For: ms(10311)},
			{At: ms(4247), Do: "send", What: "normal", N: 2}, {At: ms(4247), Do: "send", What: "urgent"},
			{At: ms(10081), Do: "dialog", N: 1, For: ms(10541)}, {At: ms(13741), Do: "stranger", N: 2, For: ms(14810)},
			{At: ms(39895), Do: "dialog", For: 10 * time.Second}, {At: ms(40895), Do: "retry", N: 5},
		},
	}},
	{"a screen of before the refusal, which tmux is slow to tell", story{
		Profile: "copilot", Back: ms(100), Traits: traits{
			Width: 120, Draw: ms(31), Start: ms(2307), Work: time.Second, oddities: oddities{SignedOut: ms(5701)},
		},
		Events: []event{
			{At: ms(36177), Do: "program dies", N: 3, For: ms(9447)}, {At: ms(46838), Do: "send", What: "urgent"},
			{At: ms(49213), Do: "tmux", What: "after screen", N: 3, For: 12 * time.Second},
		},
	}},
	{"a pager in front of a program before that has drawn its refusal", story{
		Profile: "copilot", Traits: traits{
			Width: 120, Joined: true, Start: ms(777), Work: time.Second, Home: true,
			oddities: oddities{SignedOut: ms(8528)},
		},
		Events: []event{send(ms(1935)), {At: ms(2466), Do: "shell", What: "less", N: 1, For: ms(9211)}},
	}},
	{"a question that opens in the very time that a claim may take", story{
		Profile: "qwen", Traits: traits{Width: 120, Draw: ms(65), Start: ms(2144), Work: time.Second, Home: true},
		Events: []event{
			send(ms(5005)), {At: ms(6846), Do: "database", What: "slow claim", N: 2, For: slowClaim},
			{At: ms(8234), Do: "dialog", N: 2, For: ms(9056)},
		},
	}},
	{"a question in front of what a person has entered, while it may be refused", story{
		Profile: "claude", Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(3263), Begin: ms(1500), Work: ms(2228),
			Report: 3 * time.Second, Reports: true, oddities: oddities{Asks: "words", Answer: ms(18239)},
		},
		Events: []event{
			long(ms(13823)), send(ms(17694)), {At: ms(26812), Do: "prompt", N: 2, For: ms(14539)},
			{At: ms(30686), Do: "dialog", N: 2, For: ms(9813)},
		},
	}},
	{"what a program was started with, proven after a text that is taken back", story{
		Profile: "claude", Back: ms(2875), Traits: traits{
			Width: 120, Start: ms(920), Work: time.Second, Reports: true, Suggests: true,
		},
		Events: []event{
			{At: ms(42332), Do: "launch", What: "late", N: 10, For: ms(35856)},
			{At: ms(59156), Do: "undo", N: 9, For: ms(13728)}, send(ms(59654)), send(ms(85147)),
		},
	}},
	{"a second key into work that has begun meanwhile, and a hook in that", story{
		Profile: "claude", Traits: traits{
			Width: 120, Read: ms(800), Start: ms(1393), Work: 15 * time.Second, hookTraits: hookTraits{Hooks: "tells"},
		},
		Events: []event{
			send(ms(4625)), {At: ms(6187), Do: "dialog", N: 3, For: ms(8894)},
			{At: ms(7343), Do: "work", N: 2, For: ms(6134)}, send(ms(21415)),
		},
	}},
	{"keys that a killed daemon kept back", story{
		Profile: "opencode", Back: ms(100),
		Traits: traits{Width: 120, Draw: 2 * time.Second, Start: ms(3914), Work: ms(3854)},
		Events: []event{
			send(ms(5242)), send(ms(10370)),
			{At: ms(10894), Do: "daemon dies after", What: "key, shell", N: 9, For: ms(14179)},
			{At: ms(13572), Do: "attach", N: 2, For: ms(13287)}, send(ms(47173)), send(ms(53071)), send(ms(57161)),
			{At: ms(66337), Do: "draft", What: "pastes it", N: 2, For: ms(10196)},
		},
	}},
	{"a person's keys in a program that hangs during a pause", story{
		Profile: "qwen",
		Traits:  traits{Width: 120, Draw: 2 * time.Second, Start: ms(2176), Work: time.Second, ShortID: true},
		Events: []event{
			long(2 * time.Second), {At: 6 * time.Second, Do: "attach", N: 2, For: 7 * time.Second},
			{At: 8 * time.Second, Do: "pause", N: 1, For: 14 * time.Second},
			{At: 9 * time.Second, Do: "hang", N: 3, For: 12 * time.Second},
			{At: 10 * time.Second, Do: "draft", What: "clears it", N: 2},
		},
	}},
	{"a shell that reads the text while the daemon is gone", story{
		Profile: "generic", Back: ms(4548),
		Traits: traits{Width: 120, Joined: true, Read: ms(13), Start: ms(563), Work: time.Second, Lines: true},
		Events: []event{
			{At: 13 * time.Second, Do: "shell", What: "bash", N: 2, For: 4 * time.Second}, send(23 * time.Second),
			{At: 25 * time.Second, Do: "daemon dies", What: "late", N: 20},
		},
	}},
	{"a shell that reads the text while tmux is slow to answer", story{
		Profile: "generic",
		Traits:  traits{Width: 120, Joined: true, Read: ms(58), Start: ms(50), Work: time.Second, Lines: true},
		Events: []event{
			{At: ms(7697), Do: "dies unanswered", N: 1, For: ms(9535)},
			{At: ms(15231), Do: "shell", What: "bash", N: 2, For: ms(301)}, send(ms(47463)),
		},
	}},
	{"a pager that reads the text, and then keys of a person that nobody has read", story{
		Profile: "generic", Back: ms(100),
		Traits: traits{
			Width: 120, Joined: true, Read: ms(35), Draw: 2 * time.Second, Start: ms(654), Work: time.Second,
		},
		Events: []event{
			send(ms(11824)), send(ms(13463)),
			{At: ms(16510), Do: "daemon dies after", What: "paste, draft", N: 4, For: ms(8276)},
			{At: ms(21470), Do: "hang", N: 1, For: ms(10918)},
			{At: ms(22492), Do: "shell", What: "less", N: 2, For: ms(987)},
		},
	}},
	{"a shell that has read the text and ended before tmux answers", story{
		Profile: "generic", Back: ms(100),
		Traits: traits{Width: 120, Joined: true, Read: ms(46), Start: ms(188), Work: time.Second, Lines: true},
		Events: []event{
			{At: 3 * time.Second, Do: "tmux", What: "after key", N: 3, For: 70 * time.Second},
			send(4 * time.Second), send(42 * time.Second),
			{At: 44 * time.Second, Do: "dies unanswered", N: 3, For: 3 * time.Second},
			{At: 51 * time.Second, Do: "shell", What: "bash", N: 2, For: time.Second},
		},
	}},
	{"a person's keys in a screen that comes late", story{
		Profile: "claude", Traits: traits{Width: 120, Start: ms(414), Work: time.Second},
		Events: []event{
			{At: ms(18328), Do: "unshown", What: "leaves it", N: 2, For: ms(9773)},
			{At: ms(25638), Do: "send", What: "high"},
			{At: ms(27262), Do: "tmux", What: "after screen", N: 3, For: ms(742)},
		},
	}},
	{"a turn that begins before the key of a text for a blocked program", story{
		Profile: "qwen", Traits: traits{Width: 120, Start: ms(2934), Begin: ms(1500), Work: time.Second},
		Events: []event{
			send(ms(1371)), {At: ms(3022), Do: "input off", N: 1, For: ms(5884)}, send(ms(4461)),
			{At: ms(5536), Do: "force", N: 2, For: ms(9552)}, {At: ms(10673), Do: "blocked", N: 1, For: ms(8293)},
		},
	}},
	{"a composer that somebody clears while tmux is slow to answer", story{
		Seed: 183204, Profile: "gemini", Traits: traits{
			Width: 120, Start: ms(2217), Begin: ms(441), Work: ms(1541), Report: 3 * time.Second, Reports: true,
			DropsBegin: true, ShortID: true,
		},
		Events: []event{
			{At: 9 * time.Second, Do: "draft", What: "pastes it", N: 3, For: 13 * time.Second},
			{At: 12 * time.Second, Do: "prompt", N: 2}, send(14 * time.Second),
			{At: 15 * time.Second, Do: "tmux", What: "after key", N: 1, For: 12 * time.Second},
			{At: 17 * time.Second, Do: "lose keys", N: 1},
		},
	}},
	{"a line that somebody clears before the key, and that is not drawn", story{
		Profile: "generic", Back: ms(3151), Traits: traits{Width: 120, Start: ms(206), Work: time.Second},
		Events: []event{
			{At: 28 * time.Second, Do: "daemon dies after", What: "paste, clear", For: 14 * time.Second},
			send(30 * time.Second),
			{At: 33 * time.Second, Do: "unshown", What: "pastes it", N: 3, For: 14 * time.Second},
		},
	}},
	{"a second key behind a person's, which were read late", story{
		Profile: "claude", Traits: traits{Width: 120, Draw: 2 * time.Second, Start: ms(1138), Work: time.Second},
		Events: []event{
			{At: 15 * time.Second, Do: "break keys", N: 2}, send(19 * time.Second),
			{At: 24 * time.Second, Do: "unread", What: "leaves it", N: 2, For: 6 * time.Second},
		},
	}},
	{"a person's keys in a program that hangs while another daemon begins", story{
		Profile: "claude", Back: ms(2392), Traits: traits{
			Width: 120, Read: ms(40), Draw: ms(79), Start: ms(2336), Work: time.Second,
		},
		Events: []event{
			long(ms(2551)), {At: ms(4444), Do: "unread", What: "pastes it", N: 2, For: ms(10835)},
			{At: ms(7244), Do: "daemon dies", What: "at once", N: 7}, send(ms(9508)),
		},
	}},
	{"a draft that shows while a message is claimed, in less than a second", story{
		Profile: "claude", Traits: traits{Width: 120, Start: ms(2677), Work: 15 * time.Second},
		Events: []event{
			send(ms(40116)), send(ms(46149)),
			{At: ms(49279), Do: "unshown", What: "leaves it", N: 3, For: ms(11379)},
			{At: ms(53409), Do: "in a claim", What: "resize", N: 3, For: ms(729)},
			{At: ms(60066), Do: "send", What: "urgent"},
		},
	}},
	{"a look that the end of its time cuts off", story{
		Profile: "opencode", Back: ms(100), Traits: traits{Width: 120, Start: ms(703), Work: time.Second},
		Events: []event{
			{At: 24 * time.Second, Do: "lose keys", N: 3}, long(27 * time.Second),
			{At: 30 * time.Second, Do: "daemon stops", N: 2, For: time.Second},
		},
	}},
	{"a person's keys that a daemon kept back when it died", story{
		Profile: "copilot", Back: ms(100), Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(1268), Work: time.Second, Reports: true,
		},
		Events: []event{
			{At: 14 * time.Second, Do: "left keys", What: "clears it", N: 1, For: 13 * time.Second},
			long(15 * time.Second), send(24 * time.Second),
		},
	}},
	{"a look ahead and a slow claim, each too short to look again", story{
		Seed: 84626, Profile: "copilot", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(3384), Work: time.Second, Home: true,
		},
		Events: []event{
			long(ms(1051)), {At: ms(14980), Do: "in a claim", What: "dialog", N: 2, For: ms(72)}, send(ms(31963)),
		},
	}},
	{"a question that opens over a key that its program has not read", story{
		Seed: 67784, Profile: "generic", Back: ms(100), Traits: traits{
			Width: 120, Joined: true, Start: ms(556), Work: time.Second, ShortID: true,
		},
		Events: []event{
			{At: ms(13921), Do: "unread key", For: 18 * time.Second}, send(ms(15987)),
			{At: ms(30392), Do: "question", What: "menu", For: ms(8720)},
		},
	}},
	{"a person's key gives a refused text to a program while another daemon begins", story{
		Seed: 69230, Profile: "copilot", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(122), Work: time.Second, Reports: true, oddities: oddities{SignedOut: ms(21253)},
		},
		Events: []event{
			{At: 9 * time.Second, Do: "send", What: "normal", N: 2}, send(26 * time.Second),
			{At: 27 * time.Second, Do: "send", What: "high", N: 2},
			{At: 29 * time.Second, Do: "dies unanswered", N: 1, For: 14 * time.Second},
			{At: 48 * time.Second, Do: "daemon dies after", What: "paste, enter", N: 11, For: 7 * time.Second},
		},
	}},
	{"a prompt that a person has entered behind a dialog is taken back, and stands folded", story{
		Seed: 75255, Profile: "qwen", Back: ms(100), Traits: traits{
			Width: 120, Read: ms(800), Start: ms(2998), Begin: ms(65), Work: ms(2595), Fold: 120, Reports: true,
			Suggests: true,
		},
		Events: []event{
			send(10 * time.Second), {At: 15 * time.Second, Do: "draft", What: "clears it", N: 1, For: 10 * time.Second},
			send(34 * time.Second), {At: 35 * time.Second, Do: "swallow", What: "enter", N: 2, For: 8 * time.Second},
			long(37 * time.Second), {At: 42 * time.Second, Do: "undo", N: 2, For: 12 * time.Second},
			{At: 55 * time.Second, Do: "undo", N: 3, For: 12 * time.Second},
		},
	}},
	{"a person's word in the row below a message whose key was a line break", story{
		Seed: 81618, Profile: "codex", Back: ms(100), Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(3355), Work: time.Second, ShortID: true,
			oddities: oddities{Asks: "line", Answer: ms(15534)},
		},
		Events: []event{
			{At: 44 * time.Second, Do: "break keys", N: 1}, send(54 * time.Second),
			{At: 60 * time.Second, Do: "unread", What: "submits it", N: 2, For: 5 * time.Second},
		},
	}},
	{"another message is refused after a restart, which the program has taken this one over", story{
		Seed: 80720, Profile: "codex", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(1141), Begin: ms(158), Work: 15 * time.Second,
			oddities: oddities{SignedOut: ms(19567)},
			doorTraits: doorTraits{
				Door: "tells", Setting: doorAlways, Answers: ms(34), Yields: true, Steers: true, Outlives: true,
			},
		},
		Events: []event{
			long(ms(13641)), {At: ms(16903), Do: "daemon dies after", What: "ask, program dies", N: 10, For: ms(2636)},
			{At: ms(17989), Do: "tmux", What: "before key", N: 3, For: ms(1420)}, send(ms(19243)),
			{At: ms(19625), Do: "send", What: "urgent"}, {At: ms(26108), Do: "send", What: "urgent"},
			{At: ms(36373), Do: "send", What: "urgent"},
		},
	}},
	{"a pasted text that a person has entered is recalled after a crash", story{
		Seed: 97620, Profile: "opencode", Back: ms(2811), Traits: traits{
			Width: 120, Start: ms(3285), Begin: ms(496), Work: 15 * time.Second, Home: true,
			oddities: oddities{Launch: ms(4519), Drops: true},
		},
		Events: []event{
			{At: 5 * time.Second, Do: "send", What: "high"}, long(7 * time.Second),
			{At: 11 * time.Second, Do: "daemon dies after", What: "paste, enter", N: 6, For: 3 * time.Second},
			{At: 46 * time.Second, Do: "input off", N: 3, For: 12 * time.Second},
			{At: 55 * time.Second, Do: "recall", For: 12 * time.Second},
		},
	}},
	{"a pasted text that a person has entered behind a dialog is recalled", story{
		Seed: 97689, Profile: "codex", Back: ms(100), Traits: traits{
			Width: 120, Read: ms(28), Start: ms(2835), Begin: ms(300), Work: 15 * time.Second, ShortID: true,
		},
		Events: []event{
			{At: ms(63410), Do: "swallow", What: "enter", N: 2, For: ms(3248)},
			{At: ms(63865), Do: "behind", For: ms(3645)}, send(ms(64968)),
			{At: ms(94265), Do: "recall", For: ms(13337)},
		},
	}},
	{"the Enter of a person who has left is read late, and their turn has not begun", story{
		Seed: 122134, Profile: "gemini", Back: ms(973), Traits: traits{
			Width: 120, Read: ms(22), Draw: ms(16), Start: ms(2315), Begin: ms(495), Work: ms(1228), Reports: true,
			DropsBegin: true,
		},
		Events: []event{
			{At: ms(17095), Do: "synchronized", N: 2, For: ms(7349)}, send(ms(21605)), send(ms(21867)),
			send(ms(24068)),
			{At: ms(24418), Do: "daemon dies", What: "at once", N: 7},
			{At: ms(31871), Do: "hang", N: 2, For: ms(10378)},
			{At: ms(32530), Do: "draft", What: "submits it", N: 2, For: ms(1451)}, long(ms(35411)),
		},
	}},
	{"what a program was given says nothing of the sign-in of the next one", story{
		Seed: 9001959, Profile: "codex", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(2144), Work: ms(1909), ShortID: true, Home: true,
			oddities:   oddities{SignedOut: ms(21998)},
			doorTraits: doorTraits{Door: "tells", Answers: ms(262), Yields: true, Lies: true},
			hookTraits: hookTraits{Hooks: "tells"},
		},
		Events: []event{
			{At: ms(55000), Do: "daemon dies after", What: "give, program dies", N: 10, For: ms(14000)},
			send(ms(66000)), send(ms(67000)), {At: ms(89000), Do: "send", What: "normal", N: 1},
		},
	}},
	{"a folded prompt that a person recalls is as long as a text that lacks its key", story{
		Seed: 126592, Profile: "claude", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(801), Work: time.Second, Fold: 120, Suggests: true,
			oddities: oddities{Asks: "words", Answer: ms(16088)},
		},
		Events: []event{
			long(4 * time.Second), {At: 9 * time.Second, Do: "send", What: "normal", N: 2},
			{At: 10 * time.Second, Do: "prompt", N: 2, For: 12 * time.Second},
			{At: 13 * time.Second, Do: "daemon dies after", What: "key, enter", N: 7, For: 4 * time.Second},
			{At: 30 * time.Second, Do: "swallow", What: "clear", N: 1, For: 2 * time.Second},
			{At: 39 * time.Second, Do: "send", What: "urgent"},
			{At: 53 * time.Second, Do: "recall", For: 10 * time.Second},
		},
	}},
	{"a prompt is taken back while a refusal is waited for", story{
		Seed: 127033, Profile: "claude", Back: ms(3394), Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(2508), Begin: ms(1500), Work: ms(3726),
		},
		Events: []event{
			send(ms(13300)), send(ms(23640)), {At: ms(29372), Do: "daemon dies", What: "at once", N: 55},
			{At: ms(30046), Do: "tmux", What: "broken key", N: 1, For: 70 * time.Second}, send(ms(31274)),
			{At: ms(32842), Do: "hang", N: 3, For: ms(332)}, {At: ms(41371), Do: "undo", N: 7, For: ms(22121)},
		},
	}},
	{"a prompt is taken back above which an earlier one was drawn late", story{
		Seed: 202157, Profile: "qwen", Back: ms(100), Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(450), Work: time.Second, Reports: true, ShortID: true,
			Home: true,
		},
		Events: []event{
			{At: 32 * time.Second, Do: "launch", What: "late", N: 6, For: 27 * time.Second},
			{At: 32 * time.Second, Do: "undo", N: 6, For: 23 * time.Second}, send(36 * time.Second),
			{At: 109 * time.Second, Do: "retry", N: 5},
		},
	}},
	{"a program that its daemon does not know yet refuses what it was started with", story{
		Seed: 188326, Profile: "copilot", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(1255), Work: time.Second, Report: 3 * time.Second, Reports: true,
			oddities:   oddities{SignedOut: ms(11279)},
			doorTraits: doorTraits{Door: "tells", Setting: doorAlways, Answers: ms(1598), Yields: true, Steers: true},
		},
		Events: []event{
			send(ms(63482)), send(ms(65794)), {At: ms(67247), Do: "door is silent", N: 1, For: ms(7872)},
			{At: ms(67683), Do: "launch", What: "at once", N: 6, For: ms(8978)},
		},
	}},
	{"a question has come in front of a text while its program does not read", story{
		Seed: 237263, Profile: "generic", Back: ms(100), Traits: traits{
			Width: 120, Draw: ms(3), Start: ms(555), Work: time.Second, Lines: true,
		},
		Events: []event{
			send(ms(12998)), {At: ms(14938), Do: "question", What: "words", For: ms(9011)},
			{At: ms(20118), Do: "hang", N: 2, For: ms(5905)},
		},
	}},
	{"what stands folded beside a person's paste is recalled, and as long as a text that stood in its words", story{
		Seed: 84506, Profile: "codex", Back: ms(100), Traits: traits{
			Width: 120, Read: ms(800), Draw: ms(106), Start: ms(2561), Begin: ms(1500), Work: 15 * time.Second,
			Fold: 120, Home: true, hookTraits: hookTraits{Hooks: "tells"},
		},
		Events: []event{
			send(ms(221)), send(ms(4373)), {At: ms(15024), Do: "send", What: "high"},
			{At: ms(17098), Do: "send", What: "high", N: 2}, {At: ms(31370), Do: "send", What: "urgent", N: 1},
			{At: ms(49858), Do: "daemon dies after", What: "give, clear", N: 7, For: ms(4105)},
			{At: ms(65786), Do: "swallow", N: 2, For: ms(3450)}, {At: ms(73577), Do: "scroll", N: 3, For: ms(1170)},
			send(ms(90303)), {At: ms(109431), Do: "mingle", What: "pastes it", N: 2, For: ms(10944)},
			{At: ms(131170), Do: "recall", For: ms(12619)},
		},
	}},
	{"a program that was gone when its daemon began has reported what it refused", story{
		Seed: 15509, Profile: "claude", Back: ms(100), Traits: traits{
			Width: 120, Start: ms(3019), Work: time.Second, Report: 3 * time.Second, Reports: true, Suggests: true,
			oddities: oddities{SignedOut: ms(13526)},
		},
		Events: []event{
			{Do: "draft", What: "submits it", N: 2, For: 9 * time.Second}, {Do: "stops at the key", For: time.Second},
			{At: 11 * time.Second, Do: "send", What: "urgent"},
			{At: 15 * time.Second, Do: "launch", What: "at once", N: 5, For: 15 * time.Second},
		},
	}},
	{"a prompt is taken back before the person who does that has left", story{
		Seed: 8032847, Profile: "claude", Back: ms(100), Traits: traits{
			Width: 120, Read: ms(28), Draw: ms(133), Start: ms(2467), Begin: ms(356), Work: time.Second,
		},
		Events: []event{
			{At: 93 * time.Second, Do: "undo", N: 1, For: 10 * time.Second},
			{At: 94 * time.Second, Do: "send", What: "urgent"},
		},
	}},
	{"what lacks its key is as long as what was given before", story{
		Seed: 704647, Profile: "qwen", Back: ms(100), Traits: traits{
			Width: 120, Draw: 2 * time.Second, Start: ms(2269), Work: 15 * time.Second, Fold: 120,
		},
		Events: []event{
			long(2 * time.Second), long(5 * time.Second),
			{At: 6 * time.Second, Do: "input off", N: 3, For: 11 * time.Second},
			{At: 11 * time.Second, Do: "cut", N: 44, For: 17 * time.Second},
			{At: 46 * time.Second, Do: "lose keys", N: 3},
		},
	}},
}

func ms(n time.Duration) time.Duration { return n * time.Millisecond }

func send(at time.Duration) event { return event{At: at, Do: "send", What: "normal"} }

func long(at time.Duration) event { return event{At: at, Do: "send", What: "normal", N: 1} }

func TestShortestStories(t *testing.T) {
	k := newCommon()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func() {
				if broken, _, log := runStory(&c.story, k, true); broken != nil {
					t.Errorf("%s: %s\n%s", broken.invariant, broken.detail, strings.Join(log, "\n"))
				}
			})
		})
	}
}

func TestAPauseAfterTheLookHolds(t *testing.T) {
	k := newCommon()
	inBubble(t, func() {
		s := &story{Profile: "claude", Traits: traits{Width: 120}, Events: []event{send(5 * time.Second)}}
		w := newWorld(s, k, true)
		w.store.claimed = func() { w.paused = &parley.Pause{By: "operator"} }
		w.run(time.Now().Add(20 * time.Second))
		if r := w.store.rows[0]; r.job.State != parley.DeliveryHeld || r.job.Code() != parley.HoldPaused {
			t.Errorf("it is %s (%s)\n%s", r.job.State, r.job.Code(), strings.Join(w.log, "\n"))
		}

		w.store.claimed = nil
		w.calmDown()
		if r := w.store.rows[0]; !r.job.State.Delivered() || w.broken != nil {
			t.Errorf("after the pause it is %s, %+v\n%s", r.job.State, w.broken, strings.Join(w.log, "\n"))
		}
		w.daemon.end()
	})
}

// A daemon that begins when the program runs in a new pane gives no number of the old one again:
// the text that stands there would be taken for the message that had it.
func TestAnotherPaneGetsOtherNumbers(t *testing.T) {
	k := newCommon()
	inBubble(t, func() {
		w := newWorld(&story{Profile: "claude", Traits: traits{Width: 120}, Events: []event{
			send(5 * time.Second), {At: 20 * time.Second, Do: "program dies", For: 10 * time.Second},
			{At: 25 * time.Second, Do: "daemon stops"}, send(40 * time.Second),
		}}, k, true)
		w.tell()
		w.daemon.end()
		first, second := w.store.rows[0].job, w.store.rows[1].job
		if second.PaneSeq <= first.PaneSeq || w.launches < 2 {
			t.Errorf("%d launches, numbers %d and %d\n%s", w.launches, first.PaneSeq, second.PaneSeq,
				strings.Join(w.log, "\n"))
		}
	})
}
