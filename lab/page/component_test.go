package page

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"

	"parley/internal/must"
)

// The page's modules without a browser: testdata/*.test.js act on a document and a clock of their own. What needs a
// browser, such as sizes, keys, storage and policies, is tested in one, by cmd/parley.
func TestComponents(t *testing.T) {
	t.Parallel()
	for _, file := range must.Have(filepath.Glob("testdata/*.test.js"))(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test.js"), func(t *testing.T) {
			t.Parallel()
			program := joined(t, file)
			for _, name := range newPage(t, program).names() {
				t.Run(name, func(t *testing.T) { newPage(t, program).plays(name) })
			}
		})
	}
}

// joined is the script of a file with all that it imports.
func joined(t *testing.T, file string) *goja.Program {
	early := api.Plugin{Name: "early", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `/early\.js$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: must.Have(filepath.Abs("testdata/early.js"))(t)}, nil
		})
		b.OnResolve(api.OnResolveOptions{Filter: `/npm/`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: filepath.Join(must.Have(filepath.Abs("../../web"))(t), args.Path)}, nil
		})
	}}
	res := api.Build(api.BuildOptions{
		EntryPoints: []string{file}, Bundle: true, Format: api.FormatIIFE, Target: api.ES2017, Plugins: []api.Plugin{early},
		Define:    map[string]string{"import.meta.url": `"http://127.0.0.1/page/aaaa/main.js"`},
		Supported: map[string]bool{"dynamic-import": false}, LogLevel: api.LogLevelError,
	})
	if len(res.Errors) > 0 {
		t.Fatal(res.Errors[0].Text)
	}
	return must.Have(goja.Compile(file, string(res.OutputFiles[0].Contents), false))(t)
}

// scriptPage is a page in a script engine, whose time goes on when nothing else is to be done.
type scriptPage struct {
	*testing.T
	vm    *goja.Runtime
	tests map[string]goja.Callable
	order []string
}

// mostTime is how much of the page's time a test may take, and mostReal how much of ours.
const (
	mostTime = 5 * time.Hour
	mostReal = time.Minute
)

func newPage(t *testing.T, program *goja.Program) *scriptPage {
	p := &scriptPage{T: t, vm: goja.New(), tests: map[string]goja.Callable{}}
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	p.vm.SetTimeSource(func() time.Time { return now })
	must.Do(t, p.vm.Set("setTime", func(ms int64) { now = time.UnixMilli(ms) }))
	must.Do(t, p.vm.Set("test", func(name string, f goja.Callable) {
		p.tests[name], p.order = f, append(p.order, name)
	}))
	must.Do(t, p.vm.Set("console", map[string]any{"error": t.Error, "log": t.Log}))
	must.Have(p.vm.RunProgram(program))(t)
	return p
}

func (p *scriptPage) names() []string { return p.order }

// plays runs a test to its end.
func (p *scriptPage) plays(name string) {
	real := time.Now()
	untaken := map[*goja.Promise]bool{}
	p.vm.SetPromiseRejectionTracker(func(of *goja.Promise, does goja.PromiseRejectionOperation) {
		untaken[of] = does == goja.PromiseRejectionReject
	})
	begun := must.Have(p.vm.RunString("Date.now()"))(p.T).ToInteger()
	done := must.Have(p.tests[name](goja.Undefined()))(p.T).Export().(*goja.Promise)
	runNext, _ := goja.AssertFunction(p.vm.Get("runNext"))
	for done.State() == goja.PromiseStatePending {
		more, err := runNext(goja.Undefined())
		spent := time.Duration(must.Have(p.vm.RunString("Date.now()"))(p.T).ToInteger()-begun) * time.Millisecond
		switch {
		case err != nil:
			p.Fatal(err)
		case !more.ToBoolean() || spent > mostTime || time.Since(real) > mostReal:
			p.Fatalf("it waits for ever, after %v of its time", spent)
		}
	}
	untaken[done] = done.State() == goja.PromiseStateRejected
	for of, is := range untaken {
		if is {
			p.Error(of.Result().ToObject(p.vm).Get("stack"))
		}
	}
}
