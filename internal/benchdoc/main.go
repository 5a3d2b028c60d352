// Command benchdoc turns the output of go test -bench, on its standard input, into
// docs/measured/benchmarks.md. Benchmarks whose names differ only in way=... measure the
// same work done in different ways: they share a table, and parley's numbers are
// set against each other way as ratios, which travel between machines better than
// the numbers do.
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
