package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// module is a part of a program: a module, or Go's standard library.
type module struct {
	path, version, sum string
	licences           map[string][]byte // the texts, by file name
}

// moduleDirs returns where modules are on this machine, by path@version. Those that are not there yet are fetched:
// each system needs others.
func moduleDirs(modules []string) (map[string]string, error) {
	cmd := exec.Command("go", append([]string{"mod", "download", "-json"}, modules...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}

	dirs := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m struct{ Path, Version, Dir string }
		if err := d.Decode(&m); err != nil {
			return nil, fmt.Errorf("go mod download: %w", err)
		}
		dirs[m.Path+"@"+m.Version] = m.Dir
	}

	return dirs, nil
}

// modulesOf returns the parts of a program, with their licences. A part without one is an error.
func modulesOf(program string) ([]module, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}

	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}

	all := []module{{path: "std", version: strings.TrimPrefix(runtime.Version(), "go")}}
	names := []string{"std"}
	for _, d := range info.Deps {
		if d.Replace != nil && d.Replace.Sum == "" {
			continue // a directory of parley's own stands in for it
		}
		all = append(all, module{path: d.Path, version: d.Version, sum: d.Sum})
		if d.Replace != nil {
			d = d.Replace
		}
		names = append(names, d.Path+"@"+d.Version)
	}

	dirs, err := moduleDirs(names[1:])
	if err != nil {
		return nil, err
	}

	dirs["std"] = strings.TrimSpace(string(root))
	for i := range all {
		if all[i].licences, err = licencesIn(dirs[names[i]]); err != nil {
			return nil, fmt.Errorf("the licence of %s: %w", all[i].path, err)
		}
	}

	return all, nil
}

// licenceName matches the files in which a module says its licence.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|third_party_notices)([-.][a-z0-9.-]*)?$`)

// licencesIn returns the texts of a module's licences. Go's own distribution has its licence one
// directory up in some packages of systems.
func licencesIn(dir string) (map[string][]byte, error) {
	if dir == "" {
		return nil, errors.New("the module is not on this machine")
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}

	texts := map[string][]byte{}
	for _, e := range entries {
		if e.IsDir() || !licenceName.MatchString(e.Name()) {
			continue
		}
		if texts[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}

	if len(texts) == 0 {
		return nil, fmt.Errorf("there is none in %s", filepath.Base(dir))
	}

	return texts, nil
}

// licenceForms recognize the usual texts, by what only they say.
var licenceForms = []struct{ id, says string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"BSD-3-Clause", "may be used to endorse or promote products"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above copyright"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
}

// spdx returns the identifiers of a module's licences, NOASSERTION if none is known.
func (m module) spdx() string {
	var ids []string
	for _, form := range licenceForms {
		for _, text := range m.licences {
			words := strings.NewReplacer(",", "", "*", "").Replace(strings.Join(strings.Fields(string(text)), " "))
			bsd2of3 := form.id == "BSD-2-Clause" && len(ids) > 0 && ids[len(ids)-1] == "BSD-3-Clause"
			if strings.Contains(strings.ToLower(words), strings.ToLower(strings.ReplaceAll(form.says, ",", ""))) &&
				!bsd2of3 {
				ids = append(ids, form.id)
				break
			}
		}
	}
	if len(ids) == 0 {
		return "NOASSERTION"
	}
	return strings.Join(ids, " AND ")
}
