// Package agents tries parley with real agent programs and a scripted model:
// what each program must pass at every terminal size, and deliveries at random.
// `make agents` runs all of it and writes docs/measured/agents.md; `make real` runs the
// short form. Everything is in the package's tests.
package agents
