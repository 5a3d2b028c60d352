// Package demoagent is a scripted agent that behaves as an agent CLI does: it has a
// composer in its terminal, takes framed pastes, thinks, asks for permission, and
// talks to the team as an MCP client. The demo and the tests run it; no model is
// behind it. What its screen looks like is known to the profile `demo`.
package demoagent
