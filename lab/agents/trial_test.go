package agents

import (
	"bufio"
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/profile"
)

// Environment variables that `make agents` sets.
const (
	agentsDir        = "PARLEY_TEST_AGENTS"     // directory where scripts/agents installs the programs
	agentsDeliveries = "PARLEY_TEST_DELIVERIES" // number of deliveries at random, over all programs
	agentsSeed       = "PARLEY_TEST_SEED"       // of the deliveries
	agentsSizes      = "PARLEY_TEST_SIZES"      // of the terminals, as 200x50,60x20
	agentsPage       = "PARLEY_TEST_PAGE"       // the page to write the results to
	agentsOnly       = "PARLEY_TEST_PROGRAMS"   // names of the programs to try, as pi,kilo; they have a part of the page
)

// installed is one version of a program.
type installed struct {
	realProgram
	version string
	path    string // directories of the program and of node, for PATH
}

func (p installed) String() string { return p.profile + " " + p.version }

// pinned returns the programs and versions of scripts/agents.txt.
func pinned(t *testing.T) (all [][2]string) {
	t.Helper()
	file := must.Have(os.Open("../../scripts/agents.txt"))(t)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) == 3 && f[0] != "#" {
			all = append(all, [2]string{f[0], f[1]})
		}
	}
	return all
}

// installedPrograms returns the programs that scripts/agents has installed. Without their directory it skips the test.
func installedPrograms(t *testing.T) (found []installed) {
	t.Helper()
	dir := os.Getenv(agentsDir)
	if dir == "" {
		t.Skip(agentsDir + " names no directory with the real programs; make agents does")
	}

	bin := func(program, version string) string {
		return filepath.Join(dir, program+"-"+version, "node_modules", ".bin")
	}

	node := ""
	only := strings.Split(os.Getenv(agentsOnly), ",")
	for _, p := range pinned(t) {
		if p[0] == "node" {
			node = bin(p[0], p[1])
			continue
		}
		if only[0] != "" && !slices.Contains(only, p[0]) {
			continue
		}

		i := slices.IndexFunc(realPrograms, func(r realProgram) bool { return r.profile == p[0] })
		if _, err := os.Stat(filepath.Join(bin(p[0], p[1]), p[0])); err != nil || i < 0 {
			t.Logf("left out: %s %s", p[0], p[1])
			continue
		}

		found = append(found, installed{realPrograms[i].withModel(t), p[1], bin(p[0], p[1]) + ":" + node})
	}

	if len(found) == 0 {
		t.Fatalf("%s holds none of the programs; scripts/agents installs them", dir)
	}

	return found
}

// oneOfEach returns the first version of each program.
func oneOfEach(programs []installed) []installed {
	return slices.CompactFunc(programs, func(a, b installed) bool { return a.profile == b.profile })
}

// The profiles name the versions that `make agents` tries.
func TestPinnedAgentVersionsAreThoseOfTheProfiles(t *testing.T) {
	profiles := must.Have(profile.Builtin())(t)
	for _, p := range pinned(t) {
		if own, err := profiles.Find(p[0]); err == nil && !slices.Contains(own.Tested, p[1]) {
			t.Errorf("%s was tried with %q, agents.txt has %s", p[0], own.Tested, p[1])
		}
	}
}

// checks are tried with each program that has what they need, in this order.
var checks = []struct {
	name string
	try  func(*onStage)
	need func(realProgram) bool // nil: nothing
}{
	{"a message sent before it is ready arrives", (*onStage).startsUp, nil},
	{"it is told who it is and has the tools", (*onStage).isBriefed, hasTools},
	{"it reports what it does", (*onStage).reportsWhatItDoes, nil},
	{"it answers through MCP without asking", (*onStage).sendsWithoutAsking, hasTools},
	{"several messages wait for its work, each arrives once", (*onStage).waitsForItsWork, nil},
	{"a message waits for the end of an answer that is being written", (*onStage).waitsForItsAnswer, nil},
	{"an urgent message goes into its own queue, if that is safe", (*onStage).usesItsQueue, nil},
	{"a draft holds a message and is not touched", (*onStage).leavesTheDraft, nil},
	{"what a person types while a message is typed is left", (*onStage).leavesWhatIsTypedMeanwhile, nil},
	{"a dialog holds a message and is not answered", (*onStage).leavesTheQuestion, asksFirst},
	{"hostile and many-lined texts arrive unchanged", (*onStage).getsEveryText, nil},
	{"long texts are announced, and read through MCP", (*onStage).readsLongTexts, hasTools},
	{"a message waits for a restart after kill -9", (*onStage).survivesItsCrash, nil},
	{"kill -9 of the daemon loses and doubles nothing", (*onStage).outlivesTheDaemon, nil},
	{"decomposed letters arrive unchanged", (*onStage).getsDecomposedLetters, nil},
	{"rows that tmux garbles hold no message for long", (*onStage).survivesGarbledRows, nil},
	{"stop leaves nothing behind", (*onStage).stops, nil},
}

// hasTools says that the program takes parley's tools for one run.
func hasTools(p realProgram) bool { return p.tool != "" }

// asksFirst says that the program asks before it runs a command.
func asksFirst(p realProgram) bool { return p.ask != "" }

func TestRealPrograms(t *testing.T) {
	sizes, programs := strings.Split(cmp.Or(os.Getenv(agentsSizes), "120x40,80x24"), ","), installedPrograms(t)
	if testing.Short() {
		sizes, programs = sizes[:1], oneOfEach(programs)
	}

	results := newResults(programs, sizes)
	t.Run("behave", func(t *testing.T) {
		for _, program := range programs {
			for _, size := range sizes {
				t.Run(program.String()+" at "+size, func(t *testing.T) {
					t.Parallel()
					behave(launchReal(t, program, size), results)
				})
			}
		}
	})

	tryDeliveries(t, programs, sizes, results)
	if page := os.Getenv(agentsPage); page != "" {
		results.write(t, page)
	}
}

func behave(s *onStage, results *results) {
	whole, failed := s.T, false
	for i, check := range checks {
		if failed && i < len(checks)-1 {
			continue // what the failure left behind would fail it too; but it can be stopped
		}
		if check.need != nil && !check.need(s.program.realProgram) {
			continue
		}

		passed := whole.Run(check.name, func(t *testing.T) {
			s.T = t
			check.try(s)
		})

		s.T = whole
		results.note(s.program, check.name, s.size, passed)
		failed = failed || !passed
	}
}

// tryDeliveries sends at random. It logs the seed; PARLEY_TEST_SEED repeats a run.
func tryDeliveries(t *testing.T, programs []installed, sizes []string, results *results) {
	n, _ := strconv.Atoi(os.Getenv(agentsDeliveries))
	if n == 0 {
		return
	}

	seed, _ := strconv.ParseUint(cmp.Or(os.Getenv(agentsSeed), strconv.FormatInt(time.Now().Unix(), 10)), 10, 64)
	results.seed = seed
	t.Run("deliver", func(t *testing.T) {
		for i, program := range programs {
			size := sizes[i%len(sizes)]
			share := (n*(i+1))/len(programs) - (n*i)/len(programs)
			t.Run(program.String()+" at "+size, func(t *testing.T) {
				t.Parallel()
				results.begin(program)
				t.Logf("%d deliveries with %s=%d", share, agentsSeed, seed)
				s := launchReal(t, program, size)
				s.inState("idle")
				results.deliver(s.program, newTrial(s, rand.New(rand.NewPCG(seed, uint64(i)))).run(share))
			})
		}
	})
}
