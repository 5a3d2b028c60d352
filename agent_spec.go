package parley

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"parley/plain"
)

// AgentSpec is how an agent is described, what it may do and how it runs. Whoever launches or adopts it says so, the
// agent keeps it, and it can be changed while the agent runs, or by a restart where a field says so. Its tags are all
// that a request, a file, a flag and a comparison need to know of a field.
type AgentSpec struct {
	Description      string   `json:"description,omitempty" yaml:"description" doc:"Its purpose, in a sentence." max:"2000"`
	Role             string   `json:"role,omitempty" yaml:"role" doc:"Its role in the team." max:"100"`
	Capabilities     []string `json:"capabilities,omitempty" yaml:"capabilities" flag:"capability" doc:"What it can do: words or short phrases." max:"50"`
	Groups           []string `json:"groups,omitempty" yaml:"groups" flag:"group" doc:"Its groups." max:"50"`
	Orchestrate      bool     `json:"orchestrate,omitempty" yaml:"orchestrate" doc:"Let it launch and stop other agents."`
	Interruptible    bool     `json:"interruptible,omitempty" yaml:"interruptible" doc:"Let urgent messages interrupt its work, and end copy mode in its terminal."`
	ResumeAfterLimit bool     `json:"resume_after_limit,omitempty" yaml:"resume_after_limit" doc:"Type what waits for it once a usage limit has ended, if its program says when."`
	Door             string   `json:"door,omitempty" yaml:"door" doc:"When its messages go through its program's door, and not through its terminal: when_held where they would wait there. If left out, that, with versions of the program with which the door was tried." enum:"never,when_held,always"`
	Sandbox          *bool    `json:"sandbox,omitempty" yaml:"sandbox" doc:"Run a program that parley launches behind a boundary that the kernel keeps: it sees its own directory, its program, a private home and its own socket. Left out, it is as the settings or its profile say of all; only the operator says false to that." means:"restart"`
	Network          string   `json:"network,omitempty" yaml:"network" doc:"The network of its sandbox; shared if left out." enum:"shared,none" means:"restart"`
	Read             []string `json:"read,omitempty" yaml:"read" doc:"Absolute paths that it may read in its sandbox too." max:"50" means:"restart"`
	Write            []string `json:"write,omitempty" yaml:"write" doc:"Absolute paths that it may write in its sandbox too." max:"50" means:"restart"`
	Nice             int      `json:"nice,omitempty" yaml:"nice" doc:"How much a program that parley launches yields to other work on its machine: 0 to 19, as for nice." min:"0" max:"19" means:"restart"`
}

// Sandboxed reports whether its program runs in a sandbox.
func (s AgentSpec) Sandboxed() bool { return s.Sandbox != nil && *s.Sandbox }

// CleanSpec returns a spec whose texts are safe in headers and on screens.
func CleanSpec(s AgentSpec) AgentSpec {
	s.Description, s.Role = plain.CleanLabel(s.Description), plain.CleanLabel(s.Role)
	s.Capabilities, s.Groups = plain.CleanLabels(s.Capabilities), plain.CleanLabels(s.Groups)
	return s
}

// SpecField is one field of an AgentSpec.
type SpecField struct {
	Name  string // as in JSON
	Flag  string // of a command line, without the dashes
	Value any    // a *string, *int, *bool, **bool or *[]string, through which it changes
	Means Means  // of a change while the agent runs
}

// SpecFields returns the fields of a spec in their order.
func SpecFields(s *AgentSpec) (all []SpecField) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name, _, _ := strings.Cut(tag.Get("json"), ",")
		flag, ok := tag.Lookup("flag")
		if !ok {
			flag = strings.ReplaceAll(name, "_", "-")
		}
		means := cmp.Or(Means(tag.Get("means")), InPlace)
		all = append(all, SpecField{Name: name, Flag: flag, Value: v.Field(i).Addr().Interface(), Means: means})
	}
	return all
}

// Text returns the value of the field for people.
func (f SpecField) Text() string {
	switch v := f.Value.(type) {
	case *bool:
		if *v {
			return "yes"
		}
		return "no"
	case **bool:
		return SpecField{Value: cmp.Or(*v, new(bool))}.Text()
	case *[]string:
		return strings.Join(*v, ", ")
	}
	return fmt.Sprint(reflect.ValueOf(f.Value).Elem())
}

// Variables in the environment of an agent's program, and of what it starts.
const (
	KeyVariable       = "PARLEY_KEY"      // its API key, or that of whoever runs a command
	WorkspaceVariable = "PARLEY_DIR"      // the directory of its workspace
	AgentVariable     = "PARLEY_AGENT"    // its name
	SocketVariable    = "PARLEY_SOCKET"   // its own socket: who calls by it is that agent
	AgentIDVariable   = "PARLEY_AGENT_ID" // its id, by which what belongs to it is known
)
