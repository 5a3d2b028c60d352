package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

// The pictures of a team of two that change one file, each in a worktree, and whose programs tell what they use.
func TestPicturesInABrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := testpage.Start(t)
	h := testhome.New(t)
	git := gitOf(t, h)
	git(h.Workspace, "init", "-q", "-b", "main")
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "login.go"), []byte("package login\n"), 0o600))
	git(h.Workspace, "add", "login.go")
	git(h.Workspace, "commit", "-qm", "first")

	for name, tokens := range map[string]int{"kim": 700, "lea": 1300} {
		transcript := filepath.Join(h.Dir, name+".jsonl")
		// A report ends within 300 ms, or gets lost on a busy machine. So it is made often.
		reports := fmt.Sprintf(`i=0; while [ $i -lt 40 ]; do parley hook SessionStart '{"transcript_path": "%s"}'; `+
			`sleep 0.3; i=$((i+1)); done; `+
			`exec parley demo-agent --on . --reply Done.`, transcript)
		res := testhome.Run[parley.LaunchAgentResult](t, h, "launch", name, "--worktree", "--profile", "qwen", "--",
			"sh", "-c", reports)
		must.Do(t, os.WriteFile(filepath.Join(res.Worktree.Path, "login.go"), []byte("package "+name+"\n"), 0o600))
		used := fmt.Sprintf(`{"uuid":"%s","timestamp":"%s","type":"assistant","model":"m","usageMetadata":`+
			`{"promptTokenCount":1,"candidatesTokenCount":%d,"totalTokenCount":%d}}`+"\n",
			name, time.Now().Add(time.Second).Format(time.RFC3339), tokens-1, tokens)
		must.Do(t, os.WriteFile(transcript, []byte(used), 0o600))
	}
	must.Become(t, "somebody notices that both change a file", func() bool {
		for _, n := range testhome.Run[parley.GetNeedsResult](t, h, "needs").Needs {
			if n.Kind == parley.NeedOverlap {
				return true
			}
		}
		return false
	})

	p := &pageTest{h: h, browser: browser}
	phone, desk := p.opens(t, 360, 740), p.opens(t, 1400, 900)
	t.Run("what several changed, and what each used", func(t *testing.T) {
		for _, x := range []*testpage.Tab{phone.Of(t), desk.Of(t)} {
			x.Goes("pictures")
			x.Until(figure("Files that several changed") + "?.querySelectorAll('circle[fill]').length == 2")
			x.Until("[...document.querySelectorAll('.columns rect')].length == 2")
			x.Fits("the pictures")
			testpage.JS[bool](x, "(document.querySelectorAll('.picture details').forEach(d => { d.open = true }), "+
				figure("Files that several changed")+".scrollIntoView(), true)")
			x.Picture(fmt.Sprintf("shared-%d", testpage.JS[int](x, "innerWidth")))
			if got := testpage.JS[string](x,
				figure("Files that several changed")+".querySelector('tbody').innerText"); !strings.Contains(got,
				"login.go\tkim lea\tworktrees of their own") {
				t.Errorf("the table of files has %q", got)
			}
			if got := testpage.JS[string](x,
				figure("Tokens that were used")+".querySelector('tbody').innerText"); !strings.Contains(got,
				"kim\t700\t0") || !strings.Contains(got, "lea\t1,300\t0") {
				t.Errorf("the table of tokens has %q", got)
			}
			x.Clean()
		}
	})
	t.Run("saved", func(t *testing.T) { savesPictures(desk.Of(t)) })
	t.Run("zoomed by two fingers", func(t *testing.T) { pinches(phone.Of(t)) })
}

// figure is the expression of the picture with a title.
func figure(title string) string {
	return fmt.Sprintf("[...document.querySelectorAll('.picture')].find(f => "+
		"f.querySelector('h2').innerText.startsWith(%q))", title)
}

