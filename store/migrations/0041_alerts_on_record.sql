-- A run keeps the alert that started it and the last state of its first members; the others are on record by their digests.
alter table run_alerts add column digest bytea;

create table run_trigger_alerts (
  run_id text primary key references runs (id),
  alert jsonb not null,
  -- more members came than the run keeps
  members_cut boolean not null default false
);
call lock_rows('run_trigger_alerts', 'sees_run(run_id)');

create table run_alert_states (
  run_id text not null references runs (id),
  member text not null,
  status text not null check (status in ('firing', 'resolved')),
  alert jsonb not null,
  received_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (run_id, member)
);
call lock_rows('run_alert_states', 'sees_run(run_id)');

create or replace view visible_run_alerts with (security_barrier) as
  select a.run_id, a.id, a.delivery_id, a.status, a.received_at, 'sha256:' || encode(a.digest, 'hex') as digest
  from runs r join run_alerts a on a.run_id = r.id
  where (select current_setting('svc.workspace', true)) in ('*', r.workspace_id);
