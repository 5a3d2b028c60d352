// Package profile owns the knowledge about each agent program, as data: the command
// that launches it, how much may be typed into it, how long to wait for it, and how to
// read its screen. Profiles are YAML files embedded here. A workspace can change them
// and add its own (Set.With).
//
// # Does our text stand there, unsubmitted?
//
// Composer returns the text in a program's composer, and Holds reports whether our
// message, recognised by its id, is in it. Between paste and key it must be there;
// after the key it must be gone.
//
// A profile with a composer marker knows where the composer is. For any other program
// the composed text is assumed to stand on the cursor's row and to end at the cursor,
// with the full rows above from which it was wrapped. On real programs this means:
//
//   - A program that reads lines (cat, a bash read loop, a Python input() loop) lets
//     the terminal echo. The text is shown up to the cursor even while the program
//     does not read, so it proves that the terminal has the text, not that the program
//     has. After the key the cursor is at the start of a fresh row and Composer is
//     empty (or a new prompt), while the old text stays above.
//   - Readline programs draw the text themselves, in a row that ends at the cursor,
//     wrapped at the width. The same holds.
//   - A program that does not echo (stty -echo, read -s) never shows the text. Composer
//     does not change, which proves nothing. The caller may press the key once the
//     program has read the terminal's queue, or after a timeout.
//   - An unknown full-screen program may hide the cursor or leave it anywhere. If the
//     cursor is after our text, Composer shows it; if not, see above.
//
// If a text ends exactly at the right edge, a terminal leaves the cursor in the last
// column (tmux calls it column = width) and readline moves it to the next row. The
// latter looks like a submitted line, so it counts as empty: the caller waits, and never
// presses twice. The terminal cuts a long canonical line (over 4,095 bytes), and does
// not echo its end with our id.
package profile
