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

-- Likewise the inbox, alone, of a route and of a source; and what is old enough to be forgotten is found without those that are not.
create index inbox_items_by_status on inbox_items (workspace_id, status, received_at desc, id desc);
create index inbox_items_by_route on inbox_items (workspace_id, route, status, received_at desc, id desc);
create index inbox_items_by_source on inbox_items (workspace_id, source, status, received_at desc, id desc) where source is not null;
create index inbox_items_settled on inbox_items (received_at) where status <> 'received';
drop index inbox_items_by_time;

-- What an earlier attempt has folded of a delivery is asked for when it comes again. Ids rise with the rows, so that the ranges of
-- an index that costs an insert nothing are enough.
create index run_alerts_of_delivery on run_alerts using brin (delivery_id) with (pages_per_range = 16, autosummarize = on);

-- Refusals that wait to be told, and those that may be forgotten.
create index refusals_untold on refusals (reported_at) where refused > reported;
create index refusals_told on refusals (reported_at) where refused = reported and action <> 'claim.refused';
