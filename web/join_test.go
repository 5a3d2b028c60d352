package web

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// Whatever way a module names what it takes and gives, its function does so too.
func TestModulesAreJoined(t *testing.T) {
	sources := map[string][]byte{
		"main.js": []byte("// @ts-check\nimport {a, b as c} from './one.js';\nimport two from './npm/two.js';\n" +
			"import {early} from './early.js';\n/** @param {number} n */\nexport function sum(n) { return n + a + " +
			"c + two + early; }\n" +
			"export const link = 'https://x'; // kept\n"),
		"one.js": []byte("/**\n * Many lines.\n */\nexport const a = 1;\nconst hidden = 2;\nexport {hidden as " +
			"b};\nexport class C {}\nexport async function d() {}\n"),
		"npm/two.js": []byte("import{a as n}from\"../one.js\";export{b as bb}from\"../one.js\";export default " +
			"function(){return n}"),
		"views.js": []byte("export {a, sum} from './more.js';\n"),
		"more.js":  []byte("import {sum} from './main.js';\nimport {a} from './one.js';\nexport {a, sum};\n"),
	}
	first := must.Have(join(sources, "main.js", nil, "early.js"))(t)
	want := `import * as $early from './early.js';
const $one = (() => {
const a = 1;
const hidden = 2;

class C {}
async function d() {}
return {b: hidden, a, C, d};
})();
const $npm_two = (() => {
const {a: n} = $one;const $default = function(){return n}
return {bb: $one.b, default: $default};
})();
const $main = (() => {
const {a: a, b: c} = $one;
const two = $npm_two.default;
const {early: early} = $early;
function sum(n) { return n + a + c + two + early; }
const link = 'https://x'; // kept
return {sum, link};
})();
export {$one, $npm_two, $main};
`
	if got := blank.ReplaceAllString(string(first.text), "\n"); got != blank.ReplaceAllString(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	others := must.Have(join(sources, "views.js", first, "early.js"))(t)
	if !slices.Equal(others.modules, []string{"more.js", "views.js"}) ||
		!strings.Contains(string(others.text), "import {$one, $npm_two, $main} from './main.js';") {
		t.Errorf("the others take %v from the first:\n%s", others.modules, others.text)
	}
}

var blank = regexp.MustCompile(`\n+`)

// What would be another program once it is joined is refused.
func TestWhatCannotBeJoinedIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"a variable, which others would see as it was": "export let a = 1;\n",
		"everything of another":                        "import * as all from './one.js';\n",
		"a module for what it does":                    "import './one.js';\n",
		"itself by way of another":                     "import {a} from './circle.js';\n",
		"a module that is not there":                   "import {a} from './none.js';\n",
		"all names passed on":                          "export * from './one.js';\n",
	} {
		sources := map[string][]byte{
			"main.js": []byte(text), "one.js": []byte("export const a = 1;\n"),
			"circle.js": []byte("import {b} from './main.js';\nexport const a = b;\n"),
		}
		if b, err := join(sources, "main.js", nil); err == nil {
			t.Errorf("%s: joined to\n%s", name, b.text)
		}
	}
}

// A comment never takes code with it.
func TestOnlyCommentsGo(t *testing.T) {
	for source, want := range map[string]string{
		"/** @type {string} */ let a = 1; /* kept */\n":           "let a = 1; /* kept */\n",
		"/** One. */\nlet a = '**/';\n/** Two. */\nlet b;\n":      "let a = '**/';\nlet b;\n",
		"  // gone\nlet a = 'https://x'; // kept\n":               "let a = 'https://x'; // kept\n",
		"/**\n * @param {a} x\n * @returns {b}\n */\nlet a;\n":    "let a;\n",
		"f((/** @type {any} */ x) => x / 2 / 3, /[/*]/, 'a*/')":   "f((x) => x / 2 / 3, /[/*]/, 'a*/')",
		"/** @type {A} */ let a = 1; let b = 2; /** @type {B} */": "let a = 1; let b = 2; ",
		"let a = `\n/* one\n`; let b = 2;\nlet c = '*/';\n":       "let a = `\n/* one\n`; let b = 2;\nlet c = '*/';\n",
	} {
		if got := string(bare([]byte(source))); got != want {
			t.Errorf("%q became %q, want %q", source, got, want)
		}
	}
}
