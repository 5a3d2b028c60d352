package sessions

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/plainfile"
	"parley/tmux"
)

// Running returns a process that has a conversation open, 0 if none is known. sure is not set for a program that works
// in the conversation's directory, and tells nowhere which one it has. The processes others have other ones.
func (a *Archive) Running(s *parley.KeptSession, others []int) (pid int, sure bool) {
	i := slices.IndexFunc(a.sources, func(src source) bool { return src.program.Name == s.Program })
	if i < 0 {
		return 0, false
	}
	src := &a.sources[i]
	if pid := src.registered(s.ID); pid != 0 {
		return pid, true
	}

	pids, err := tmux.Descendants(1)
	if err != nil {
		return 0, false
	}
	var there []int
	if src.kept.Live.Files == "" && !src.kept.Live.Open {
		there = tmux.WorkingIn(s.Dir)
	}
	may := 0
	for _, pid := range pids {
		argv, err := tmux.CommandLine(pid)
		if err != nil || !src.program.Runs(argv) {
			continue
		}
		named := slices.ContainsFunc(argv, func(word string) bool { return strings.HasSuffix(word, s.ID) })
		if named || src.kept.Live.Open && slices.ContainsFunc(tmux.OpenFiles(pid), func(path string) bool {
			return strings.HasPrefix(path, src.base+"/") && src.kept.IDIn(path) == s.ID
		}) {
			return pid, true
		}
		if slices.Contains(there, pid) && !slices.Contains(others, pid) {
			may = pid
		}
	}
	return may, false
}

// registered returns the process that a program itself says has a conversation open, 0 if it says none. What was left
// behind by a program that died does not count.
func (s *source) registered(id string) int {
	live := &s.kept.Live
	if live.Files == "" || strings.ContainsAny(id, `*?[\/`) {
		return 0
	}
	files, _ := fs.Glob(os.DirFS(s.base), strings.ReplaceAll(live.Files, "{id}", id)) // the pattern is sound
	for _, file := range files {
		said := live.PIDIn(file)
		if live.Named == "" {
			content, err := plainfile.Read(filepath.Join(s.base, file), maxAbout)
			if err != nil {
				continue
			}
			said = live.Opened(content, id)
		}
		pid, err := strconv.Atoi(said)
		if err != nil || pid <= 1 || !tmux.Alive(pid) {
			continue
		}
		if argv, err := tmux.CommandLine(pid); err == nil && s.program.Runs(argv) {
			return pid
		}
	}
	return 0
}

// Lost says why a continued conversation of a program would be lost, and what to do; "" if it would not.
func (a *Archive) Lost(program string) (why, action string) {
	for i := range a.sources {
		s := &a.sources[i]
		needs := &s.kept.Needs
		if s.program.Name != program || needs.File == "" {
			continue
		}
		file := filepath.Join(s.base, needs.File)
		content, err := plainfile.Read(file, maxAbout)
		if err != nil || !needs.Where.Match(content) {
			return needs.Why, "Write " + needs.Write + " into " + file + "."
		}
	}
	return "", ""
}
