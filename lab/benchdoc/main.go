// Command benchdoc turns the output of go test -bench, on its standard input, into
// docs/measured/benchmarks.md. Benchmarks whose names differ only in way=... measure the
// same work done in different ways. They share a table, which also has parley's numbers
// divided by those of each other way: ratios are more alike between machines than
// numbers.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchdoc:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	r, err := parse(in)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, r.markdown())
	return err
}
