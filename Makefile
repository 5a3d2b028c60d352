# parley: `make help` lists what there is. Works with the make of macOS (3.81).

PREFIX ?= $(HOME)/.local
VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT = $(shell git rev-parse --short=12 HEAD 2>/dev/null)
EPOCH = $(shell git log -1 --format=%ct 2>/dev/null)
DATE = $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
GO ?= go
STATICCHECK = $(GO) tool -modfile=build/tools/go.mod staticcheck
GOVULNCHECK = $(GO) tool -modfile=build/tools/go.mod govulncheck

# What measures, draws and publishes has a module of its own. Its programs run here, where the page is.
IN_LAB = $(GO) -C lab
LAB = $(IN_LAB) build -buildvcs=false -o '$(CURDIR)/.build/lab/' ./$(1) && .build/lab/$(1)

# All of parley is Go. Only the race detector needs a C compiler.
export CGO_ENABLED = 0

# The client of OpenAI compatible models is the largest package: it waits for the network, and compiling it without
# optimising takes a third of the time of a build and of its memory away.
PLAIN = github.com/openai/openai-go/...=-N -l

# Without its path in it, what one clone has compiled is there for the next.
export GOFLAGS := $(GOFLAGS) -trimpath '-gcflags=$(PLAIN)'

# Other systems that a commit must compile for, and the one that `lint` vets.
CROSS = darwin/arm64 linux/arm64
VETTED = $$($(GO) env GOHOSTOS)

.DEFAULT_GOAL := help

.PHONY: help
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: tmux build ## watch four agents work in tmux: no key, no network
	./parley demo

.PHONY: build
build: ## build ./parley, one static binary
	$(GO) build -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)' -o parley ./cmd/parley

.PHONY: install
install: build ## put parley in ~/.local/bin, or in PREFIX/bin with PREFIX=...
	@mkdir -p '$(DESTDIR)$(PREFIX)/bin'
	@cp parley '$(DESTDIR)$(PREFIX)/bin/.parley.new' && mv -f '$(DESTDIR)$(PREFIX)/bin/.parley.new' '$(DESTDIR)$(PREFIX)/bin/parley'
	@echo "installed $(DESTDIR)$(PREFIX)/bin/parley"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo 'it is not in your PATH yet; add: export PATH="$(PREFIX)/bin:$$PATH"' ;; esac

# Most tests wait for programs, so more of them run at once than there are cores. The
# longest begin first. A machine that is busy with other work takes many times as long, which is no
# failure. Without debug information a test program is linked in half the time; `lint` vets the tests
# of a check.
ATONCE = -p 5 -parallel 6 -timeout 1h -ldflags='-s -w'
ALL = ./orchestrator ./store ./cmd/parley ./tui ./...

# Browsers, the service on PostgreSQL, and the longest of what is tried at random, wait for a check. What go remembers of a test in the lab does
# not count: it does not see that the program has changed.
.PHONY: test
test: tmux ## run the tests, but those in browsers and the longest: see check
	$(GO) test -short $(ATONCE) $(ALL)
	$(IN_LAB) test -count=1 -short $(ATONCE) ./...

# On a machine that does much else, a program, a browser or a terminal can be later than any test waits. So a
# check runs what failed once more, and if it fails beside the others a last time when they are done: a test that
# fails then, or whose first run had a data race, fails the check, and one that passes is named at its end. `test`
# runs each test once.
GOTESTSUM = mkdir -p .build && gotestsum=$$($(GO) tool -n -modfile=build/tools/go.mod gotestsum)
AGAIN = --format standard-quiet --rerun-fails=1 --rerun-fails-max-failures=20 --rerun-fails-abort-on-data-race \
	--rerun-fails-report='$(CURDIR)/.build/again-$(1).txt' --jsonfile='$(CURDIR)/.build/tried-$(1).json'

# The last run side by side. Together `race`, `stories` and what is in LATER run each test once, and those in which much
# happens at once under the race detector. All leave the cores to `real`, which mostly waits: the programs that it tries
# have deadlines of their own.
PROOF = real stories race later
LATER = lint cross couriers whole in-lab
.PHONY: check
check: format tidy web-types vulns build tmux cc benches ## everything that a commit must pass
	@rm -f .build/again-*.txt .build/tried-*.json
	@$(MAKE) -k -j4 $(PROOF) || { ! grep -qs 'DATA RACE' .build/tried-*.json && \
		echo 'check: what failed is tried a last time' >&2 && $(MAKE) $(PROOF); }
	@again=$$(cat .build/again-*.txt 2>/dev/null); [ -z "$$again" ] || printf 'check: failed at first:\n%s\n' "$$again" >&2

