package parley

// Answer is what every result begins with: success, and an error that is null.
// Failures are not results but *Error values, which say the same in their form.
type Answer struct {
	Success bool    `json:"success"`
	Error   *string `json:"error"`
}

// OK is the Answer of whatever went well.
var OK = Answer{Success: true}
