// Package profile owns what is known of each agent program, as data: the command
// that launches it, how much it may be typed, with what patience, and how to read
// its screen. Profiles are YAML files embedded here, and a workspace's own can
// change them or add to them (Set.With).
//
// # Is our text standing there, unsubmitted?
//
// Composer answers what stands in the place where a program composes its input, and
// Holds whether our text, told by its message id, is in it. Between paste and key
// that must be so; after the key it must not be so any more.
//
// A profile with a composer marker knows the place. Of any other program only this
// is known: what is being composed stands on the cursor's row and ends at the cursor,
// with the full rows above that it was wrapped from. On real programs this means:
//
//   - A program that reads lines (cat, a bash read loop, a Python input() loop) lets
//     the terminal echo. The text is shown up to the cursor even while the program
//     does not read, so it proves that the terminal has it and not that the program
//     has. After the key the cursor is at the start of a fresh row and Composer is
//     empty (or a new prompt), while the old text stays above.
//   - Readline programs draw the text themselves, in a row that ends at the cursor,
//     wrapped at the width. The same holds.
//   - A program that does not echo (stty -echo, read -s) never shows it. Composer
//     stays as it was, which proves nothing either way. The caller may press the key
//     when the terminal's queue was read or its patience is over.
//   - A full-screen program of which nothing is known may hide the cursor or leave it
//     anywhere. If the cursor is behind our text, that shows; if not, see above.
//
// When a text ends exactly at the right edge, a terminal leaves the cursor in the
// last column (tmux calls it column = width) and readline moves it to the next row.
// The latter looks as a submitted line does, so it counts as empty: it makes the
// caller wait, and never press twice. A long canonical line (over 4,095 bytes) is cut
// by the terminal and its end, with our id, is not echoed.
package profile
