package parley

// The values of the setting native_messages: what becomes of a message that an agent's program sends to
// another agent with a tool of its own, and not through parley.
const (
	NativeRefuse = "refuse" // it is not sent, and the model learns which tool to use
	NativeRecord = "record" // it is judged as a message of parley's, recorded and sent
	NativeAllow  = "allow"  // parley does not look
)

// NativeMessageRequest describes a message that a program is about to send with a tool of its own.
type NativeMessageRequest struct {
	Tool     string   `json:"tool" required:"true" doc:"The program's own tool." max:"100"`
	To       string   `json:"to" required:"true" doc:"To whom, as the tool has it." max:"4096"`
	Text     string   `json:"text,omitempty" doc:"What it says."`
	Sessions []string `json:"sessions,omitempty" doc:"The ids of the sessions that this may mean." max:"50"`
	PIDs     []int    `json:"pids,omitempty" doc:"The processes of these sessions." max:"50"`
}

// NativeMessageResult says whether the program may send the message.
type NativeMessageResult struct {
	Answer
	Allowed   bool   `json:"allowed"`
	Message   string `json:"message,omitempty"`    // why not, and what to do instead: for the model
	MessageID string `json:"message_id,omitempty"` // under which it is recorded
}
