package pulls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/plain"
)

type github struct{ tool }

func (g github) repository() string { return g.host + "/" + g.owner + "/" + g.place.name }

func (g github) open(ctx context.Context, d draft) (address string, opened bool, err error) {
	out, err := g.run(ctx, "pr", "list", "--repo", g.repository(), "--head", d.branch, "--state", "open",
		"--json", "url,headRepositoryOwner")
	if err != nil {
		return "", false, err
	}
	var there []struct {
		URL   string
		Owner struct{ Login string } `json:"headRepositoryOwner"`
	}
	if err := json.Unmarshal(out, &there); err != nil {
		return "", false, fmt.Errorf("read what gh lists: %w", err)
	}
	owner := g.owner
	head := d.branch
	if d.owner != "" {
		owner, head = d.owner, d.owner+":"+d.branch
	}
	for _, p := range there {
		if strings.EqualFold(p.Owner.Login, owner) {
			return p.URL, false, nil
		}
	}

	words := []string{"pr", "create", "--repo", g.repository(), "--head", head, "--base", d.base, "--title", d.title,
		"--body", d.body}
	if d.draft {
		words = append(words, "--draft")
	}
	out, err = g.run(ctx, words...)
	lines := strings.Fields(string(out))
	if err != nil || len(lines) == 0 {
		return "", false, err
	}
	return lines[len(lines)-1], true, nil
}

// pullQuery asks for all in one call. What a thread has beyond its last comments was there at an earlier look.
const pullQuery = `query($owner:String!,$name:String!,$number:Int!){repository(owner:$owner,name:$name){` +
	`pullRequest(number:$number){state mergedBy{login} commits(last:1){nodes{commit{statusCheckRollup{` +
	`contexts(first:100){nodes{__typename ... on CheckRun{databaseId name status conclusion detailsUrl title ` +
	`annotations(first:3){nodes{path message location{start{line}}}}} ` +
	`... on StatusContext{id context state description targetUrl}}}}}}} ` +
	`reviewThreads(last:100){nodes{isResolved path line originalLine comments(last:50){nodes{` + written + `}}}} ` +
	`reviews(last:50){nodes{` + written + `}} comments(last:100){nodes{` + writtenThere + `}}}}}`

const (
	writtenThere = `id body url createdAt authorAssociation author{__typename login}`
	written      = writtenThere + ` state`
)

// ghWritten is a comment or a review.
type ghWritten struct {
	ID, Body, URL, State string
	CreatedAt            time.Time
	Association          string `json:"authorAssociation"`
	Author               struct {
		Type  string `json:"__typename"`
		Login string
	}
}

// ghCheck is a run of a check, or the status that another system has set.
type ghCheck struct {
	Type                      string `json:"__typename"`
	ID                        string
	DatabaseID                int64 `json:"databaseId"`
	Name, Context             string
	Status, Conclusion, State string
	DetailsURL                string `json:"detailsUrl"`
	TargetURL                 string `json:"targetUrl"`
	Title, Description        string
	Annotations               nodes[ghAnnotation]
}

type ghAnnotation struct {
	Path, Message string
	Location      struct{ Start struct{ Line int } }
}

type nodes[T any] struct{ Nodes []T }

type ghPull struct {
	State    string
	MergedBy struct{ Login string }
	Commits  nodes[struct {
		Commit struct {
			Rollup struct{ Contexts nodes[ghCheck] } `json:"statusCheckRollup"`
		}
	}]
	Threads nodes[struct {
		IsResolved         bool
		Path               string
		Line, OriginalLine int
		Comments           nodes[ghWritten]
	}] `json:"reviewThreads"`
	Reviews, Comments nodes[ghWritten]
}

func (g github) look(ctx context.Context, number int) (*seen, error) {
	out, err := g.run(ctx, "api", "graphql", "--hostname", g.host, "-f", "query="+pullQuery, "-f", "owner="+g.owner,
		"-f", "name="+g.place.name, "-F", "number="+strconv.Itoa(number))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data struct {
			Repository struct {
				Pull *ghPull `json:"pullRequest"`
			}
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, fmt.Errorf("read what gh says: %w", err)
	}
	p := answer.Data.Repository.Pull
	if p == nil {
		return nil, fmt.Errorf("gh says nothing of #%d", number)
	}
	return p.seen(), nil
}

func (p *ghPull) seen() *seen {
	s := &seen{state: parley.PullState(strings.ToLower(p.State)), by: p.MergedBy.Login}
	var checks counts
	for _, c := range p.Commits.Nodes {
		for i := range c.Commit.Rollup.Contexts.Nodes {
			check := &c.Commit.Rollup.Contexts.Nodes[i]
			if state := check.state(); checks.add(state) == fails {
				s.items = append(s.items, check.item())
			}
		}
	}
	s.checks, s.runs = checks.words(), checks[runs] > 0

	for _, t := range p.Threads.Nodes {
		for i := range t.Comments.Nodes {
			c := &t.Comments.Nodes[i]
			if it, ok := c.item(); ok && !t.IsResolved {
				it.file, it.at = lineOf(t.Path, max(t.Line, 0), t.OriginalLine), time.Time{}
				s.items = append(s.items, it)
			}
		}
	}
	for _, c := range slices.Concat(p.Reviews.Nodes, p.Comments.Nodes) {
		if it, ok := c.item(); ok {
			s.items = append(s.items, it)
		}
	}
	return s
}

func (c *ghCheck) state() checkState {
	switch c.Conclusion + c.State { // only one is set
	case "FAILURE", "ERROR", "TIMED_OUT", "STARTUP_FAILURE", "ACTION_REQUIRED":
		return fails
	case "", "PENDING", "EXPECTED":
		return runs
	}
	return passes
}

func (c *ghCheck) item() item {
	if c.Type == "StatusContext" {
		return item{id: "status " + c.ID, check: true, who: c.Context, link: c.TargetURL, text: c.Description}
	}
	it := item{
		id: fmt.Sprint("check ", c.DatabaseID), check: true, who: c.Name, link: c.DetailsURL, text: c.Title,
	}
	for i, a := range c.Annotations.Nodes {
		where := lineOf(a.Path, a.Location.Start.Line, 0)
		if i == 0 {
			it.file = where
		}
		it.text += "\n" + where + ": " + plain.CleanLine(a.Message)
	}
	return it
}

// item returns what is told of a comment. It is not ok if that is nothing: it is not sent yet, or says nothing.
func (w *ghWritten) item() (it item, ok bool) {
	text := strings.TrimSpace(w.Body)
	switch {
	case w.State == "PENDING":
		return item{}, false
	case text == "" && w.State == "APPROVED":
		text = "(approves it)"
	case text == "" && w.State == "CHANGES_REQUESTED":
		text = "(requests changes)"
	}
	known := slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, w.Association) || w.Author.Type == "Bot"
	return item{
		id: w.ID, who: w.Author.Login, link: w.URL, text: text, at: w.CreatedAt, stranger: !known,
	}, text != ""
}
