// Command page joins the modules of web/static and web/npm into web/built, which is committed and served.
//
//	go -C build/tools run ./page ../../web
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: page WEB [DIR]")
		os.Exit(2)
	}

	web, err := filepath.Abs(os.Args[1])
	dir := filepath.Join(web, "built")
	if len(os.Args) == 3 && err == nil {
		dir, err = filepath.Abs(os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}

	if res := build(web, dir); len(res.Errors) > 0 {
		os.Exit(1) // esbuild has printed them
	}
}

// build joins what the first view needs in main.js and what the others need in views.js; shared.js has what both do. A
// browser asks for early.js at once, and for xterm.js only when a wide terminal is opened, so these stay apart.
func build(web, dir string) api.BuildResult {
	apart := api.Plugin{Name: "apart", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^\./(early|views|npm/xterm)\.js$`},
			func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				if args.Kind == api.ResolveEntryPoint {
					return api.OnResolveResult{}, nil
				}
				return api.OnResolveResult{Path: args.Path, External: true}, nil
			})
		b.OnResolve(api.OnResolveOptions{Filter: `/npm/`},
			func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: filepath.Join(web, args.Path)}, nil
			})
	}}

	return api.Build(api.BuildOptions{
		AbsWorkingDir: filepath.Join(web, "static"),
		EntryPoints:   []string{"main.js", "views.js", "early.js", "worker.js", "xterm-frame.js", "shell.css", "page.css"},
		Outdir:        dir,
		Write:         true,
		Bundle:        true,
		Splitting:     true,
		Format:        api.FormatESModule,
		ChunkNames:    "shared",
		Charset:       api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone, // each licence is a file
		Target:        api.ESNext,
		Plugins:       []api.Plugin{apart},
		LogLevel:      api.LogLevelWarning,
	})
}
