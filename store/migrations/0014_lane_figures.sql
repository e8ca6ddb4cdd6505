-- Lanes are measured by what has begun, ended and been decided lately, in every workspace.
create index runs_started on runs (started_at) where started_at is not null;
create index runs_ended on runs (ended_at) where ended_at is not null;
create index gates_resolved on gates (resolved_at) where resolved_at is not null;
