package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"parley"
)

// maxKept is how many versions of a program results are kept of.
const maxKept = 20

// Keep adds a result to those in dir. It replaces one of the same version, but for what that one found with a model.
func Keep(dir string, r Result) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}

	if earlier, ok := Of(dir, r.Profile, r.Version); ok {
		r = r.with(earlier)
	}
	all := slices.DeleteFunc(known(dir, r.Profile), func(old Result) bool { return old.Version == r.Version })
	all = append(all, r)
	text, err := json.MarshalIndent(all[max(0, len(all)-maxKept):], "", "  ")
	if err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}

	f, err := os.CreateTemp(dir, ".new-*") // 0600
	if err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), fileOf(dir, r.Profile))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep the result: %w", err), os.Remove(f.Name()))
	}

	return nil
}

// Of returns the result of a version of a profile's program. It is not ok if none is kept.
func Of(dir, profile, version string) (Result, bool) {
	all := known(dir, profile)
	i := slices.IndexFunc(all, func(r Result) bool { return r.Version == version })
	if i < 0 {
		return Result{}, false
	}
	return all[i], true
}

// Entered lists the versions of a profile's program whose own entrance was tried and holds.
func Entered(dir, profile string) (versions []string) {
	for _, r := range known(dir, profile) {
		if r.Version != "" && slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Guarantee == Entrance && f.Verdict == Holds
		}) {
			versions = append(versions, r.Version)
		}
	}
	return versions
}

// known returns the results that are kept of a profile. A file that cannot be read holds none.
func known(dir, profile string) (all []Result) {
	text, err := os.ReadFile(fileOf(dir, profile))
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}

// dismiss keeps that the operator does not want to be told of a version.
func dismiss(dir, profile, version string, kind parley.NeedKind) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(dismissedFile(dir, profile, version, kind), nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep what is dismissed: %w", err)
	}
	return nil
}

func isDismissed(dir, profile, version string, kind parley.NeedKind) bool {
	_, err := os.Stat(dismissedFile(dir, profile, version, kind))
	return err == nil
}

// dismissedFile returns the file that keeps a dismissal. That of an untried version has no kind in its name.
func dismissedFile(dir, profile, version string, kind parley.NeedKind) string {
	name := profile + "@" + version
	if kind != parley.NeedUntried {
		name += "." + string(kind)
	}
	return filepath.Join(dir, name+".dismissed")
}

func fileOf(dir, profile string) string { return filepath.Join(dir, profile+".json") }
