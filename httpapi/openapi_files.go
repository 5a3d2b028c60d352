package httpapi

import "net/http"

// filePages returns the routes of uploads and downloads, whose bodies are not JSON.
func filePages() map[string]map[string]object {
	text := func(about string) object { return object{"type": "string", "description": about} }
	form := object{"type": "object", "required": []string{"file"}, "properties": object{
		"file": object{
			"type":             "string",
			"contentMediaType": "application/octet-stream",
			"description":      "The file itself. An api_key must come before it.",
		},
		"recipient":            text("Name or id of the recipient, who is notified; without one it is only stored."),
		"destination_filename": text("The file's name, if not that of the upload."),
		"description":          text("What it is."),
		"idempotency_key":      text("Your own key: a repeated call changes nothing."),
	}}

	bytes := object{"application/octet-stream": object{"schema": object{}}}
	upload := object{"operationId": "upload_file", "summary": "Send a file from another machine.",
		"requestBody": object{"required": true, "content": object{"multipart/form-data": object{"schema": form}}},
		"responses": object{
			"200": object{
				"description": "The file is stored, and the recipient notified.",
				"content":     inJSON(ref("schemas", "TransferFileResult")),
			},
		}}

	download := object{"operationId": "download_file", "summary": "Get a file that was sent to or by the caller.",
		"parameters": []object{{"name": "file_id", "in": "path", "required": true, "schema": object{"type": "string"}},
			{
				"name":        "Range",
				"in":          "header",
				"schema":      object{"type": "string"},
				"description": "bytes=FROM-TO for a part of it.",
			}},
		"responses": object{
			"200": object{"description": "The file.", "content": bytes},
			"206": object{"description": "The part.", "content": bytes},
			"304": object{"description": "The caller already has the content."},
			"412": object{
				"description": "The file is not the one that a condition asks for.",
				"content":     inJSON(ref("schemas", "Error")),
			},
			"416": object{"description": "There is no such part.", "content": inJSON(ref("schemas", "Error"))},
		}}

	for _, page := range []object{upload, download} {
		for status := range failures() {
			page["responses"].(object)[status] = ref("responses", status)
		}
	}

	upload["responses"].(object)["409"] = conflictOr(ref("schemas", "TransferFileResult"))

	return map[string]map[string]object{
		filesPath:                {http.MethodPost: upload},
		filesPath + "/{file_id}": {http.MethodGet: download},
	}
}
