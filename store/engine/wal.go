package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"parley/internal/disk"
)

// SQLite reads a write-ahead log up to its first damaged frame, and drops the rest when it next writes. So parley
// looks at the log before SQLite does. Its form is described in sqlite.org/fileformat2.html#walformat.

const (
	logHeader   = 32
	frameHeader = 24
	defaultPage = 4096
	logMagic    = 0x377f0682 // the lowest bit says that the words of checksums are big-endian
)

// LogSalts are two numbers in the header of a log, which its frames repeat. With each new beginning of the log the
// first rises by one, and the second changes at random. 0 stands for a log that is not known, or has no header.
type LogSalts uint64

// FollowedBy reports whether a log may be this one, or this one after it has begun again some times.
func (s LogSalts) FollowedBy(next LogSalts) bool {
	const often = 1 << 16
	return s == 0 || next == s || uint32(next>>32)-uint32(s>>32) < often && uint32(next>>32) != uint32(s>>32)
}

// logFile is a write-ahead log that is open for reading.
type logFile struct {
	*os.File
	order binary.ByteOrder // of the words in checksums
	page  int
	salts LogSalts
	sum   checksum // of the header
	valid bool     // the header is
}

// checksum is that of a log's header or frame. It begins with that of what is before it.
type checksum [2]uint32

func (c checksum) of(order binary.ByteOrder, bytes []byte) checksum {
	for i := 0; i+8 <= len(bytes); i += 8 {
		c[0] += order.Uint32(bytes[i:]) + c[1]
		c[1] += order.Uint32(bytes[i+4:]) + c[0]
	}
	return c
}

func checksumAt(bytes []byte) checksum {
	return checksum{binary.BigEndian.Uint32(bytes), binary.BigEndian.Uint32(bytes[4:])}
}

// openLog opens the log of the database at path, nil if there is none. SQLite takes one without a valid header for an
// empty one; what its frames are like is then concluded from the second.
func openLog(path string) (*logFile, error) {
	f, err := os.Open(path + "-wal")
	if err != nil {
		return nil, disk.IgnoreMissing(err)
	}

	l, header := &logFile{File: f, order: binary.LittleEndian}, make([]byte, logHeader)
	if _, err := io.ReadFull(f, header); err != nil {
		return nil, errors.Join(ignoreShort(err), f.Close())
	}
	if header[3]&1 != 0 {
		l.order = binary.BigEndian
	}
	l.page, l.salts = int(binary.BigEndian.Uint32(header[8:])), LogSalts(binary.BigEndian.Uint64(header[16:]))
	l.sum = checksum{}.of(l.order, header[:24])
	l.valid = binary.BigEndian.Uint32(header)&^1 == logMagic && l.sum == checksumAt(header[24:])
	if l.valid {
		return l, nil
	}

	l.order, l.page = binary.LittleEndian, defaultPage
	if _, err := f.ReadAt(header, logHeader+frameHeader+defaultPage); err != nil {
		return nil, errors.Join(ignoreShort(err), f.Close())
	}
	l.salts = LogSalts(binary.BigEndian.Uint64(header[8:]))

	return l, nil
}

func ignoreShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// SaltsOf returns the salts of a database's log, 0 if that has no frame.
func SaltsOf(path string) (LogSalts, error) {
	l, err := openLog(path)
	if l == nil {
		return 0, err
	}
	defer l.Close()

	frame := make([]byte, l.page+frameHeader)
	if _, err := l.ReadAt(frame, logHeader); err != nil {
		return 0, ignoreShort(err)
	}
	if !l.valid || LogSalts(binary.BigEndian.Uint64(frame[8:])) != l.salts {
		return 0, nil
	}

	return l.salts, nil
}

// MendLog writes what a database and the whole frames of its log hold to a new file. SQLite reads no frame behind a
// damaged one: its checksum begins with that one's. But that is written in the damaged one, so each frame can be
// checked for itself. It writes nothing, and returns false, if SQLite reads all that.
func MendLog(path, to string) (mended bool, err error) {
	l, err := openLog(path)
	if l == nil {
		return false, err
	}
	defer l.Close()

	alone := !HasHeader(path) // the log may hold all that was ever written
	whole, dropped, err := l.frames()
	if err != nil || len(whole) == 0 || !alone && !dropped {
		return false, err
	}

	if !alone {
		if err := disk.Copy(path, to); err != nil {
			return false, err
		}
	}
	f, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}

	return true, errors.Join(l.apply(f, whole), f.Close())
}

// frame is the place of a frame in its log.
type frame struct {
	at     int64
	number uint32 // of the page, from 1
	pages  uint32 // of the database after it; 0 in the middle of a transaction
}

// frames returns the frames that are whole, up to the end of the last transaction, and whether some of them are behind
// one that is not.
func (l *logFile) frames() (whole []frame, dropped bool, err error) {
	damaged, ends := !l.valid, 0
	buffer := make([]byte, frameHeader+l.page)
	for at, sum := int64(logHeader), l.sum; ; at += int64(len(buffer)) {
		if _, err := l.ReadAt(buffer, at); err != nil {
			return whole[:ends], dropped, ignoreShort(err)
		}

		header := buffer[:frameHeader]
		is := sum.of(l.order, header[:8]).of(l.order, buffer[frameHeader:])
		sum = checksumAt(header[16:])
		if is != sum || LogSalts(binary.BigEndian.Uint64(header[8:])) != l.salts {
			damaged = true
			continue
		}

		whole = append(whole, frame{at, binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[4:])})
		if whole[len(whole)-1].pages > 0 {
			ends, dropped = len(whole), damaged
		}
	}
}

// apply writes the pages of frames into a file.
func (l *logFile) apply(f *os.File, whole []frame) error {
	page := make([]byte, l.page)
	for _, w := range whole {
		if _, err := l.ReadAt(page, w.at+frameHeader); err != nil {
			return err
		}
		if _, err := f.WriteAt(page, int64(w.number-1)*int64(l.page)); err != nil {
			return err
		}
	}
	return f.Truncate(int64(whole[len(whole)-1].pages) * int64(l.page))
}

// sqliteMagic begins each file of SQLite.
var sqliteMagic = []byte("SQLite format 3\x00")

// HasHeader reports whether a file begins as one of SQLite does.
func HasHeader(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	header := make([]byte, len(sqliteMagic))
	_, err = io.ReadFull(f, header)
	return err == nil && bytes.Equal(header, sqliteMagic)
}