# One after the other, beside the longest.
.PHONY: later
later:
	@failed=0; for target in $(LATER); do $(MAKE) $$target || failed=1; done; exit $$failed

.PHONY: format
format:
	@files=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .); test -z "$$files" || \
		{ echo "not formatted; run gofmt -w on:" $$files >&2; exit 1; }

.PHONY: tidy
tidy:
	@$(GO) mod tidy -diff || { echo "go.mod or go.sum is not tidy; run: go mod tidy" >&2; exit 1; }
	@$(IN_LAB) mod tidy -diff || { echo "lab/go.mod or lab/go.sum is not tidy; run: go -C lab mod tidy" >&2; exit 1; }

.PHONY: lint
lint: ## run go vet and staticcheck
	$(GO) vet ./...
	$(IN_LAB) vet ./...
	$(STATICCHECK) ./...
	@staticcheck=$$($(GO) tool -n -modfile=build/tools/go.mod staticcheck) && cd lab && "$$staticcheck" ./...

# Where the database of known vulnerabilities is. Another one may be a directory: file:///DIR
VULNDB ?= https://vuln.go.dev

# govulncheck ends with 3 when it finds something vulnerable, and with 1 when it could not look.
# Whether parley calls what is vulnerable takes twenty times as long, so packages are looked for first.
.PHONY: vulns
vulns: ## look for known vulnerabilities in what parley calls
	@mkdir -p .build; \
	$(GOVULNCHECK) -db '$(VULNDB)' -scan package ./cmd/parley >.build/vulns.txt 2>&1; found=$$?; \
	[ $$found -ne 3 ] || { $(GOVULNCHECK) -db '$(VULNDB)' ./cmd/parley >.build/vulns.txt 2>&1; found=$$?; }; \
	case $$found in \
		0) ;; \
		1) echo "vulns: NOT looked for known vulnerabilities: $$(tail -n 1 .build/vulns.txt)" >&2 ;; \
		*) cat .build/vulns.txt >&2; exit 1 ;; \
	esac

