package parley

// Variables in the environment of an agent's program, and of what it starts.
const (
	KeyVariable       = "PARLEY_KEY"      // its API key, or that of whoever runs a command
	WorkspaceVariable = "PARLEY_DIR"      // the directory of its workspace
	AgentVariable     = "PARLEY_AGENT"    // its name
	SocketVariable    = "PARLEY_SOCKET"   // its own socket: who calls by it is that agent
	AgentIDVariable   = "PARLEY_AGENT_ID" // its id, by which what belongs to it is known
)
