// Package kit is what every screen is built of: text and its width, the theme, tables of keys, lines that are
// written, panes that scroll, questions, the page of help. It knows no screen and asks for nothing.
package kit
