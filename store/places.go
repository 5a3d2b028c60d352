package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// placesFact is the name of the fact that holds the places.
const placesFact = "places"

// Place is where a program takes messages, as the operator said.
type Place struct {
	Program string `json:"program"`
	Place   string `json:"place"` // what stands there before the cursor
}

// hostPlace is a place on a host: at the same path on another one there may be another program.
type hostPlace struct {
	Place
	Host string `json:"host,omitempty"` // "" for a file
}

// Places returns the places that the operator has named on this host.
func (s *Workspace) Places(ctx context.Context) ([]Place, error) {
	var values []string
	err := s.db.read(ctx, "reading where programs take messages", &values,
		`SELECT value FROM facts WHERE name = ?`, placesFact)
	if err != nil {
		return nil, err
	}
	all, err := parsePlaces(values)
	var own []Place
	for _, p := range all {
		if p.Host == s.db.base.Host {
			own = append(own, p.Place)
		}
	}
	return own, err
}

func parsePlaces(values []string) ([]hostPlace, error) {
	if len(values) == 0 {
		return nil, nil
	}
	var places []hostPlace
	if err := json.Unmarshal([]byte(values[0]), &places); err != nil {
		return nil, fmt.Errorf("read where programs take messages: %w", err)
	}
	return places, nil
}

// AddPlace keeps a place. It changes nothing if that is there.
func (s *Workspace) AddPlace(ctx context.Context, p Place) error {
	return s.changePlaces(ctx, "keeping where a program takes messages", func(places []hostPlace) []hostPlace {
		own := hostPlace{p, s.db.base.Host}
		if slices.Contains(places, own) {
			return places
		}
		return append(places, own)
	})
}

// ForgetPlaces takes back the places of a program.
func (s *Workspace) ForgetPlaces(ctx context.Context, program string) error {
	return s.changePlaces(ctx, "forgetting where a program takes messages", func(places []hostPlace) []hostPlace {
		return slices.DeleteFunc(places, func(p hostPlace) bool {
			return p.Program == program && p.Host == s.db.base.Host
		})
	})
}

func (s *Workspace) changePlaces(ctx context.Context, doing string, change func([]hostPlace) []hostPlace) error {
	return s.db.write(ctx, doing, func(t *tx) error {
		var values []string
		if err := t.Query(&values, `SELECT value FROM facts WHERE name = ?`, placesFact); err != nil {
			return err
		}
		places, err := parsePlaces(values)
		if err != nil {
			return err
		}
		n := len(places)
		if places = change(places); len(places) == n {
			return nil
		}
		value, err := json.Marshal(places)
		if err != nil {
			return err
		}
		_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, placesFact, string(value))
		return err
	})
}
