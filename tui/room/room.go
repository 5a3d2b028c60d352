// Package room is what a screen stands in: what all screens share, how they ask the service and tell the person,
// what the marker is on, and the actions that mean the same on every screen. It knows what a screen is, and no
// particular one.
package room