# Vet also type-checks the tests. No file is for one architecture only, so each system is vetted
# once: Linux by `lint`. The dependencies are compiled without optimising, which takes two thirds
# of the time.
.PHONY: cross
cross:
	@for target in $(CROSS); do \
		echo "checking $$target"; \
		export GOOS=$${target%/*} GOARCH=$${target#*/}; \
		case $$target in $(VETTED)/*) ;; *) nice -n 5 $(GO) vet -gcflags='all=-N -l' ./... && nice -n 5 $(IN_LAB) vet -gcflags='all=-N -l' ./... || exit 1 ;; esac; \
		nice -n 5 $(GO) build -buildvcs=false -gcflags='all=-N -l' -ldflags='-s -w' -o /dev/null ./cmd/parley || exit 1; \
	done

# UNRACED is not tested under the race detector. The stories of cmd/parley start hundreds
# of programs, which it makes ten times slower; what they run at once is raced in its own
# package. So are the couriers, by the orchestrator; in their simulated world everything runs
# in turn. The others run nothing at once.
UNRACED = ./orchestrator/courier ./cmd/parley . ./internal/arch ./internal/export ./orchestrator/conversation \
	./orchestrator/overlap ./orchestrator/worktree ./program/profile
RACED = $$($(GO) list $(ALL) | grep -vxF "$$($(GO) list $(UNRACED))")

# SQLite is C translated to Go and guards its memory itself. To watch it takes most of
# the time of the tests. parley does nothing by pointers that the compiler does not check. The
# detector sleeps for a second at the end of each process, for reports that are not out yet.
RACE = -race -gcflags='all=-d=checkptr=0' -gcflags='modernc.org/...=-race=false -d=checkptr=0' \
	-gcflags='$(PLAIN) -d=checkptr=0'
.PHONY: race
race: tmux cc
	@build/need postgres || echo 'race: NOT tested on PostgreSQL: see above' >&2
	$(GOTESTSUM) && PARLEY_TEST_AGENTS= CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 nice -n 5 \
		"$$gotestsum" $(call AGAIN,race) --packages="$(RACED)" -- -vet=off -short $(RACE) $(ATONCE)

# ./tui, and some tests of ./store and ./orchestrator, are here for what they leave out under the race detector. The
# couriers are tested with more simulated deliveries than by `test`.
WHOLE = TestADamagedPageCostsItsRows|TestPowerCutsLoseNothingAcknowledged|TestServiceOnPostgreSQL|TestKilledDaemonLosesNothing|TestADaemonKilledInAHandoff
.PHONY: stories
stories: tmux
	$(GOTESTSUM) && export PARLEY_TEST_AGENTS= && \
		nice -n 5 "$$gotestsum" $(call AGAIN,stories) --packages="$(filter-out ./orchestrator/courier,$(UNRACED)) ./tui" \
			-- -vet=off $(ATONCE)

.PHONY: couriers whole in-lab
couriers:
	nice -n 5 $(GO) test -vet=off $(ATONCE) ./orchestrator/courier -deliveries 100000
whole: tmux
	nice -n 5 $(GO) test -vet=off $(ATONCE) ./store ./orchestrator -run '$(WHOLE)'
in-lab: tmux
	$(GOTESTSUM) && export PARLEY_TEST_AGENTS= && \
		cd lab && nice -n 5 "$$gotestsum" $(call AGAIN,lab) --packages=./... -- -count=1 -vet=off $(ATONCE)

.PHONY: web
web: ## join the modules of the page with esbuild, into web/built
	$(GO) -C build/tools run ./page ../../web

.PHONY: web-types
web-types: ## check the types in the page's modules (where npm is there)
	@build/web-types

.PHONY: web-deps
web-deps: ## fetch what the page has from npm, and compare it with what is committed (needs npm)
	@build/web-deps

# Where build/agents installs the agent programs.
PARLEY_TEST_AGENTS ?= $(CURDIR)/.build/agents

DELIVERIES ?= 10
TRY ?= .

# The programs are hundreds of megabytes; they are fetched once.
.PHONY: agents
agents: tmux ## try the real agent programs, into docs/measured/agents.md (needs npm; DELIVERIES=200 sends more)
	PARLEY_TEST_AGENTS='$(PARLEY_TEST_AGENTS)' build/agents
	PARLEY_TEST_AGENTS='$(PARLEY_TEST_AGENTS)' PARLEY_TEST_DELIVERIES=$(DELIVERIES) PARLEY_TEST_PAGE='$(CURDIR)/docs/measured/agents.md' \
		$(IN_LAB) test -count=1 -v -parallel 2 -timeout 4h -run '$(TRY)' ./agents

.PHONY: model
model: ## run the scripted model that `parley profiles check NAME --model URL` takes, and print its URL
	@$(call LAB,model)

# A check tries two of the programs, and those of the others that are installed. It says
# so if the machine cannot get them.
.PHONY: real
real: tmux
	@export PARLEY_TEST_AGENTS='$(PARLEY_TEST_AGENTS)'; build/agents claude codex || \
		{ echo 'real: NOT tried with real agent programs: npm cannot install them here, see above' >&2; exit 0; }; \
	$(GOTESTSUM) && "$$gotestsum" $(call AGAIN,claude) --packages=./cmd/parley -- -count=1 -timeout 10m -run 'TestClaudeInABrowser' && \
	cd lab && "$$gotestsum" $(call AGAIN,real) --packages=./agents \
		-- -count=1 -short -parallel 2 -timeout 1h -run 'TestRealPrograms/behave'

# Every message is typed in a simulated world. The seed of a broken promise is printed,
# with the shortest story.
.PHONY: simulate
simulate: DELIVERIES = 2000000
simulate: ## simulate 2000000 deliveries, then defects on purpose, into docs/measured/simulation.md (or DELIVERIES=..., DEFECTS=some of them)
	$(GO) test -count=1 -timeout 6h -v -run 'TestSimulationFindsDefects$$' ./orchestrator/courier \
		-deliveries $(DELIVERIES) -defect '$(DEFECTS)' -page '$(CURDIR)/docs/measured/simulation.md'

# The suite is fetched once.
CONFORMANCE ?= $(CURDIR)/.build/conformance

.PHONY: conformance
conformance: tmux ## try the official MCP conformance suite against the daemon (needs npm)
	@[ -x '$(CONFORMANCE)/node_modules/.bin/conformance' ] || npm install --prefix '$(CONFORMANCE)' --no-audit --no-fund --loglevel=error \
		node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12
	PARLEY_TEST_CONFORMANCE='$(CONFORMANCE)/node_modules/.bin' $(GO) test -count=1 -v -timeout 10m -run TestConformance ./cmd/parley

# The best of several runs counts, next to the recipe: a busy machine makes it take longer, a commit more makes it fail.
.PHONY: benches
benches: tmux ## compare how long a message takes with docs/measured/benchmarks.md
	PARLEY_TEST_BENCHES=1 $(GO) test -count=1 -vet=off -run TestAMessageTakesNoLongerThanRecorded ./orchestrator

# benchdoc refuses the output of a failed run. Then the page stays as it is.
.PHONY: bench
bench: tmux ## measure with real tmux, into docs/measured/benchmarks.md
	@mkdir -p .build docs/measured
	@{ date -u '+date: %Y-%m-%d'; $(GO) version | sed 's/^go version //; s/^/go: /'; tmux -V | sed 's/^tmux /tmux: /'; } >.build/bench.txt
	$(GO) test -run '^$$' -bench . -timeout 60m ./... | tee -a .build/bench.txt
	$(call LAB,benchdoc) <.build/bench.txt >.build/benchmarks.md
	mv .build/benchmarks.md docs/measured/benchmarks.md

TIMES ?= 20

.PHONY: compare
compare: tmux build ## play the same scenes through parley and through send-keys, into docs/measured/compare.md (or TIMES=...)
	$(call LAB,compare) -n $(TIMES) -page '$(CURDIR)/docs/measured/compare.md'

# A page in Chromium with 60 agents and a million messages.
.PHONY: page
page: tmux ## measure the page in a browser, into docs/measured/page.md
	@build/need chromium
	PARLEY_TEST_PAGE='$(CURDIR)/docs/measured/page.md' $(IN_LAB) test -count=1 -v -timeout 20m ./page

# Three daemons with a server of PostgreSQL share a database; see lab/machines for its parts.
.PHONY: machines
machines: tmux build ## run a team on three hosts through kills and crashes, into docs/measured/machines.md
	@build/need postgres
	$(call LAB,machines)

# The packager has a module of its own: it needs much that nothing else does.
NFPM = $(GO) tool -modfile=build/tools/release/go.mod nfpm

# What is published. It carries the commit's time and no path, so the same commit gives the same
# bytes everywhere; it is built twice to see that.
.PHONY: release
release: ## build archives, packages and the installer into .build/release, twice, and try them (or VERSION=...)
	@rm -rf .build/release .build/again
	@for out in release again; do \
		$(call LAB,release) -version '$(VERSION)' -commit '$(COMMIT)' \
			-date '$(EPOCH)' -nfpm '$(NFPM)' -out .build/$$out || exit 1; \
	done
	@diff -r .build/release .build/again && rm -rf .build/again && echo 'built twice: equal byte for byte'
	build/try-deb .build/release/*amd64.deb
	build/try-rpm .build/release/*x86_64.rpm
	@ls -l .build/release

# The public address of a fork or of the original: nothing else names it.
.PHONY: address
address: ## give the program its address: make address MODULE=github.com/ann/parley URL=https://get.example/parley
	$(GO) -C build/tools run ./address ../.. '$(MODULE)' '$(URL)'

SOAK ?= 1h

.PHONY: soak
soak: tmux ## 30 agents at work for an hour, or SOAK=10m: fails if anything has grown by 10 %
	PARLEY_TEST_SOAK=$(SOAK) $(GO) test -count=1 -v -timeout 0 -run 'TestSoak$$' ./cmd/parley

FUZZTIME ?= 20s

.PHONY: fuzz
fuzz: ## fuzz each target for 20s, or FUZZTIME=...
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's,/[^/]*:func , ,' | sort -u | while read -r dir target; do \
		echo "$$dir $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$dir" || exit 1; \
	done

# Debian's stable and development releases. The tests find tmux in PATH.
SUITES ?= stable sid
TMUXTESTS ?= ./tmux/... ./orchestrator/... ./cmd/...

.PHONY: test-tmux
test-tmux: ## run the tests with the tmux of other Debian releases (needs apt-get)
	@found=$$(build/tmux-versions $(SUITES)) || exit 1; \
	for tmux in $$found; do \
		echo "with $$($$tmux -V)"; \
		PATH="$${tmux%/*}:$$PATH" $(GO) test -count=1 $(TMUXTESTS) || exit 1; \
	done

# The pictures of the README come from a session of the demo's agents. Those of the page need Chromium.
.PHONY: screenshots
screenshots: tmux build ## draw the screens and the page into docs/pictures
	build/screenshots ./parley docs/pictures
	PARLEY_TEST_SHOTS='$(CURDIR)/docs/pictures' $(GO) test -count=1 -run TestPicturesOfTheDocs ./cmd/parley

# The moving picture of the README is the story tui/testdata/stories/terminal/film.txt.
.PHONY: film
film: tmux ## draw the story of the README into docs/pictures/tour.svg
	$(GO) test -count=1 -run 'TestScreenStories/film$$' ./cmd/parley -update
	$(call LAB,pictures) -film <tui/testdata/film.frames >docs/pictures/tour.svg

.PHONY: clean
clean: ## remove what was built
	rm -rf parley .build

.PHONY: tmux cc
tmux cc:
	@build/need $@
