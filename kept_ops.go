package parley

// ListFilesRequest asks what is kept.
type ListFilesRequest struct {
	Limit int `json:"limit,omitempty" doc:"How many at most." min:"1" max:"1000" default:"100"`
}

// KeptFile is a file, and what is known of it beside.
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
	// ContentBytes is what the files hold, each content once; CopyBytes is what their
	// recipients' copies take beside it; FreeBytes is what the disk has left.
	ContentBytes int64 `json:"content_bytes"`
	CopyBytes    int64 `json:"copy_bytes"`
	FreeBytes    int64 `json:"free_bytes"`
}

// RemoveFilesRequest names files, or an age.
type RemoveFilesRequest struct {
	FileIDs       []string `json:"file_ids,omitempty" alias:"file_id,ids" doc:"Ids of the files, or at least their first 8 characters."`
	OlderThanDays int      `json:"older_than_days,omitempty" doc:"All that came before so many days." min:"1" max:"36500"`
}

// Validate wants one of the two.
func (r *RemoveFilesRequest) Validate() error {
	if (len(r.FileIDs) == 0) == (r.OlderThanDays == 0) {
		return Errorf(InvalidArgument, "want either file_ids or older_than_days").With("parameter", "file_ids").
			Suggest("Give the ids of the files, which list_files shows, or an age in days.")
	}
	return nil
}

// RemoveFilesResult says what was deleted.
type RemoveFilesResult struct {
	Answer
	Removed []File `json:"removed"`
	Message string `json:"message"`
}
