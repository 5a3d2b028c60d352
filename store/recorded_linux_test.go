package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	fusefs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/must"
	"parley/internal/wait"
)

// A recorded directory is a file system whose every write and sync is written down, so that a test
// can tell what a disk may hold after a power cut. It runs in a process of its own: SQLite maps a
// file, and a page that its own process must serve stops that for ever.

// recorded is a mounted directory. Its files "slow" and "fail", beside it, make each sync slow or
// fail.
type recorded struct {
	t    *testing.T
	base string
}

func (r *recorded) dir() string { return filepath.Join(r.base, "mounted") }

// mountRecorded mounts a recorded directory, or skips the test where that is not allowed.
func mountRecorded(t *testing.T) *recorded {
	t.Helper()
	r := &recorded{t, t.TempDir()}
	for _, name := range []string{"mounted", "below"} {
		must.Do(t, os.Mkdir(filepath.Join(r.base, name), 0o700))
	}

	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"=record", childVar+"_DB="+r.base)
	var out bytes.Buffer
	cmd.Stderr = &out
	stop := must.Have(cmd.StdinPipe())(t)
	must.Do(t, cmd.Start())

	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = stop.Close()
		if err := <-ended; err != nil {
			t.Errorf("the recorded directory: %v\n%s", err, &out)
		}
	})

	must.Do(t, wait.Until(t.Context(), 10*time.Millisecond, func() (bool, error) {
		return r.has("ready") || len(ended) > 0, nil
	}))
	if !r.has("ready") {
		<-ended
		ended <- nil
		t.Skipf("needs the right to mount: %s", &out)
	}
	return r
}

func (r *recorded) has(name string) bool {
	_, err := os.Stat(filepath.Join(r.base, name))
	return err == nil
}

// sets makes a fault, or ends it.
func (r *recorded) sets(fault string, on bool) {
	r.t.Helper()
	path := filepath.Join(r.base, fault)
	if on {
		must.Do(r.t, os.WriteFile(path, nil, 0o600))
	} else {
		must.Do(r.t, os.Remove(path))
	}
}

// recordLine is one line of the record.
type recordLine struct {
	Do   string // "write", "size", "sync", "rename", "remove"
	File string
	To   string // of a rename
	At   int64  // where it writes, or the new size
	Data []byte
}

// record reads what was done until now.
func (r *recorded) record() (list []recordLine) {
	r.t.Helper()
	raw := must.Have(os.ReadFile(filepath.Join(r.base, "record")))(r.t)
	for line := range bytes.Lines(raw) {
		var c recordLine
		must.Do(r.t, json.Unmarshal(line, &c))
		list = append(list, c)
	}
	return list
}

const sector = 512

// cutFile is a file after a power cut: what was synced, and by chance some of what was not.
type cutFile struct {
	data    []byte
	pending []recordLine
}

func (d *cutFile) apply(c recordLine, survives func() bool) {
	end := c.At
	if c.Do == "write" {
		end += int64(len(c.Data))
	}
	if grow := end - int64(len(d.data)); grow > 0 {
		d.data = append(d.data, make([]byte, grow)...)
	}
	if c.Do == "size" {
		d.data = d.data[:c.At]
		return
	}
	for from := int64(0); from < int64(len(c.Data)); from += sector {
		if part := c.Data[from:min(from+sector, int64(len(c.Data)))]; survives() {
			copy(d.data[c.At+from:], part)
		}
	}
}

func (d *cutFile) settle(survives func() bool) {
	for _, c := range d.pending {
		if c.Do == "write" || survives() {
			d.apply(c, survives)
		}
	}
	d.pending = nil
}

