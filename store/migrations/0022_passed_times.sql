drop function record_missed(text, integer, timestamptz, timestamptz[], text[]);

-- Writes down what becomes of times that never ticked; answers with how many there were. Nothing happens to a schedule that has
-- changed since its rule was read.
create function record_passed(p_schedule text, p_version integer, p_until timestamptz,
  p_times timestamptz[], p_outcomes text[], p_reasons text[])
returns integer
language plpgsql as $$
declare
  v_schedule schedules;
  v_recorded integer;
begin
  select * into v_schedule from schedules where id = p_schedule and version = p_version for update;
  if not found then return 0; end if;
  -- of those that stand in line the lost ones; when the schedule ends, all
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

-- Pauses, resumes or deletes, and writes down what becomes of the times up to this moment that have not ticked. Answers with
-- the changed record, or with none when the schedule has another version by now.
create function change_schedule(p_schedule text, p_version integer, p_enabled boolean, p_deleted boolean, p_until timestamptz,
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
  -- what it stood over is in force from now on
  if p_deleted then
    update schedules set accounted_until = now()
    where workspace_id = v_schedule.workspace_id and name = v_schedule.name and id <> p_schedule;
  end if;
  return next v_schedule;
end $$;
