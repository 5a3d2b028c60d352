// Package team is what a screen knows of the team: its agents, messages and their deliveries, who wrote to whom
// and when, who was at work, and what came for the operator. It is filled with answers and events, and asks for
// nothing itself.
package team
