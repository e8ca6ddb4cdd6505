-- Schedules, and what became of each of their times.

create table schedules (
  id text primary key check (starts_with(id, 'sch_') and length(id) = 30),
  workspace_id text not null references workspaces,
  name text not null,
  source text not null check (source in ('console', 'pack', 'skill', 'overlay')),
  cron text not null,
  timezone text not null,
  days text check (days in ('and', 'or')),
  pack text not null,
  template text not null,
  inputs jsonb not null default '{}',
  dry_run boolean not null default false,
  profile text,
  environment text,
  config_preset text,
  preset_version integer,
  enabled boolean not null default true,
  catchup text not null default 'none' check (catchup in ('none', 'latest', 'all')),
  overlap text not null default 'skip' check (overlap in ('skip', 'queue', 'cancel_previous')),
  jitter_s integer not null default 0 check (jitter_s >= 0),
  dst jsonb not null,
  last_fire jsonb,
  created_by text,
  -- rises with every change; `synced_version` is the one that the engine has
  version integer not null default 1,
  synced_version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index schedules_one_per_name on schedules (workspace_id, name, source) where deleted_at is null;
create index schedules_newest on schedules (workspace_id, created_at desc, id desc) where deleted_at is null;

-- One firing per schedule and nominal time. `claimed` has chosen the id of its run and may not have started it yet;
-- `waiting` follows the run before. The run is no foreign key, as its id is chosen before it exists.
create table schedule_firings (
  schedule_id text not null references schedules,
  nominal_at timestamptz not null,
  workspace_id text not null references workspaces,
  run_id text,
  outcome text not null check (outcome in
    ('claimed', 'waiting', 'started', 'skipped', 'missed', 'denied', 'frozen', 'invalid')),
  reason text,
  actual_at timestamptz not null default now(),
  primary key (schedule_id, nominal_at),
  constraint schedule_firings_started_a_run check ((outcome in ('claimed', 'started')) = (run_id is not null))
);
create index schedule_firings_with_run on schedule_firings (schedule_id, nominal_at desc) where run_id is not null;
create index schedule_firings_waiting on schedule_firings (schedule_id) where outcome = 'waiting';

call lock_to_workspace('schedules');
call lock_to_workspace('schedule_firings');

-- Settles a firing that is not settled yet, and notes it on the schedule.
create function settle_firing(p_schedule text, p_nominal timestamptz, p_outcome text, p_run text, p_reason text)
returns schedule_firings
language plpgsql as $$
declare
  v_firing schedule_firings;
begin
  insert into schedule_firings as f (schedule_id, nominal_at, workspace_id, run_id, outcome, reason)
  select id, p_nominal, workspace_id, p_run, p_outcome, p_reason from schedules where id = p_schedule
  on conflict (schedule_id, nominal_at) do update
    set outcome = excluded.outcome, run_id = excluded.run_id, reason = excluded.reason, actual_at = now()
    where f.outcome in ('claimed', 'waiting')
  returning * into v_firing;
  if not found then
    select * into v_firing from schedule_firings where schedule_id = p_schedule and nominal_at = p_nominal;
    return v_firing;
  end if;
  update schedules set last_fire = jsonb_strip_nulls(jsonb_build_object('nominal_at', v_firing.nominal_at,
    'actual_at', v_firing.actual_at, 'run_id', v_firing.run_id, 'outcome', v_firing.outcome, 'reason', v_firing.reason))
  where id = p_schedule and coalesce((last_fire ->> 'nominal_at')::timestamptz <= p_nominal, true);
  return v_firing;
end $$;

-- Claims one time of a schedule, one claim after the other. The first claim chooses the id of the run; every repeat is
-- answered with it. While the run before is active, the schedule's own rule says what happens.
create function claim_firing(p_schedule text, p_nominal timestamptz, p_run text) returns jsonb
language plpgsql as $$
declare
  v_schedule schedules;
  v_firing schedule_firings;
  v_before schedule_firings;
  v_active text;
begin
  select * into v_schedule from schedules where id = p_schedule for update;
  if not found then return jsonb_build_object('state', 'gone'); end if;
  select * into v_firing from schedule_firings where schedule_id = p_schedule and nominal_at = p_nominal;
  if v_firing.outcome = 'claimed' then
    return jsonb_build_object('state', 'claimed', 'run_id', v_firing.run_id);
  end if;
  if v_firing.outcome <> 'waiting' then
    return jsonb_build_object('state', 'settled', 'outcome', v_firing.outcome, 'run_id', v_firing.run_id, 'reason', v_firing.reason);
  end if;
  if v_schedule.deleted_at is not null or not v_schedule.enabled then
    v_firing := settle_firing(p_schedule, p_nominal, 'skipped', null,
      case when v_schedule.deleted_at is null then 'paused' else 'deleted' end);
    return jsonb_build_object('state', 'settled', 'outcome', v_firing.outcome, 'reason', v_firing.reason);
  end if;

  select * into v_before from schedule_firings
  where schedule_id = p_schedule and run_id is not null order by nominal_at desc limit 1;
  -- a claim that nobody has completed for so long never will be
  if v_before.outcome = 'claimed' and v_before.actual_at > now() - interval '10 minutes' then
    v_active := v_before.run_id;
  else
    select id into v_active from runs where id = v_before.run_id and ended_at is null;
  end if;
  if v_active is null then
    insert into schedule_firings (schedule_id, nominal_at, workspace_id, run_id, outcome)
    values (p_schedule, p_nominal, v_schedule.workspace_id, p_run, 'claimed')
    on conflict (schedule_id, nominal_at) do update set run_id = p_run, outcome = 'claimed', actual_at = now();
    return jsonb_build_object('state', 'claimed', 'run_id', p_run);
  end if;
  if v_schedule.overlap = 'skip' or (v_firing.outcome is null
      and exists (select from schedule_firings where schedule_id = p_schedule and outcome = 'waiting')) then
    v_firing := settle_firing(p_schedule, p_nominal, 'skipped', null,
      case v_schedule.overlap when 'skip' then 'overlap' else 'queue_full' end);
    return jsonb_build_object('state', 'settled', 'outcome', v_firing.outcome, 'reason', v_firing.reason);
  end if;
  insert into schedule_firings (schedule_id, nominal_at, workspace_id, outcome)
  values (p_schedule, p_nominal, v_schedule.workspace_id, 'waiting')
  on conflict (schedule_id, nominal_at) do nothing;
  return jsonb_build_object('state', 'waiting', 'active_run', v_active);
end $$;
