// Package demoagent is a scripted agent that behaves like an agent CLI: it has a
// composer in its terminal, takes framed pastes, thinks, asks for permission, and talks
// to the team as an MCP client. The demo and the tests run it; it uses no model. The
// profile `demo` describes its screen.
package demoagent
