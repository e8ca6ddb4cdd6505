-- One index for the lists of runs by lane, by status and by both: a list reads the newest of each pair that it wants.
create index runs_newest_by_lane_and_status on runs (workspace_id, lane, status, created_at desc, id desc);
drop index runs_newest_by_lane;
drop index runs_newest_by_status;

-- What a list shows of a run beside its row. The workspace is asked once a run; the policies of the tables ask it once a row,
-- by a function, which takes longer than all the rest. A view reads as its owner, so the test is its own.
create view visible_run_steps with (security_barrier) as
  select s.run_id, s.step_id, s.ordinal, s.state, s.attempt, s.plan_hash, s.message, s.cost_micro_usd, s.started_at, s.ended_at
  from runs r join run_steps s on s.run_id = r.id
  where (select current_setting('svc.workspace', true)) in ('*', r.workspace_id);

create view visible_run_alerts with (security_barrier) as
  select a.run_id, a.id, a.delivery_id, a.status, a.received_at
  from runs r join run_alerts a on a.run_id = r.id
  where (select current_setting('svc.workspace', true)) in ('*', r.workspace_id);
