-- +goose Up
ALTER TABLE agents ADD COLUMN spec TEXT NOT NULL DEFAULT '{}'; -- JSON: how it is described and what it may do, but for its role
UPDATE agents SET spec = json_object('description', description, 'capabilities', json(capabilities),
    'groups', json(team_groups), 'orchestrate', json(iif(orchestrate, 'true', 'false')),
    'interruptible', json(iif(interruptible, 'true', 'false')),
    'resume_after_limit', json(iif(resume_after_limit, 'true', 'false')), 'door', door);
ALTER TABLE agents DROP COLUMN description;
ALTER TABLE agents DROP COLUMN capabilities;
ALTER TABLE agents DROP COLUMN team_groups;
ALTER TABLE agents DROP COLUMN orchestrate;
ALTER TABLE agents DROP COLUMN interruptible;
ALTER TABLE agents DROP COLUMN resume_after_limit;
ALTER TABLE agents DROP COLUMN door;
