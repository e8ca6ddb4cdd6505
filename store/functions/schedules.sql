-- Claims one time of a schedule, one claim after the other. The first claim chooses the id of the run; every repeat gets the same answer.
-- While the run before is active, the schedule's own rule decides. `p_line` are the times that are caught up together with this one: they
-- wait for each other whatever that rule is.
create or replace function claim_firing(p_schedule text, p_nominal timestamptz, p_run text, p_line timestamptz[] default '{}') returns jsonb
language plpgsql as $$
declare
  v_schedule schedules;
  v_firing schedule_firings;
  v_before schedule_firings;
  v_active text;
  v_ahead integer;
begin
  select * into v_schedule from schedules where id = p_schedule for update;
  if not found then return jsonb_build_object('state', 'gone'); end if;
  insert into schedule_firings (schedule_id, nominal_at, workspace_id, outcome, in_line)
  select p_schedule, t.nominal_at, v_schedule.workspace_id, 'waiting', true from unnest(p_line) as t (nominal_at)
  on conflict (schedule_id, nominal_at) do nothing;
  -- a claim in the queue proves that its time is being handled
  update schedule_firings set actual_at = now()
  where schedule_id = p_schedule and nominal_at = p_nominal and outcome = 'waiting' and in_line;
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
  -- a claim that was not completed for so long never will be
  if v_before.outcome = 'claimed' and v_before.actual_at > now() - interval '10 minutes' then
    v_active := v_before.run_id;
  else
    select id into v_active from runs where id = v_before.run_id and ended_at is null;
  end if;
  -- a lost tick blocks no other time
  select count(*) into v_ahead from schedule_firings
  where schedule_id = p_schedule and outcome = 'waiting' and in_line and nominal_at < p_nominal
    and actual_at > now() - interval '2 minutes';
  if v_active is null and v_ahead = 0 then
    insert into schedule_firings (schedule_id, nominal_at, workspace_id, run_id, outcome)
    values (p_schedule, p_nominal, v_schedule.workspace_id, p_run, 'claimed')
    on conflict (schedule_id, nominal_at) do update set run_id = p_run, outcome = 'claimed', actual_at = now();
    return jsonb_build_object('state', 'claimed', 'run_id', p_run);
  end if;
  if v_firing.in_line then
    return jsonb_build_object('state', 'in_line', 'ahead', v_ahead);
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

-- Settles a firing unless it is settled, and notes it on the schedule; only then its audit record is queued.
create or replace function settle_firing(p_schedule text, p_nominal timestamptz, p_outcome text, p_run text, p_reason text,
  p_audit jsonb default null)
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
  perform append_audit(jsonb_build_array(p_audit)) where p_audit is not null;
  return v_firing;
end $$;

-- Records the outcome of times that never ticked; returns their number. Does nothing if the schedule has changed since its rule was read.
create or replace function record_passed(p_schedule text, p_version integer, p_until timestamptz,
  p_times timestamptz[], p_outcomes text[], p_reasons text[])
returns integer
language plpgsql as $$
declare
  v_schedule schedules;
  v_recorded integer;
begin
  select * into v_schedule from schedules where id = p_schedule and version = p_version for update;
  if not found then return 0; end if;
  -- of the queued ones the lost ones; when the schedule ends, all
  insert into schedule_firings as f (schedule_id, nominal_at, workspace_id, outcome, reason)
  select p_schedule, t.nominal_at, v_schedule.workspace_id, t.outcome, t.reason
  from unnest(p_times, p_outcomes, p_reasons) as t (nominal_at, outcome, reason)
  on conflict (schedule_id, nominal_at) do update set outcome = excluded.outcome, reason = excluded.reason, actual_at = now()
    where f.outcome = 'waiting' and f.in_line
      and (f.actual_at < now() - interval '2 minutes' or excluded.outcome = 'skipped');
  get diagnostics v_recorded = row_count;
  update schedules s set accounted_until = greatest(s.accounted_until, p_until),
    last_fire = case when v_recorded > 0 and coalesce((s.last_fire ->> 'nominal_at')::timestamptz < f.nominal_at, true)
      then jsonb_strip_nulls(jsonb_build_object('nominal_at', f.nominal_at, 'actual_at', f.actual_at, 'run_id', f.run_id,
        'outcome', f.outcome, 'reason', f.reason))
      else s.last_fire end
  from (select * from schedule_firings where schedule_id = p_schedule and nominal_at = any(p_times)
        order by nominal_at desc limit 1) as f
  where s.id = p_schedule;
  return v_recorded;
end $$;

-- Pauses, resumes or deletes, and records the outcome of the times up to this moment that have not ticked. Returns the changed record, or
-- none when the schedule has another version.
create or replace function change_schedule(p_schedule text, p_version integer, p_enabled boolean, p_deleted boolean, p_until timestamptz,
  p_times timestamptz[], p_outcomes text[], p_reasons text[], p_audit jsonb)
returns setof schedules
language plpgsql as $$
declare
  v_schedule schedules;
begin
  perform record_passed(p_schedule, p_version, p_until, p_times, p_outcomes, p_reasons);
  update schedules set enabled = p_enabled, version = version + 1, updated_at = now(), accounted_until = p_until,
    deleted_at = case when p_deleted then now() end
  where id = p_schedule and version = p_version and deleted_at is null returning * into v_schedule;
  if not found then return; end if;
  insert into audit_outbox (draft) values (p_audit);
  -- the schedule that it overrode is in force from now on
  if p_deleted then
    update schedules set accounted_until = now()
    where workspace_id = v_schedule.workspace_id and name = v_schedule.name and id <> p_schedule;
  end if;
  return next v_schedule;
end $$;

-- A future time is not fired. The engine's clock may be a second ahead.
create or replace function refuse_firing_to_come() returns trigger
language plpgsql as $$
begin
  raise exception 'the time % of schedule % has not come', new.nominal_at, new.schedule_id using errcode = 'check_violation';
end $$;
