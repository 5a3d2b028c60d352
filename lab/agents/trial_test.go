package agents

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/program/profile"
)

// Environment variables that `make agents` sets.
const (
	agentsDir        = "PARLEY_TEST_AGENTS"     // directory where build/agents installs the programs
	agentsDeliveries = "PARLEY_TEST_DELIVERIES" // number of deliveries at random to each program
	agentsSeed       = "PARLEY_TEST_SEED"       // of the deliveries
	agentsSizes      = "PARLEY_TEST_SIZES"      // of the terminals, as 200x50,60x20
	agentsPage       = "PARLEY_TEST_PAGE"       // the page to draw when all has run; without it no results are kept
	agentsOnly       = "PARLEY_TEST_PROGRAMS"   // names of the programs to try, as pi,kilo
)

// installed is one version of a program.
type installed struct {
	realProgram
	version string
	path    string // directories of the program and of node, for PATH
}

func (p installed) String() string { return p.profile + " " + p.version }

// pinned returns the programs and versions of build/agents.txt.
func pinned() (all [][2]string, err error) {
	text, err := os.ReadFile("../../build/agents.txt")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] != "#" {
			all = append(all, [2]string{f[0], f[1]})
		}
	}
	return all, err
}

// installedPrograms returns the programs that build/agents has installed. Without their directory it skips the test.
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
	for _, p := range must.Have(pinned())(t) {
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
		t.Fatalf("%s holds none of the programs; build/agents installs them", dir)
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
	for _, p := range must.Have(pinned())(t) {
		if own, err := profiles.Find(p[0]); err == nil && !slices.Contains(own.Tested, p[1]) {
			t.Errorf("%s was tried with %q, agents.txt has %s", p[0], own.Tested, p[1])
		}
	}
}

// TestRealPrograms plays the scenes with each program at every size, and sends to it at random.
func TestRealPrograms(t *testing.T) {
	sizes, programs := strings.Split(cmp.Or(os.Getenv(agentsSizes), "120x40,80x24"), ","), installedPrograms(t)
	if testing.Short() {
		sizes, programs = sizes[:1], oneOfEach(programs)
	}

	t.Run("behave", func(t *testing.T) {
		for _, program := range programs {
			for _, size := range sizes {
				t.Run(program.String()+" at "+size, func(t *testing.T) {
					t.Parallel()
					behave(launchReal(t, program, size))
				})
			}
		}
	})

	tryDeliveries(t, programs, sizes)
}

func behave(s *onStage) {
	whole, passed := s.T, map[string]bool{}
	defer func() {
		if len(passed) > 0 {
			keep(whole, s.program, record{Size: s.size, Scenes: passed})
		}
	}()
	for i, scene := range scenes {
		if whole.Failed() && i < len(scenes)-1 {
			continue // what the failure left behind would fail it too; but it can be stopped
		}
		if s.program.lacks[scene.need] != "" {
			continue
		}

		whole.Run(scene.name, func(t *testing.T) { // which -run may leave out
			defer func() { passed[scene.name] = !t.Failed() }()
			s.T = t
			scene.try(s)
		})
		s.T = whole
	}
}

// alone plays a scene with each program that can, in a run of its own, and keeps which passed.
func alone(t *testing.T, name string, play func(*testing.T, installed)) {
	t.Helper()
	i := slices.IndexFunc(scenesAlone, func(s scene) bool { return s.name == name })
	for _, program := range oneOfEach(installedPrograms(t)) {
		if program.lacks[scenesAlone[i].need] != "" {
			continue
		}
		t.Run(program.String(), func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() { keep(t, program, record{Size: aloneAt, Scenes: map[string]bool{name: !t.Failed()}}) })
			play(t, program)
		})
	}
}

// tryDeliveries sends at random. It logs the seed; PARLEY_TEST_SEED repeats a run.
func tryDeliveries(t *testing.T, programs []installed, sizes []string) {
	n, _ := strconv.Atoi(os.Getenv(agentsDeliveries))
	if n == 0 {
		return
	}

	seed, _ := strconv.ParseUint(cmp.Or(os.Getenv(agentsSeed), strconv.FormatInt(time.Now().Unix(), 10)), 10, 64)
	t.Run("deliver", func(t *testing.T) {
		for i, program := range programs {
			size := sizes[i%len(sizes)]
			t.Run(program.String()+" at "+size, func(t *testing.T) {
				t.Parallel()
				t.Logf("%d deliveries with %s=%d", n, agentsSeed, seed)
				s := launchReal(t, program, size)
				s.inState("idle")
				deliver(newTrial(s, program.chance(seed)), n, func(f figures) record {
					return record{Size: size, Seed: seed, Deliveries: &f}
				})
			})
		}
	})
}

// chance is that of a run with a seed, whichever other programs are tried.
func (p installed) chance(seed uint64) *rand.Rand {
	name := fnv.New64a()
	name.Write([]byte(p.String()))
	return rand.New(rand.NewPCG(seed, name.Sum64()))
}

// piece is after how many deliveries the figures are kept, so that a long run may be broken off.
const piece = 25

// deliver makes n deliveries at random and those that are measured, and keeps the figures in pieces, also where a scene
// does not come to rest.
func deliver(trial *trial, n int, record func(figures) record) {
	keeps := func() {
		if trial.figures.Deliveries > 0 {
			keep(trial.T, trial.program, record(trial.take()))
		}
	}
	defer keeps()
	for left := n; left > 0; {
		before := trial.Deliveries
		trial.atRandom(min(piece, left))
		left -= trial.Deliveries - before
		keeps()
	}
	trial.atRest()
}