// Each picture is saved as it is drawn, and its numbers as they stand in the table.
func savesPictures(x *testpage.Tab) {
	testpage.JS[bool](x, `(window.saved = {}, window.blobs = {}, (make => { URL.createObjectURL = b =>
	{ const u = make.call(URL, b); window.blobs[u] = b; return u } })(URL.createObjectURL),
		HTMLAnchorElement.prototype.click = function() { window.blobs[this.href].text()
		.then(t => { window.saved[this.download] = t }) }, true)`)
	titles := testpage.JS[[]string](x, "[...document.querySelectorAll('.picture h2')].map(h => h.innerText)")
	if len(titles) != 5 {
		x.Errorf("the pictures are %q", titles)
	}
	for _, title := range titles {
		testpage.JS[bool](x,
			fmt.Sprintf("([...%s.querySelectorAll('figcaption button')].forEach(b => b.click()), true)", figure(title)))
	}

	for name, parts := range map[string][]string{
		"timeline.csv": {"kim,", "lea,"}, "answers.csv": {"answered,agent,seconds"},
		"who-to-whom.csv":  {"from,to,messages,held"},
		"shared-files.csv": {"login.go,kim lea,worktrees of their own,"}, "usage.csv": {",kim,700,0", ",lea,1300,0"},
		"timeline.svg": {"<svg", "kim"}, "shared-files.svg": {"<svg", "login.go", "<circle"},
		"usage.svg": {"<svg", "<rect"},
	} {
		x.Until(fmt.Sprintf("window.saved[%q]", name))
		saved := testpage.JS[string](x, fmt.Sprintf("window.saved[%q]", name))
		for _, part := range parts {
			if !strings.Contains(saved, part) {
				x.Errorf("%s lacks %q:\n%s", name, part, saved)
			}
		}
	}
	x.Clean()
}

// Two fingers that go apart zoom into the place between them, and out again when they come together; one finger does
// not, and scrolls the page as everywhere.
func pinches(x *testpage.Tab) {
	ctx, cancel := context.WithTimeout(x.Ctx, testhome.Patience)
	defer cancel()
	must.Have(chromedp.Call(ctx, page.BringToFront, cdp.Empty{}))(x.T) // one that is not drawn takes no touches
	x.Goes("pictures")
	x.Until("document.querySelector('[data-arrows] rect')")
	testpage.JS[bool](x,
		"(scrollTo(0, 0), window.span = () => document.querySelector('[data-arrows]').getAttribute('aria-label'), "+
			"window.all = window.span(), true)")
	place := testpage.JS[[]float64](x,
		"(r => [r.left + 180, r.top + r.height / 2])(document.querySelector('[data-arrows]').getBoundingClientRect())")
	touch := func(kind input.DispatchTouchEventType, apart ...float64) {
		fingers := []*input.TouchPoint{}
		for i, d := range apart {
			id := float64(i)
			fingers = append(fingers, &input.TouchPoint{X: place[0] + d, Y: place[1], ID: &id})
		}
		must.Have(chromedp.Call(ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind,
			TouchPoints: fingers}))(x.T)
	}
	const farther = "document.querySelector('[aria-label=Zoom] [aria-label=Farther]')"

	touch("touchStart", 0)
	touch("touchMove", 40)
	touch("touchEnd")
	if !testpage.JS[bool](x, farther+".disabled && window.span() === window.all") {
		x.Errorf("one finger zooms: %s", testpage.JS[string](x, "window.span()"))
	}

	touch("touchStart", -20, 20)
	for _, d := range []float64{30, 45, 60, 80} {
		touch("touchMove", -d, d)
	}
	touch("touchEnd")
	x.Until("!" + farther + ".disabled && window.span() !== window.all")
	if scale := testpage.JS[float64](x, "visualViewport.scale"); scale != 1 {
		x.Errorf("the page is zoomed, too: %v", scale)
	}
	x.Picture("timeline-pinched")

	touch("touchStart", -100, 100)
	for _, d := range []float64{60, 30, 12, 5} {
		touch("touchMove", -d, d)
	}
	touch("touchEnd")
	x.Until(farther + ".disabled")
	x.Clean()
}
