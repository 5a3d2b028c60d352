package files

import (
	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/disk"
)

// Files leave at least reserve bytes of the disk for the database, whose log takes up to
// 16 MB, and for its backups; on a small disk a twentieth of it.
const (
	reserve      = 50 << 20
	reserveShare = 20
)

// spaceEvery is the number of chunks, 16 MB, after which the free space is checked again.
const spaceEvery = 16 << 20 / chunk

// diskSpace returns the free and the total bytes of the disk that holds dir.
func diskSpace(dir string) (free, all int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	block := int64(st.Bsize) // its type depends on the system
	return int64(st.Bavail) * block, int64(st.Blocks) * block, nil
}

// CheckSpace fails with STORAGE_UNAVAILABLE unless the disk has space for a file of size
// bytes, for a recipient's copy of it, and for the reserve.
func (s *Store) CheckSpace(size int64) error {
	if err := s.tooLittle(size); err != nil {
		return s.note(err)
	}
	return nil
}

// tooLittle returns the error of CheckSpace.
func (s *Store) tooLittle(size int64) error {
	free, all, err := s.space(s.contents)
	if err != nil {
		return nil // the write will fail if the disk is full
	}
	if need := 2*size + min(reserve, all/reserveShare); free < need {
		return parley.Errorf(parley.StorageUnavailable,
			"the disk has %d bytes left, and a file of this size needs %d", free, need).
			With("file", s.contents).With("free", free).With("needed", need).
			Suggest("Make room on the disk: parley files shows what files take, " +
				"and parley files prune deletes old ones.")
	}
	return nil
}

// roomNeeded is the room in bytes with which a disk counts as full no more.
const roomNeeded = 256 << 10

// note notes how the storing of a content or a copy ended, for Refusal, and returns that.
func (s *Store) note(err error) error {
	e := parley.AsError(err)
	switch {
	case e == nil:
		s.refused.Store(nil)
	case e.Code == parley.StorageUnavailable:
		s.refused.Store(e)
	}
	return err
}

// Refusal returns why the last file was not stored, nil once there is room for files again.
func (s *Store) Refusal() error {
	e := s.refused.Load()
	if e == nil {
		return nil
	}
	if s.tooLittle(0) == nil && disk.HasRoom(s.contents, roomNeeded) {
		s.refused.CompareAndSwap(e, nil)
		return nil
	}
	return e
}

// Free returns the free bytes of the disk.
func (s *Store) Free() (int64, error) {
	free, _, err := s.space(s.contents)
	return free, failed(s.contents, "asking for the disk's free space", err)
}
