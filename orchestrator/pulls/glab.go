package pulls

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
)

type gitlab struct{ tool }

// developer is the least access of somebody who has part in a project.
const developer = 30

// get calls the API of the project, and decodes all pages that glab prints, one behind the other.
func get[T any](ctx context.Context, g gitlab, path string, more ...string) (all []T, err error) {
	project := "projects/" + url.PathEscape(g.owner+"/"+g.place.name)
	out, err := g.run(ctx, append([]string{"api", "--hostname", g.host, project + path}, more...)...)
	if err != nil {
		return nil, err
	}
	pages := json.NewDecoder(bytes.NewReader(out))
	for {
		var page json.RawMessage
		if err := pages.Decode(&page); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read what glab says: %w", err)
		}
		if !bytes.HasPrefix(page, []byte("[")) {
			page = slices.Concat([]byte("["), page, []byte("]"))
		}
		var some []T
		if err := json.Unmarshal(page, &some); err != nil {
			return nil, fmt.Errorf("read what glab says: %w", err)
		}
		all = append(all, some...)
	}
}

func (g gitlab) open(ctx context.Context, d draft) (address string, opened bool, err error) {
	type merge struct {
		URL  string `json:"web_url"`
		From int64  `json:"source_project_id"`
		To   int64  `json:"target_project_id"`
	}
	there, err := get[merge](ctx, g,
		"/merge_requests?state=opened&per_page=100&source_branch="+url.QueryEscape(d.branch))
	if err != nil {
		return "", false, err
	}
	for _, m := range there {
		if m.From == m.To { // a fork's branch may have the same name
			return m.URL, false, nil
		}
	}

	if d.draft {
		d.title = "Draft: " + d.title
	}
	made, err := get[merge](ctx, g, "/merge_requests", "--method", "POST", "--raw-field", "source_branch="+d.branch,
		"--raw-field", "target_branch="+d.base, "--raw-field", "title="+d.title, "--raw-field", "description="+d.body)
	return first(made).URL, true, err
}

// first returns the first of several, zero if there is none.
func first[T any](all []T) (one T) {
	if len(all) > 0 {
		one = all[0]
	}
	return one
}

type glMerge struct {
	State    string
	URL      string                    `json:"web_url"`
	By       struct{ Username string } `json:"merge_user"`
	Pipeline *struct {
		ID     int64
		Status string
	} `json:"head_pipeline"`
}

type glJob struct {
	ID      int64
	Name    string
	URL     string `json:"web_url"`
	Reason  string `json:"failure_reason"`
	Allowed bool   `json:"allow_failure"`
}

type glNote struct {
	ID               int64
	Body             string
	System, Resolved bool
	Created          time.Time `json:"created_at"`
	Resolvable       bool
	Author           struct {
		ID       int64
		Username string
	}
	Position *struct {
		Path string `json:"new_path"`
		Line int    `json:"new_line"`
		Old  int    `json:"old_line"`
	}
}

func (g gitlab) look(ctx context.Context, number int) (*seen, error) {
	at := fmt.Sprint("/merge_requests/", number)
	merges, err := get[glMerge](ctx, g, at)
	if err != nil {
		return nil, err
	}
	m := first(merges)
	states := map[string]parley.PullState{"merged": parley.PullMerged, "closed": parley.PullClosed}
	s := &seen{state: parley.PullOpen, by: m.By.Username}
	if ended, ok := states[m.State]; ok {
		s.state = ended
		return s, nil
	}

	if err := g.lookAtJobs(ctx, &m, s); err != nil {
		return nil, err
	}
	return s, g.lookAtNotes(ctx, at, m.URL, s)
}

// lookAtJobs adds the jobs of the last pipeline that fail.
func (g gitlab) lookAtJobs(ctx context.Context, m *glMerge, s *seen) error {
	if m.Pipeline == nil {
		return nil
	}
	var checks counts
	switch m.Pipeline.Status {
	case "failed":
		jobs, err := get[glJob](ctx, g, fmt.Sprintf("/pipelines/%d/jobs?scope[]=failed&per_page=100", m.Pipeline.ID))
		if err != nil {
			return err
		}
		for _, j := range jobs {
			if !j.Allowed {
				checks.add(fails)
				s.items = append(s.items, item{
					id: fmt.Sprint("job ", j.ID), check: true, who: j.Name, link: j.URL,
					text: strings.ReplaceAll(j.Reason, "_", " "),
				})
			}
		}
	case "success":
		checks.add(passes)
	case "canceled", "skipped", "manual":
	default:
		checks.add(runs)
	}
	s.checks, s.runs = checks.words(), checks[runs] > 0
	return nil
}

// lookAtNotes adds what people have written.
func (g gitlab) lookAtNotes(ctx context.Context, at, address string, s *seen) error {
	type discussion struct{ Notes []glNote }
	discussions, err := get[discussion](ctx, g, at+"/discussions?per_page=100", "--paginate")
	if err != nil {
		return err
	}
	query := "/members/all?per_page=100"
	authors := map[int64]bool{}
	var notes []glNote
	for _, d := range discussions {
		for _, n := range d.Notes {
			if n.System || n.Resolved || strings.TrimSpace(n.Body) == "" {
				continue
			}
			notes = append(notes, n)
			if !authors[n.Author.ID] {
				query += fmt.Sprint("&user_ids[]=", n.Author.ID)
			}
			authors[n.Author.ID] = true
		}
	}
	if len(notes) == 0 {
		return nil
	}

	type member struct {
		ID     int64
		Access int `json:"access_level"`
	}
	members, err := get[member](ctx, g, query, "--paginate")
	if err != nil {
		return err
	}
	for _, n := range notes {
		isKnown := func(m member) bool { return m.ID == n.Author.ID && m.Access >= developer }
		it := item{
			id: fmt.Sprint("note ", n.ID), who: n.Author.Username, link: fmt.Sprintf("%s#note_%d", address, n.ID),
			text: n.Body, at: n.Created, stranger: !slices.ContainsFunc(members, isKnown),
		}
		if n.Position != nil {
			it.file = lineOf(n.Position.Path, n.Position.Line, n.Position.Old)
		}
		if n.Resolvable {
			it.at = time.Time{}
		}
		s.items = append(s.items, it)
	}
	return nil
}
