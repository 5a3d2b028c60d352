package parley

import (
	"path/filepath"
	"time"
)

// TransferFileRequest names a file of the sender's and who is to get it.
type TransferFileRequest struct {
	Recipient           string `json:"recipient" alias:"recipient_id,to" required:"true" doc:"Name or id of who is to get it."`
	SourcePath          string `json:"source_path" alias:"path" required:"true" doc:"Its absolute path, in your working directory or the workspace."`
	DestinationFilename string `json:"destination_filename,omitempty" alias:"filename" doc:"What the copy is called; the same if left out." filled:"true"`
	Description         string `json:"description,omitempty" doc:"What it is, for the recipient." max:"1000"`
	IdempotencyKey      string `json:"idempotency_key,omitempty" doc:"Sending again with the same key changes nothing." max:"200"`
}

// Validate checks the path's form and the name.
func (r *TransferFileRequest) Validate() error {
	if !filepath.IsAbs(r.SourcePath) {
		return Errorf(
			InvalidArgument,
			"%q is not an absolute path",
			CleanLine(Truncate(r.SourcePath, 200)),
		).With("parameter", "source_path").
			Suggest("Give the whole path, from / on.")
	}
	if r.DestinationFilename == "" {
		return nil
	}
	return CheckFileName("destination_filename", r.DestinationFilename)
}

// UploadFileRequest says what is known of a file whose content is sent along.
type UploadFileRequest struct {
	Filename       string `json:"filename"`
	Recipient      string `json:"recipient,omitempty"` // who is told of it; nobody if empty
	Description    string `json:"description,omitempty"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
}

// MaxDescription is how many characters the description of a file may have, as the
// parameter of transfer_file.
const MaxDescription = 1000

// Validate checks the name and the description.
func (r *UploadFileRequest) Validate() error {
	if n := len([]rune(r.Description)); n > MaxDescription {
		return Errorf(InvalidArgument, "description has %d characters", n).With("parameter", "description").
			Suggest("Use %d characters at most.", MaxDescription)
	}
	return CheckFileName("filename", r.Filename)
}

// TransferFileResult is the receipt of a file, and of the message that tells its
// recipient.
type TransferFileResult struct {
	Answer
	Filename       string         `json:"filename"`
	MessageID      string         `json:"message_id,omitempty"` // of the notice; none for an upload without a recipient
	Timestamp      time.Time      `json:"timestamp"`
	Message        string         `json:"message"` // what was done, in a sentence
	Data           FileData       `json:"data"`
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
	Deliveries     []Delivery     `json:"deliveries"`
	ErrorCode      Code           `json:"error_code,omitempty"` // set when success is false
	Action         string         `json:"suggested_action,omitempty"`
}

// Failure returns the code of an answer that tells of a failure: a recipient that
// is terminated. It is "" otherwise.
func (r *TransferFileResult) Failure() Code { return r.ErrorCode }

// FileData is where a file is and how to know it.
type FileData struct {
	FileID     string `json:"file_id"`
	ServerPath string `json:"server_path"` // absolute, on the daemon's machine
	Size       int64  `json:"size"`
	SHA256     string `json:"sha256"` // in hexadecimal digits
}
