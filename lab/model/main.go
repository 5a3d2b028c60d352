// Command model runs the scripted model of the tests until it is interrupted, and prints its URL. Check a program
// with it: parley profiles check NAME --model URL.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"parley/internal/modelserver"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	model, err := modelserver.Open()
	if err != nil {
		return err
	}
	defer model.Close()

	fmt.Println(model.URL)
	<-ctx.Done()
	return nil
}
