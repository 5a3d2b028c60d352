// Package parley declares what a team of agents is made of that talk through their
// terminals. Each noun has a file with its types and the requests and results of its
// operations: agent, terminal, message, delivery, inbox, thread, conversation, file,
// responder, model, key, event, workspace. The other files have what all of parley shares:
// errors, reasons as codes, and the grammar of what is typed into terminals (header).
//
// The package imports nothing else of the module.
package parley

import "context"

// Service is everything parley does. It has two implementations, the orchestrator (in the
// daemon) and the client (everywhere else), and one test suite runs against both. Package op
// has the operations: op.SendMessage.Call(ctx, service, request).
type Service interface {
	// Do answers an operation: request is a value of its request's type, and result a pointer to
	// its result's. The caller is the one in the context (see WithCaller); errors are *Error where
	// the caller can do something about it.
	//
	// It takes requests that are valid. op.Op.Decode checks each parameter and calls the request's
	// Validate, once, in the process that serves the call; the orchestrator does not check again,
	// and the client leaves it to its daemon. A program that calls the orchestrator in its own
	// process decodes with Op.Decode, or calls Validate itself.
	Do(ctx context.Context, operation string, request any) (result any, err error)
}