// cut writes into dir what a disk holds when the power goes after these changes. Names are kept as
// journalling file systems keep them: in order.
func cut(t *testing.T, changes []recordLine, chance *rand.Rand, dir string) {
	t.Helper()
	always, perhaps := func() bool { return true }, func() bool { return chance.IntN(2) == 0 }
	disks := map[string]*cutFile{}
	for _, c := range changes {
		d := disks[c.File]
		if d == nil {
			d = &cutFile{}
			disks[c.File] = d
		}
		switch c.Do {
		case "sync":
			d.settle(always)
		case "rename":
			disks[c.To] = d
			delete(disks, c.File)
		case "remove":
			delete(disks, c.File)
		default:
			d.pending = append(d.pending, c)
		}
	}

	for name, d := range disks {
		d.settle(perhaps)
		must.Do(t, os.WriteFile(filepath.Join(dir, name), d.data, 0o600))
	}
}

// The process that records.

type recorder struct {
	base string
	mu   sync.Mutex
	file *os.File
}

// serveRecorded mounts base/mounted over base/below until its standard input ends.
func serveRecorded(base string) error {
	below := filepath.Join(base, "below")
	root := &fusefs.LoopbackRoot{Path: below}
	file, err := os.Create(filepath.Join(base, "record"))
	if err != nil {
		return err
	}
	r := &recorder{base: base, file: file}
	root.RootNode = &recordedNode{fusefs.LoopbackNode{RootData: root}, r}

	mounted := filepath.Join(base, "mounted")
	server, err := fusefs.Mount(mounted, root.RootNode,
		&fusefs.Options{MountOptions: fuse.MountOptions{DirectMount: true}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(base, "ready"), nil, 0o600); err != nil {
		return errors.Join(err, server.Unmount())
	}

	_, _ = os.Stdin.Read(make([]byte, 1))
	if err := server.Unmount(); err != nil {
		return errors.Join(err, unix.Unmount(mounted, unix.MNT_DETACH))
	}
	return nil
}

func (r *recorder) note(c recordLine) {
	if strings.HasSuffix(c.File, "-shm") { // SQLite makes it again
		return
	}
	line, err := json.Marshal(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err)
	}
}

func (r *recorder) has(fault string) bool {
	_, err := os.Stat(filepath.Join(r.base, fault))
	return !errors.Is(err, fs.ErrNotExist)
}

type recordedNode struct {
	fusefs.LoopbackNode
	r *recorder
}

// WrapChild makes every file and directory below one that records.
func (n *recordedNode) WrapChild(context.Context, fusefs.InodeEmbedder) fusefs.InodeEmbedder {
	return &recordedNode{fusefs.LoopbackNode{RootData: n.RootData}, n.r}
}

func (n *recordedNode) name(child string) string { return filepath.Join(n.Path(n.Root()), child) }

func (n *recordedNode) Open(ctx context.Context, flags uint32) (fusefs.FileHandle, uint32, syscall.Errno) {
	f, fuseFlags, errno := n.LoopbackNode.Open(ctx, flags)
	return n.handle(f, n.name("")), fuseFlags, errno
}

func (n *recordedNode) Create(
	ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut,
) (*fusefs.Inode, fusefs.FileHandle, uint32, syscall.Errno) {
	inode, f, fuseFlags, errno := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	return inode, n.handle(f, n.name(name)), fuseFlags, errno
}

func (n *recordedNode) handle(f fusefs.FileHandle, name string) fusefs.FileHandle {
	if f, ok := f.(*fusefs.LoopbackFile); ok {
		return &recordedFile{f, n.r, name}
	}
	return f
}

func (n *recordedNode) Setattr(
	ctx context.Context, f fusefs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut,
) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		n.r.note(recordLine{Do: "size", File: n.name(""), At: int64(size)})
	}
	return n.LoopbackNode.Setattr(ctx, f, in, out)
}

func (n *recordedNode) Unlink(ctx context.Context, name string) syscall.Errno {
	n.r.note(recordLine{Do: "remove", File: n.name(name)})
	return n.LoopbackNode.Unlink(ctx, name)
}

