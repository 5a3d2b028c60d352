package main

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"

	"parley/internal/daemon"
	"parley/internal/must"
)

// A property list says each word as it is, whatever stands in it.
func TestPropertyListOfLaunchd(t *testing.T) {
	for _, root := range []string{"/home/ann/shop", `/home/ann/a 100% "shop" & <co>`, "/home/ann/it's\nnew $1"} {
		env := daemon.Environ{"PATH=/bin:/a<b", "HOME=/home/ann"}
		text := plistText("parley-1f", "/opt/parley & co", root, "/log", env)

		var words []string
		for in, d := "", xml.NewDecoder(strings.NewReader(text)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			must.Do(t, err)
			switch token := token.(type) {
			case xml.StartElement:
				in = token.Name.Local
				if in == "true" || in == "false" {
					words = append(words, in)
				}
			case xml.CharData:
				if in == "key" || in == "string" {
					words = append(words, string(token))
				}
			case xml.EndElement:
				in = ""
			}
		}

		want := []string{"Label", "parley-1f",
			"ProgramArguments", "/bin/sh", "-c", serveAndBringBack, "/opt/parley & co", root,
			"EnvironmentVariables", "PATH", "/bin:/a<b", "RunAtLoad", "true", "KeepAlive", "SuccessfulExit", "false",
			"AbandonProcessGroup", "true", "StandardErrorPath", "/log"}
		if !slices.Equal(words, want) {
			t.Errorf("got %q, want %q", words, want)
		}
	}
}
