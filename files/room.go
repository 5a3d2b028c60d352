package files

import (
	"golang.org/x/sys/unix"

	"parley"
)

// reserve is what files leave of the disk for the database, whose log takes up to 16 MB,
// and its copies; of a small disk a twentieth.
const (
	reserve      = 50 << 20
	reserveShare = 20
)

// roomEvery is after how many chunks, which are 16 MB, it is looked whether there is
// still room.
const roomEvery = 16 << 20 / chunk

func space(dir string) (free, all int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	block := int64(st.Bsize) // of other types on other systems
	return int64(st.Bavail) * block, int64(st.Blocks) * block, nil
}

// Room returns nil when the disk has room for a file of so many bytes and a recipient's
// copy of it, and something is left: else STORAGE_UNAVAILABLE.
func (s *Store) Room(size int64) error {
	free, all, err := s.space(s.contents)
	if err != nil {
		return nil // what cannot be told is seen when it is written
	}
	if need := 2*size + min(reserve, all/reserveShare); free < need {
		return parley.Errorf(parley.StorageUnavailable, "the disk has %d bytes left, and a file of this size needs %d", free, need).
			With("file", s.contents).
			With("free", free).
			With("needed", need).
			Suggest("Make room on the disk; the operator sees what files take with parley files, and deletes old ones with parley files prune.")
	}
	return nil
}

// Free is how much room the disk has left.
func (s *Store) Free() (int64, error) {
	free, _, err := s.space(s.contents)
	return free, failed(s.contents, "asking for the disk's free space", err)
}
