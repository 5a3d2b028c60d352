-- +goose Up
ALTER TABLE agents ADD COLUMN spec TEXT COLLATE "C" NOT NULL DEFAULT '{}';
UPDATE agents SET spec = json_build_object('description', description, 'capabilities', capabilities::json,
    'groups', team_groups::json, 'orchestrate', orchestrate <> 0, 'interruptible', interruptible <> 0,
    'resume_after_limit', resume_after_limit <> 0, 'door', door)::text;
ALTER TABLE agents DROP COLUMN description, DROP COLUMN capabilities, DROP COLUMN team_groups, DROP COLUMN orchestrate,
    DROP COLUMN interruptible, DROP COLUMN resume_after_limit, DROP COLUMN door;
