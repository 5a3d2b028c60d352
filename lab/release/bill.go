package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"
)

type object map[string]any

var notInIDs = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// bill returns the bill of materials of an archive, in SPDX 2.3.
func (r *release) bill(name string, modules []module) ([]byte, error) {
	self := object{
		"SPDXID": "SPDXRef-parley", "name": "parley", "versionInfo": r.version,
		"downloadLocation": fmt.Sprintf("%s/%s/%s.tar.gz", r.address, r.version, name), "filesAnalyzed": false,
		"licenseConcluded": "MIT", "licenseDeclared": "MIT", "copyrightText": "NOASSERTION",
		"sourceInfo": "commit " + r.commit,
	}

	packages := []object{self}
	relations := []object{{
		"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-parley",
	}}

	for _, m := range modules {
		id := "SPDXRef-" + notInIDs.ReplaceAllString(m.path, "-")
		p := object{
			"SPDXID": id, "name": m.path, "versionInfo": m.version, "downloadLocation": "NOASSERTION",
			"filesAnalyzed": false, "licenseConcluded": "NOASSERTION", "licenseDeclared": m.spdx(),
			"copyrightText": "NOASSERTION",
			"externalRefs": []object{{
				"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
				"referenceLocator": "pkg:golang/" + m.path + "@" + m.version,
			}},
		}
		if m.sum != "" {
			p["comment"] = "go.sum: " + m.sum
		}

		packages = append(packages, p)
		relations = append(relations, object{
			"spdxElementId": "SPDXRef-parley", "relationshipType": "STATIC_LINK", "relatedSpdxElement": id,
		})
	}

	return json.MarshalIndent(object{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
		"documentNamespace": fmt.Sprintf("%s/%s/%s.spdx.json", r.address, r.version, name),
		"creationInfo": object{
			"created": r.date.Format(time.RFC3339), "creators": []string{"Tool: parley-release"},
		},
		"packages": packages, "relationships": relations,
	}, "", "  ")
}
