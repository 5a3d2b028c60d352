package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
	"parley/store/postgrestest"
)

// Every later program opens each database from the first version on. Of each version testdata has one, as the packed
// SQL of SQLite and of PostgreSQL: with -update, TestEveryVersionHasItsFixture writes that of a new step. What is
// written once is never changed, nor is a step.
var update = flag.Bool("update", false, "write the missing fixture of the newest version")

func fixtureOf(version int64) string {
	kind := ""
	if onPostgres {
		kind = "_postgres"
	}
	return filepath.Join("testdata", fmt.Sprintf("v%d%s.sql.gz", version, kind))
}

func dialect() *engine.Dialect {
	if onPostgres {
		return &engine.Postgres
	}
	return &engine.SQLite
}

func TestEveryVersionHasItsFixture(t *testing.T) {
	for _, version := range must.Have(engine.StepNumbers(stepsOf(dialect())))(t) {
		name := fixtureOf(version)
		if _, err := os.Stat(name); err == nil {
			continue
		}
		if !*update || version != newestVersion {
			t.Errorf("%s is missing: write it with go test ./store -run EveryVersion -update", name)
			continue
		}

		s, path := openNew(t, 4)
		furnish(t, s)
		must.Do(t, s.Close())
		dump := exec.Command("sqlite3", path, ".dump")
		if onPostgres {
			dump = exec.Command("pg_dump", "--inserts", "--no-owner", "--no-privileges", at(t, path).URL)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		for line := range bytes.Lines(must.Have(dump.Output())(t)) {
			if !bytes.HasPrefix(line, []byte(`\`)) { // an order for psql
				must.Have(w.Write(line))(t)
			}
		}
		must.Do(t, w.Close())
		must.Do(t, os.WriteFile(name, packed.Bytes(), 0o644))
	}
}

// furnish gives a store with four agents something of everything that a team leaves.
func furnish(t *testing.T, s *Store) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	coder := testAgent(1)
	coder.Capabilities, coder.Role = []string{"go", "sql"}, "engineer"
	must.Do(t, s.Agents.SetAgentLabels(ctx, coder.ID, coder))
	sage := testAgent(3)
	sage.Kind, sage.Approval = parley.KindResponder, parley.ApprovalGiven
	sage.Responder = &parley.Responder{AutoRespond: true, ResponderConfig: parley.ResponderConfig{ModelID: "scripted"}}
	must.Do(t, s.Responders.SetResponder(ctx, sage))
	askResponder(t, s, 1, 3, "what is a lease?", "a promise for a time")

	thread := openThread(t, s, 1)
	must.Do(t, s.Conversations.SetThreadSettings(ctx, thread, `{"chain_hops":7}`))
	said := threadPost(thread, 0)
	said.Message.Text = "the grammar of 数据库"
	must.Have(s.Messages.Append(ctx, said))(t)

	question := require(t, s, 1, 2)
	must.Have(s.Messages.Append(ctx, reply(1, question, parley.ResponseCompleted)))(t)
	with := post(0, 1, 2)
	with.NewFile = new(testFile("f0000000-1111", 0))
	must.Have(s.Messages.Append(ctx, with))(t)
	must.Have(s.Inbox.Ignore(ctx, agentID(2), with.Message.ID, "only thanks"))(t)

	must.Do(t, s.Conversations.AddAct(ctx, Act{At: now, Action: "mute", One: agentID(0), Other: agentID(1)}, nil,
		time.Time{}))
	from := Transcript{AgentID: agentID(1), Path: "/t", Form: "claude", SeenAt: now}
	must.Do(t, s.Tokens.CountTokens(ctx, from, []TokenRecord{
		{ID: "r1", At: now, Day: "2026-01-02", Model: "m", Tokens: parley.Tokens{Input: 7}},
	}))
	must.Do(t, s.Workspace.SetPause(ctx, agentID(0), &parley.Pause{Reason: "lunch"}, nil))
	must.Have(s.Schedules.Add(ctx, planned(1, "weekdays 9:00"), Call{}, 1))(t)
}

// wantFilled checks that a store has what furnish gave it.
func wantFilled(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	agents := must.Have(s.Agents.List(ctx))(t)
	if len(agents) != 4 || agents[1].Role != "engineer" || strings.Join(agents[1].Capabilities, " ") != "go sql" ||
		agents[3].Responder == nil || agents[3].Responder.ModelID != "scripted" {
		t.Errorf("the agents are %+v", agents)
	}

	wantFound(t, s, SearchQuery{Words: "数据"}, "the grammar of 数据库")
	messages := must.Have(s.Messages.Export(ctx, ExportQuery{Limit: 100}))(t).Messages
	if len(messages) != 6 || messages[0].Text != "what is a lease?" {
		t.Errorf("%d messages, want 6: %+v", len(messages), messages)
	}
	for _, m := range messages {
		debts := must.Have(s.Debts.List(ctx, m.ID))(t)
		if m.RequiresResponse && (len(debts) != 2 || debts[0].State != "completed" || debts[1].State != "open") {
			t.Errorf("the required responses are %+v", debts)
		}
	}

	acts, pause := must.Have(s.Conversations.Acts(ctx))(t), must.Have(s.Workspace.Pause(ctx))(t)
	days := must.Have(s.Tokens.TokenDays(ctx, agentID(1), "2026-01-01"))(t)
	file := must.Have(s.Files.File(ctx, "f0000000-1111", ""))(t)
	if len(acts) != 1 || pause == nil || pause.Reason != "lunch" || len(days) != 1 || file.ID == "" {
		t.Errorf("got the acts %v, the pause %v, the days %v, the file %v", acts, pause, days, file)
	}
}

// emptyDatabases are databases of PostgreSQL without tables.
var emptyDatabases = postgrestest.Databases{Prepare: func(string) error { return nil }}

// brought makes the database of a version from its text.
func brought(t *testing.T, version int64) (path string) {
	t.Helper()
	f := must.Have(os.Open(fixtureOf(version)))(t)
	defer f.Close()
	text := string(must.Have(io.ReadAll(must.Have(gzip.NewReader(f))(t)))(t))
	path = filepath.Join(t.TempDir(), "parley.db")
	if onPostgres {
		urls.Store(path, emptyDatabases.New(t))
		text = "DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public;\n" + text
	}
	db := raw(t, path)
	run(t, db, text)
	must.Do(t, db.Close())
	return path
}

// A database of each version is opened, and is then the same as a new one.
func TestDatabaseOfEachVersionIsBroughtUp(t *testing.T) {
	want, describe := "schema_sqlite.txt", describeSQLite
	if onPostgres {
		want, describe = "schema_postgres.txt", describePostgres
	}
	for _, version := range must.Have(engine.StepNumbers(stepsOf(dialect())))(t) {
		path := brought(t, version)
		s := openAt(t, path)
		wantFilled(t, s)
		must.Do(t, s.Agents.CreateAgent(t.Context(), testAgent(9), nil))
		if diff := cmp.Diff(golden(t, want), describe(t, raw(t, path))); diff != "" {
			t.Errorf("from version %d (-new +brought up):\n%s", version, diff)
		}
	}
}

// slowSteps are later steps that take a while, each of which leaves something.
const slowSteps = 4

// withSlowSteps returns the tuning of a program with a few more steps.
func withSlowSteps() (tuning, error) {
	series := `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n`
	var more []string
	for n := range slowSteps {
		more = append(more, fmt.Sprintf("CREATE TABLE later_%d (i INTEGER);\nINSERT INTO later_%d %s;\n", n, n, series))
	}
	steps, err := laterSteps(dialect(), more...)
	return tuning{busyTimeout: 5 * time.Second, searchTime: searchTime, migrations: steps}, err
}

// laterSteps returns the steps of a database and more.
func laterSteps(d *engine.Dialect, more ...string) (fs.FS, error) {
	files := fstest.MapFS{}
	for i, sql := range more {
		files[fmt.Sprintf("%05d_later.sql", 9000+i)] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
	}
	now := stepsOf(d)
	names, err := fs.Glob(now, "*.sql")
	for _, name := range names {
		data, bad := fs.ReadFile(now, name)
		if bad != nil {
			return nil, bad
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	return files, err
}

// upgrade is the program that a test kills.
func upgrade(ctx context.Context, path, url string) error {
	onPostgres = url != ""
	tuned, err := withSlowSteps()
	if err != nil {
		return err
	}
	fmt.Println("begin")
	s, err := open(ctx, Options{Path: path, URL: url}, tuned)
	if err != nil {
		return err
	}
	return s.Close()
}

// A database that is brought up is whole wherever the program is killed: the next one goes on.
func TestUpgradeSurvivesAKill(t *testing.T) {
	for _, version := range must.Have(engine.StepNumbers(stepsOf(dialect())))(t) {
		path := brought(t, version)
		for patience := time.Duration(0); ; patience += 15 * time.Millisecond {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childVar+"=upgrade", childVar+"_DB="+path, childVar+"_URL="+at(t, path).URL)
			cmd.Stderr = os.Stderr
			begun := bufio.NewScanner(must.Have(cmd.StdoutPipe())(t))
			must.Do(t, cmd.Start())
			begun.Scan()
			end := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
			err := cmd.Wait()
			if !end.Stop() && err != nil {
				continue
			}
			must.Do(t, err)
			break
		}

		s := must.Have(open(t.Context(), at(t, path), must.Have(withSlowSteps())(t)))(t)
		wantFilled(t, s)
		must.Do(t, s.Close())
		for n := range slowSteps {
			count := fmt.Sprintf("SELECT CAST(count(*) AS text) FROM later_%d", n)
			if got := listed(t, raw(t, path), count); got[0] != "20000" {
				t.Errorf("from version %d: step %d left %v rows", version, n, got)
			}
		}
	}
}
