-- What went into a step, as approvers are shown it: secrets are hidden, and what is too large is cut.
alter table run_steps add column inputs jsonb;

-- Lists of runs by what people ask for: each in the order of the list. What started a run is a column of its own, because under row-level
-- security no index over an expression is used.
alter table runs add column trigger_type text generated always as (provenance #>> '{trigger,type}') stored;
create index runs_newest_by_pack on runs (workspace_id, pack, created_at desc, id desc);
create index runs_newest_by_environment on runs (workspace_id, environment, created_at desc, id desc);
create index runs_newest_by_trigger on runs (workspace_id, trigger_type, created_at desc, id desc);
