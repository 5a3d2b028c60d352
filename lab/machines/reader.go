package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// readTerminal is the program whose messages are timed: it asks for bracketed paste, and logs each text when its
// Enter comes. Its terminal must be raw. It shows what it reads at once, as parley looks for that before Enter.
func readTerminal(in io.Reader, path string) error {
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	fmt.Print("\x1b[?2004hready\r\n> ")

	var text strings.Builder
	for b := make([]byte, 64<<10); ; {
		n, err := in.Read(b)
		if err != nil {
			return err
		}
		text.Write(b[:n])
		fmt.Print(strings.NewReplacer("\x1b[200~", "", "\x1b[201~", "", "\r", "\r\n").Replace(string(b[:n])))
		if !strings.HasSuffix(text.String(), "\r") {
			continue
		}
		line, err := json.Marshal(entry{Time: time.Now(), Text: text.String()})
		if err != nil {
			return err
		}
		if _, err := log.Write(append(line, '\n')); err != nil {
			return err
		}
		text.Reset()
		fmt.Print("> ")
	}
}
