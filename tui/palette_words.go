package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// answerWords puts an operation's answer into lines of names and values. What is empty is
// left out, and so is that it succeeded.
func answerWords(res any) (string, error) {
	text, err := json.Marshal(res)
	if err != nil {
		return "", err
	}

	var b strings.Builder
	if err := writeValue(&b, text, ""); err != nil {
		return "", err
	}
	if b.Len() == 0 {
		return "Done.", nil
	}

	return strings.TrimSuffix(b.String(), "\n"), nil
}

// writeValue writes a JSON value as lines that begin with a margin.
func writeValue(b *strings.Builder, value json.RawMessage, margin string) error {
	d := json.NewDecoder(bytes.NewReader(value))
	if _, err := d.Token(); err != nil {
		return err
	}

	for d.More() {
		label := "· "
		if value[0] == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			label = strings.ReplaceAll(fmt.Sprint(name), "_", " ") + ": "
		}

		var item json.RawMessage
		if err := d.Decode(&item); err != nil {
			return err
		}
		if err := writeItem(b, label, item, margin); err != nil {
			return err
		}
	}

	return nil
}

// writeItem writes a field of an object, or an item of a list.
func writeItem(b *strings.Builder, label string, item json.RawMessage, margin string) error {
	plain := string(item)
	switch {
	case plain == "null" || plain == `""` || plain == "[]" || plain == "{}" || label == "success: ":
		return nil
	case item[0] == '"':
		if err := json.Unmarshal(item, &plain); err != nil {
			return err
		}
	case item[0] == '{' || item[0] == '[':
		var inner strings.Builder
		if err := writeValue(&inner, item, margin+"  "); err != nil || inner.Len() == 0 {
			return err
		}
		if label == "· " { // an item begins on the line of its dot
			b.WriteString(margin + label + strings.TrimPrefix(inner.String(), margin+"  "))
		} else {
			b.WriteString(margin + strings.TrimSuffix(label, " ") + "\n" + inner.String())
		}
		return nil
	case plain == "true" || plain == "false":
		plain = map[string]string{"true": "yes", "false": "no"}[plain]
	}

	b.WriteString(margin + label + strings.ReplaceAll(plain, "\n", "\n"+margin+"  ") + "\n")

	return nil
}
