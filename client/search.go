package client

import (
	"context"

	"parley"
)

// SearchMessages finds messages by their words, newest first.
func (c *Client) SearchMessages(
	ctx context.Context,
	r parley.SearchMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	return call[parley.SearchMessagesResult](ctx, c, "search_messages", r)
}

// CheckNewMessages says how many messages are unread and which are the most urgent.
func (c *Client) CheckNewMessages(
	ctx context.Context,
	r parley.CheckNewMessagesRequest,
) (*parley.CheckNewMessagesResult, error) {
	return call[parley.CheckNewMessagesResult](ctx, c, "check_new_messages", r)
}
