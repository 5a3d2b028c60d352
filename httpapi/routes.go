package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"parley"
	"parley/op"
	"parley/plain"
)

const (
	prefix    = "/api/"
	filesPath = prefix + "files"
)

// routes finds an operation by path and method.
type routes map[string]map[string]*op.Op

func routesOf(ops []*op.Op) routes {
	rs := routes{}
	add := func(method, path string, o *op.Op) {
		if rs[path] == nil {
			rs[path] = map[string]*op.Op{}
		}
		rs[path][method] = o
	}

	for _, op := range ops {
		for _, r := range routesOfOp(op) {
			add(r.Method, r.Path, op)
		}
	}

	return rs
}

// routesOfOp returns an operation's routes: the regular ones first.
func routesOfOp(o *op.Op) []op.Route {
	list := []op.Route{{Method: http.MethodPost, Path: prefix + o.Name}}
	if o.Effect == op.Reads {
		list = append(list, op.Route{Method: http.MethodGet, Path: prefix + o.Name})
	}
	return append(list, o.Routes...)
}

// find returns the operation of a request. A HEAD counts as a GET.
func (rs routes) find(w http.ResponseWriter, r *http.Request) (*op.Op, error) {
	methods, ok := rs[r.URL.Path]
	if !ok {
		return nil, rs.notFound(r.URL.Path)
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if op, ok := methods[method]; ok {
		return op, nil
	}
	return nil, wrongMethod(w, r, slices.Sorted(maps.Keys(methods))...)
}

func wrongMethod(w http.ResponseWriter, r *http.Request, methods ...string) error {
	allowed := strings.Join(methods, ", ")
	w.Header().Set("Allow", allowed)
	return &refusal{http.StatusMethodNotAllowed,
		parley.Errorf(
			parley.InvalidArgument, "%s takes no %s", plain.CleanLine(r.URL.Path), plain.CleanLine(r.Method),
		).Suggest("Use %s.", allowed),
	}
}

// notFound returns the error for an unknown path, with the nearest known one.
func (rs routes) notFound(path string) error {
	e := parley.Errorf(parley.InvalidArgument, "there is nothing at %s", plain.CleanLine(path))
	known := slices.Sorted(maps.Keys(rs))
	words := make([]string, len(known))
	for i, path := range known {
		words[i] = strings.TrimPrefix(path, prefix)
	}

	word := strings.ReplaceAll(strings.Trim(strings.TrimPrefix(path, prefix), "/"), "-", "_")
	if near := plain.Nearest(word, words); near != "" {
		return &refusal{http.StatusNotFound, e.Suggest("Did you mean %s%s?", prefix, near)}
	}

	return &refusal{
		http.StatusNotFound,
		e.With("paths", known).Suggest("Call POST %s<operation>, e.g. %ssend_message.", prefix, prefix),
	}
}

func (a *api) serveNotFound(w http.ResponseWriter, r *http.Request) {
	a.fail(w, r, a.routes.notFound(r.URL.Path))
}
