package parley

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/plain"
)

// File is a file in the workspace's store. Its content never changes.
type File struct {
	ID        string    `json:"file_id"`
	Name      string    `json:"filename"`
	Size      int64     `json:"size"`
	SHA256    string    `json:"sha256"` // in hexadecimal digits
	SenderID  string    `json:"sender_agent_id,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	// RemovedAt is when the operator deleted the content; nil if it exists.
	RemovedAt *time.Time `json:"removed_at,omitempty"`
}

// maxFileName is the longest name in bytes that common file systems accept.
const maxFileName = 255

// deviceNames are names of devices on Windows, with any extension.
var deviceNames = []string{
	"con", "prn", "aux", "nul",
	"com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// CheckFileName returns an INVALID_ARGUMENT error about the parameter unless name is the
// plain name of a file: without a directory, not hidden, without invisible characters,
// not like an option or like what parley types, and legal on every operating system.
func CheckFileName(parameter, name string) error {
	problem := fileNameProblem(name)
	if problem == "" {
		return nil
	}
	return Errorf(InvalidArgument, "%q cannot be a file's name: it %s", plain.CleanLine(plain.Truncate(name, 100)),
		problem).
		With("parameter", parameter).
		Suggest("Give %s as a plain name of at most %d bytes, such as report.txt.", parameter, maxFileName)
}

// fileNameProblem returns what is wrong with a file's name, or "".
func fileNameProblem(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxFileName:
		return "is too long"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.ContainsAny(name, `/\`):
		return "has a slash"
	case strings.HasPrefix(name, "."):
		return "begins with a dot"
	case strings.HasPrefix(name, "-"):
		return "begins with a dash, as an option of a command does"
	case plain.HasForms(name):
		return "looks as if parley had written it"
	case strings.HasSuffix(name, "."), strings.TrimSpace(name) != name:
		return "begins or ends with a space, or ends with a dot"
	case plain.CleanLine(name) != strings.Join(strings.Fields(name), " "),
		strings.ContainsAny(name, "\t\r\n\v\f\u0085\u2028\u2029"):
		return "has invisible characters"
	case slices.Contains(deviceNames, strings.ToLower(strings.TrimSpace(stem))):
		return "is the name of a device on Windows"
	}

	return ""
}

// TransferFileRequest names a file of the sender and its recipient.
type TransferFileRequest struct {
	Recipient           string `json:"recipient" alias:"recipient_id,to" required:"true" doc:"Name or id of the recipient."`
	SourcePath          string `json:"source_path" alias:"path" required:"true" doc:"Absolute path, in your working directory or the workspace."`
	DestinationFilename string `json:"destination_filename,omitempty" alias:"filename" doc:"Name of the copy; the same by default." filled:"true"`
	Description         string `json:"description,omitempty" doc:"What it is, for the recipient." max:"1000"`
	IdempotencyKey      string `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}

// Validate checks that the path is absolute, and the name of the copy.
func (r *TransferFileRequest) Validate() error {
	if !filepath.IsAbs(r.SourcePath) {
		return Errorf(InvalidArgument, "%q is not an absolute path", plain.CleanLine(plain.Truncate(r.SourcePath,
			200))).
			With("parameter", "source_path").
			Suggest("Give the whole path, starting with /.")
	}
	if r.DestinationFilename == "" {
		return nil
	}
	return CheckFileName("destination_filename", r.DestinationFilename)
}

// UploadFileRequest describes a file whose content is sent in the same request.
type UploadFileRequest struct {
	Filename       string `json:"filename"`
	Recipient      string `json:"recipient,omitempty"` // who is notified; nobody if empty
	Description    string `json:"description,omitempty"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
}

// MaxDescription is the longest description of a file, in characters.
const MaxDescription = 1000

// maxKey is the longest idempotency key, in characters, as the tags of the other requests say.
const maxKey = 200

// Validate checks the name, the description and the key.
func (r *UploadFileRequest) Validate() error {
	if n := utf8.RuneCountInString(r.IdempotencyKey); n > maxKey {
		return Errorf(InvalidArgument, "idempotency_key has %d characters", n).With("parameter", "idempotency_key").
			Suggest("Use %d characters at most.", maxKey)
	}
	if n := len([]rune(r.Description)); n > MaxDescription {
		return Errorf(InvalidArgument, "description has %d characters", n).With("parameter", "description").
			Suggest("Use %d characters at most.", MaxDescription)
	}
	return CheckFileName("filename", r.Filename)
}

// TransferFileResult is the receipt of a file and of the notice to its recipient.
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

// Said says what was done.
func (r *TransferFileResult) Said() string { return r.Message }

// Failure returns the error code if the recipient is terminated, else "".
func (r *TransferFileResult) Failure() Code { return r.ErrorCode }

// FileData says where a file is, and identifies its content.
type FileData struct {
	FileID     string `json:"file_id"`
	ServerPath string `json:"server_path"` // absolute, on the daemon's machine
	Size       int64  `json:"size"`
	SHA256     string `json:"sha256"` // in hexadecimal digits
}

// ListFilesRequest asks for the stored files.
type ListFilesRequest struct {
	Limit int `json:"limit,omitempty" doc:"At most this many." min:"1" max:"1000" default:"100"`
}

// KeptFile is a stored file with its sender and the messages that carry it.
type KeptFile struct {
	File
	Sender   string `json:"sender"`
	Messages int    `json:"messages"` // that carry it
}

// ListFilesResult lists files, the newest first.
type ListFilesResult struct {
	Answer
	Files      []KeptFile `json:"files"`
	TotalCount int        `json:"total_count"`
	// ContentBytes is the size of the stored contents, each counted once. CopyBytes is the
	// additional size of the recipients' copies. FreeBytes is the free space of the disk.
	ContentBytes int64 `json:"content_bytes"`
	CopyBytes    int64 `json:"copy_bytes"`
	FreeBytes    int64 `json:"free_bytes"`
}

// RemoveFilesRequest names the files to delete, by id or by age.
type RemoveFilesRequest struct {
	FileIDs       []string `json:"file_ids,omitempty" alias:"file_id,ids" doc:"Ids of the files, or at least their first 8 characters."`
	OlderThanDays int      `json:"older_than_days,omitempty" doc:"All files that are older than this many days." min:"1" max:"36500"`
}

// Validate checks that either ids or an age are given.
func (r *RemoveFilesRequest) Validate() error {
	if (len(r.FileIDs) == 0) == (r.OlderThanDays == 0) {
		return Errorf(InvalidArgument, "give either file_ids or older_than_days").With("parameter", "file_ids").
			Suggest("Give the ids of the files, which list_files shows, or an age in days.")
	}
	return nil
}

// RemoveFilesResult lists the files that were deleted.
type RemoveFilesResult struct {
	Answer
	Removed []File `json:"removed"`
	Message string `json:"message"`
}

// Said says what was done.
func (r *RemoveFilesResult) Said() string { return r.Message }
