package web

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// bundle is modules joined into one. A browser that asks for each by itself waits for the line again and again, and for
// six at most at one time. Each becomes a function that returns what it exports, in the order in which they need each
// other; the bundle exports that under the module's handle.
type bundle struct {
	path    string   // beside its entry, such as main.js
	modules []string // in the order in which they run
	text    []byte
}

var (
	importing  = regexp.MustCompile(`\bimport *([\w$]+|\{[^}]*\}) *from *["']([^"']+)["'];?`)
	passingOn  = regexp.MustCompile(`\bexport *\{([^}]*)\} *from *["']([^"']+)["'];?`)
	exporting  = regexp.MustCompile(`\bexport *\{([^}]*)\};?`)
	standing   = regexp.MustCompile(`\bexport default `)
	declared   = regexp.MustCompile(`(?m)^export ((?:async function|function|class|const) ([\w$]+))`)
	casts      = regexp.MustCompile(`/\*\* ?@(?:[^*]|\*+[^*/])*\*+/ ?`)
	paragraphs = regexp.MustCompile(`(?m)^[ \t]*/\*(?:[^*]|\*+[^*/])*\*+/[ \t]*\n`)
	remarks    = regexp.MustCompile(`(?m)^[ \t]*//[^\n]*\n`)
	unjoined   = regexp.MustCompile(`(?m)^(?:import|export)\b[^(\n]*`)
)

// joiner joins modules. Those that stand alone are imported as they are, because they run before the others.
type joiner struct {
	sources map[string][]byte // by their path
	alone   []string
	shared  *bundle // whose modules are imported from there

	order  []string
	within map[string]bool // the modules that are being joined, false once they are
	out    strings.Builder
}

// join returns an entry with all that it imports.
func join(sources map[string][]byte, entry string, shared *bundle, alone ...string) (*bundle, error) {
	j := &joiner{sources: sources, alone: alone, shared: shared, within: map[string]bool{}}
	if err := j.add(entry); err != nil {
		return nil, err
	}

	var text strings.Builder
	for _, name := range alone {
		fmt.Fprintf(&text, "import * as %s from './%s';\n", handle(name), name)
	}
	if shared != nil {
		fmt.Fprintf(&text, "import {%s} from './%s';\n", handles(shared.modules), shared.path)
	}
	text.WriteString(j.out.String())
	fmt.Fprintf(&text, "export {%s};\n", handles(j.order))

	return &bundle{path: entry, modules: j.order, text: []byte(text.String())}, nil
}

// handle names a module's exports among those of others.
func handle(name string) string {
	return "$" + strings.NewReplacer("/", "_", "-", "_").Replace(strings.TrimSuffix(name, ".js"))
}

func handles(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, handle(name))
	}
	return strings.Join(all, ", ")
}

// add joins a module, after those that it imports.
func (j *joiner) add(name string) error {
	running, known := j.within[name]
	switch {
	case running:
		return fmt.Errorf("%s imports itself by way of others", name)
	case known, slices.Contains(j.alone, name), j.shared != nil && slices.Contains(j.shared.modules, name):
		return nil
	}
	source, ok := j.sources[name]
	if !ok {
		return fmt.Errorf("there is no %s to join", name)
	}

	j.within[name] = true
	text := string(bare(source))
	for _, pattern := range []*regexp.Regexp{passingOn, importing} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			if err := j.add(path.Join(path.Dir(name), m[2])); err != nil {
				return err
			}
		}
	}
	j.within[name] = false

	body, exports := asFunction(path.Dir(name), text)
	if left := unjoined.FindString(body); left != "" {
		return fmt.Errorf("%s has %q, which is not joined", name, left)
	}
	fmt.Fprintf(&j.out, "const %s = (() => {\n%s\nreturn {%s};\n})();\n", handle(name), strings.TrimSpace(body),
		strings.Join(exports, ", "))
	j.order = append(j.order, name)

	return nil
}

// asFunction returns the body of the function that a module in a directory becomes, and the fields of what it returns.
func asFunction(dir, text string) (body string, exports []string) {
	text = each(passingOn, text, func(m []string) string {
		for _, pair := range pairs(m[1]) {
			exports = append(exports, fmt.Sprintf("%s: %s.%s", pair[1], handle(path.Join(dir, m[2])), pair[0]))
		}
		return ""
	})
	text = each(importing, text, func(m []string) string {
		from := handle(path.Join(dir, m[2]))
		if !strings.HasPrefix(m[1], "{") {
			return fmt.Sprintf("const %s = %s.default;", m[1], from)
		}
		var taken []string
		for _, pair := range pairs(strings.Trim(m[1], "{}")) {
			taken = append(taken, pair[0]+": "+pair[1])
		}
		return fmt.Sprintf("const {%s} = %s;", strings.Join(taken, ", "), from)
	})

	text = each(exporting, text, func(m []string) string {
		for _, pair := range pairs(m[1]) {
			exports = append(exports, pair[1]+": "+pair[0])
		}
		return ""
	})
	text = each(declared, text, func(m []string) string {
		exports = append(exports, m[2])
		return m[1]
	})
	text = each(standing, text, func([]string) string {
		exports = append(exports, "default: $default")
		return "const $default = "
	})

	return text, exports
}

// each replaces what a pattern matches by what a function makes of its groups.
func each(pattern *regexp.Regexp, text string, replace func(groups []string) string) string {
	return pattern.ReplaceAllStringFunc(text,
		func(found string) string { return replace(pattern.FindStringSubmatch(found)) })
}

// pairs are the names of a clause such as "a, b as c": each with the one that it gets.
func pairs(clause string) (all [][2]string) {
	for part := range strings.SplitSeq(clause, ",") {
		f := strings.Fields(part)
		switch {
		case len(f) == 1:
			all = append(all, [2]string{f[0], f[0]})
		case len(f) == 3 && f[1] == "as":
			all = append(all, [2]string{f[0], f[2]})
		}
	}
	return all
}

// bare takes the comments off that stand in lines of their own, and those that name types.
func bare(source []byte) []byte {
	for _, pattern := range []*regexp.Regexp{casts, paragraphs, remarks} {
		source = pattern.ReplaceAll(source, nil)
	}
	return source
}