func (n *recordedNode) Rename(
	ctx context.Context, name string, into fusefs.InodeEmbedder, to string, flags uint32,
) syscall.Errno {
	target := filepath.Join(into.EmbeddedInode().Path(n.Root()), to)
	n.r.note(recordLine{Do: "rename", File: n.name(name), To: target})
	return n.LoopbackNode.Rename(ctx, name, into, to, flags)
}

type recordedFile struct {
	*fusefs.LoopbackFile
	r    *recorder
	name string
}

// PassthroughFd keeps the kernel from writing past the recorder.
func (f *recordedFile) PassthroughFd() (int, bool) { return 0, false }

func (f *recordedFile) Write(ctx context.Context, data []byte, at int64) (uint32, syscall.Errno) {
	f.r.note(recordLine{Do: "write", File: f.name, At: at, Data: data})
	return f.LoopbackFile.Write(ctx, data, at)
}

func (f *recordedFile) Fsync(context.Context, uint32) syscall.Errno {
	if f.r.has("slow") {
		time.Sleep(300 * time.Millisecond)
	}
	if f.r.has("fail") {
		return syscall.EIO
	}
	f.r.note(recordLine{Do: "sync", File: f.name})
	return 0
}

// The tests.

// acknowledged is a message, and how long the record was when that was known to be stored.
type acknowledged struct {
	id  string
	len int
}

func TestPowerCutsLoseNothingAcknowledged(t *testing.T) {
	leftToWhole(t)
	needsFile(t)
	r := mountRecorded(t)
	s := openAt(t, filepath.Join(r.dir(), "parley.db"))
	addAgents(t, s, 2)

	var stored []acknowledged
	for i := range 40 {
		done := send(t, s, post(0, 1))
		stored = append(stored, acknowledged{done.Message.ID, len(r.record())})
		if i == 20 {
			must.Have(s.db.base.WriterConn.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`))(t)
		}
	}

	record, chance := r.record(), rand.New(rand.NewPCG(1, 2))
	cuts := 40
	if testing.Short() {
		cuts = 8
	}
	for range cuts {
		at := stored[0].len + chance.IntN(len(record)-stored[0].len+1)
		dir := t.TempDir()
		cut(t, record[:at], chance, dir)
		after := openAt(t, filepath.Join(dir, "parley.db"))
		for _, a := range stored {
			if a.len > at {
				break
			}
			if _, _, err := after.Messages.Message(t.Context(), a.id); err != nil {
				t.Errorf("cut after %d of %d changes: message %s: %v", at, len(record), a.id, err)
			}
		}
		if lacks, err := after.Workspace.Shortfall(t.Context()); err != nil || lacks != nil {
			t.Errorf("cut after %d of %d changes: it is said to lack %+v, %v", at, len(record), lacks, err)
		}
	}
}

func TestFailingSyncAcceptsNothing(t *testing.T) {
	needsFile(t)
	r := mountRecorded(t)
	s := openAt(t, filepath.Join(r.dir(), "parley.db"))
	addAgents(t, s, 2)
	send(t, s, post(0, 1))

	r.sets("fail", true)
	_, err := s.Messages.Append(t.Context(), post(0, 1))
	wantCode(t, "Append", err, parley.StorageUnavailable)
	wantStored(t, s, 1)

	r.sets("fail", false)
	send(t, s, post(0, 1))
	wantStored(t, s, 2)
}

func TestSlowSyncDelaysOnlyWrites(t *testing.T) {
	needsFile(t)
	r := mountRecorded(t)
	s := openAt(t, filepath.Join(r.dir(), "parley.db"))
	addAgents(t, s, 2)

	r.sets("slow", true)
	var stored atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := s.Messages.Append(t.Context(), post(0, 1)); err != nil {
			t.Error(err)
		}
		stored.Store(true)
	})

	reads := 0
	for !stored.Load() {
		must.Have(s.Agents.List(t.Context()))(t)
		reads++
	}
	group.Wait()
	if reads < 3 {
		t.Errorf("%d reads were answered while one message was synced", reads)
	}
	wantStored(t, s, 1)
}
