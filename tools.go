package parley

import "encoding/json"

// Tool is an operation as the chat interfaces of model servers want it: an
// element of their `tools`, to be passed on as it is.
type Tool struct {
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// Function is what a model reads of a tool.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON schema of an object
}

// ToolsResult is the list of tools that a caller may use.
type ToolsResult struct {
	Answer
	Tools []Tool `json:"tools"`
}

// ForModels reports whether models are offered the operation: not what is the
// operator's alone, and not what only programs call.
func (o *Op) ForModels() bool { return o.Access != OperatorOnly && !o.Program }

// ToolsFor returns the tools that the caller may use.
func ToolsFor(c Caller) []Tool {
	tools := []Tool{}
	for _, o := range Ops {
		if o.ForModels() && o.Allow(c) == nil {
			tools = append(
				tools,
				Tool{
					Type:     "function",
					Function: Function{Name: o.Name, Description: o.Summary, Parameters: o.parameters()},
				},
			)
		}
	}

	return tools
}

// parameters is the input schema. It has `properties` even where there are none:
// without them some model servers refuse a function.
func (o *Op) parameters() json.RawMessage {
	if len(o.Fields) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	b, err := json.Marshal(o.Input)
	if err != nil {
		panic(err) // our own schema: the first test that runs finds it
	}
	return b
}
