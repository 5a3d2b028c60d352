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

// Places returns the places that the operator has named.
func (s *Workspace) Places(ctx context.Context) ([]Place, error) {
	var values []string
	err := s.read(ctx, "reading where programs take messages", &values,
		`SELECT value FROM facts WHERE name = ?`, placesFact)
	if err != nil {
		return nil, err
	}
	return parsePlaces(values)
}

func parsePlaces(values []string) ([]Place, error) {
	if len(values) == 0 {
		return nil, nil
	}
	var places []Place
	if err := json.Unmarshal([]byte(values[0]), &places); err != nil {
		return nil, fmt.Errorf("read where programs take messages: %w", err)
	}
	return places, nil
}

// AddPlace keeps a place. It changes nothing if that is there.
func (s *Workspace) AddPlace(ctx context.Context, p Place) error {
	return s.write(ctx, "keeping where a program takes messages", func(t *tx) error {
		var values []string
		if err := t.query(&values, `SELECT value FROM facts WHERE name = ?`, placesFact); err != nil {
			return err
		}
		places, err := parsePlaces(values)
		if err != nil || slices.Contains(places, p) {
			return err
		}
		value, err := json.Marshal(append(places, p))
		if err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, placesFact, string(value))
		return err
	})
}
