package client

import (
	"context"

	"parley"
)

// workspace is parley.WorkspaceService.
type workspace struct{ conn *conn }

// GetWorkspaceStatus describes the daemon and what it runs.
func (w workspace) GetWorkspaceStatus(
	ctx context.Context, r parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	return call[parley.WorkspaceStatusResult](ctx, w.conn, "get_workspace_status", r)
}

// Backup writes a copy of the database, on the daemon's machine.
func (w workspace) Backup(ctx context.Context, r parley.BackupRequest) (*parley.BackupResult, error) {
	return call[parley.BackupResult](ctx, w.conn, "backup", r)
}

// SendTestNotice sends a notice by all ways of parley.yaml.
func (w workspace) SendTestNotice(
	ctx context.Context, r parley.SendTestNoticeRequest,
) (*parley.SendTestNoticeResult, error) {
	return call[parley.SendTestNoticeResult](ctx, w.conn, "send_test_notice", r)
}

// NotifyDevice lets notices be pushed to a browser, or no longer.
func (w workspace) NotifyDevice(ctx context.Context, r parley.NotifyDeviceRequest) (*parley.NotifyDeviceResult, error) {
	return call[parley.NotifyDeviceResult](ctx, w.conn, "notify_device", r)
}

// ListHosts lists the machines that share the workspace's database.
func (w workspace) ListHosts(ctx context.Context, r parley.ListHostsRequest) (*parley.ListHostsResult, error) {
	return call[parley.ListHostsResult](ctx, w.conn, "list_hosts", r)
}

// RemoveHost removes a machine that is gone for good.
func (w workspace) RemoveHost(ctx context.Context, r parley.RemoveHostRequest) (*parley.RemoveHostResult, error) {
	return call[parley.RemoveHostResult](ctx, w.conn, "remove_host", r)
}

// ShutDown stops the daemon.
func (w workspace) ShutDown(ctx context.Context, r parley.ShutDownRequest) (*parley.ShutDownResult, error) {
	return call[parley.ShutDownResult](ctx, w.conn, "shut_down", r)
}
