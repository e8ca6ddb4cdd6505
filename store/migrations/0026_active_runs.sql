-- The runs that have not ended, among all that ever were: they are compared with the engine's open workflows all the time.
create index runs_active on runs (id) include (workspace_id, lane, created_at) where ended_at is null;
