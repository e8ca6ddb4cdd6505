-- The parts of `record_run` that write steps. The caller holds the run row.

create or replace function settle_step(p_run text, p_settle jsonb, p_known boolean, p_cost bigint) returns void
language plpgsql as $$
declare
  v_state constant text := p_settle ->> 'state';
  v_ended_at constant timestamptz := case when v_state in ('succeeded', 'failed', 'skipped', 'cancelled', 'expired') then now() end;
begin
  if p_known then
    update run_steps set state = v_state, attempt = coalesce((p_settle ->> 'attempt')::integer, 0),
      simulation = coalesce(p_settle -> 'simulation', simulation), outputs = p_settle -> 'outputs', error = p_settle -> 'error',
      message = p_settle ->> 'message', cost_micro_usd = cost_micro_usd + p_cost, reserved_micro_usd = 0, reserved_gpu_micro_usd = 0,
      reserved_storage_micro_usd = 0, ended_at = v_ended_at
    where run_id = p_run and step_id = p_settle ->> 'step_id';
  else
    insert into run_steps (run_id, step_id, ordinal, state, attempt, simulation, outputs, error, message, cost_micro_usd, started_at,
      ended_at)
    values (p_run, p_settle ->> 'step_id', (p_settle ->> 'ordinal')::integer, v_state, coalesce((p_settle ->> 'attempt')::integer, 0),
      p_settle -> 'simulation', p_settle -> 'outputs', p_settle -> 'error', p_settle ->> 'message', p_cost, now(), v_ended_at);
  end if;
end $$;

create or replace function keep_artifacts(p_run runs, p_settle jsonb) returns void
language plpgsql as $$
begin
  insert into artifact_bodies (digest, body)
  select a ->> 'digest', decode(a ->> 'body_base64', 'base64') from jsonb_array_elements(p_settle -> 'artifacts') t(a)
  where a ? 'body_base64' on conflict do nothing;
  insert into artifacts (id, run_id, workspace_id, step_id, name, media_type, size_bytes, digest, object_connection, object_key)
  select a ->> 'id', p_run.id, p_run.workspace_id, p_settle ->> 'step_id', a ->> 'name', a ->> 'media_type',
    (a ->> 'size_bytes')::integer, a ->> 'digest', a #>> '{object,connection}', a #>> '{object,key}'
  from jsonb_array_elements(p_settle -> 'artifacts') t(a)
  on conflict (run_id, name) do nothing;
end $$;

create or replace function open_step(p_run text, p_open jsonb, p_reserve bigint) returns void
language plpgsql as $$
declare
  v_day constant date := (p_open ->> 'budget_day')::date;
begin
  insert into run_steps as s (run_id, step_id, ordinal, state, attempt, plan_hash, inputs, simulation, reserved_micro_usd,
    reserved_gpu_micro_usd, reserved_storage_micro_usd, budget_day, workspace_budget_day, started_at)
  values (p_run, p_open ->> 'step_id', (p_open ->> 'ordinal')::integer, 'running', (p_open ->> 'attempt')::integer,
    p_open ->> 'plan_hash', p_open -> 'inputs', p_open -> 'simulation', p_reserve,
    coalesce((p_open ->> 'reserve_gpu_micro_usd')::bigint, 0), coalesce((p_open ->> 'reserve_storage_micro_usd')::bigint, 0),
    case when p_open ? 'daily_cap_micro_usd' then v_day end,
    case when p_open ? 'workspace_daily_cap_micro_usd' then v_day end, now())
  on conflict (run_id, step_id) do update set state = 'running', attempt = excluded.attempt, plan_hash = excluded.plan_hash,
    inputs = coalesce(excluded.inputs, s.inputs),
    simulation = coalesce(excluded.simulation, s.simulation), reserved_micro_usd = excluded.reserved_micro_usd,
    reserved_gpu_micro_usd = excluded.reserved_gpu_micro_usd, reserved_storage_micro_usd = excluded.reserved_storage_micro_usd,
    budget_day = excluded.budget_day, workspace_budget_day = excluded.workspace_budget_day,
    started_at = coalesce(s.started_at, now()), ended_at = null, error = null;
end $$;

-- Opens a gate; its step waits for it.
create or replace function open_gate(p_run runs, p_gate jsonb) returns void
language plpgsql as $$
begin
  if p_run.dry_run then raise exception 'a dry run opens no gate'; end if;
  insert into run_steps as s (run_id, step_id, ordinal, state, attempt, plan_hash, inputs, simulation)
  values (p_run.id, p_gate ->> 'step_id', (p_gate ->> 'ordinal')::integer,
    case p_gate ->> 'kind' when 'outcome_unknown' then 'outcome_unknown' else 'awaiting_approval' end, (p_gate ->> 'attempt')::integer,
    p_gate ->> 'plan_hash', p_gate -> 'inputs', p_gate -> 'simulation')
  on conflict (run_id, step_id) do update set state = excluded.state, plan_hash = excluded.plan_hash,
    inputs = coalesce(excluded.inputs, s.inputs), simulation = coalesce(excluded.simulation, s.simulation);
  insert into gates (id, run_id, workspace_id, step_id, kind, plan_hash, required, view, expires_at)
  values (p_gate ->> 'id', p_run.id, p_run.workspace_id, p_gate ->> 'step_id', p_gate ->> 'kind', p_gate ->> 'plan_hash',
    p_gate -> 'required', p_gate -> 'view', (p_gate ->> 'expires_at')::timestamptz);
end $$;

-- Ends the open parts of an ended run: steps that wait or were begun, and the open gate.
create or replace function end_steps(p_run text, p_status text) returns void
language plpgsql as $$
begin
  update run_steps s set ended_at = now(),
    message = case when state <> 'running' then message
      when is_remote(s) then 'an external worker was at it: the effect may have happened'
      else 'its worker was lost while it ran: how it ended is not known' end,
    state = case p_status when 'cancelled' then 'cancelled' when 'expired' then 'expired' else 'failed' end
  where run_id = p_run and state in ('running', 'awaiting_approval', 'ready');
  update gates set status = case when p_status = 'expired' then 'expired' else 'cancelled' end, resolved_at = now(),
    resolution = jsonb_build_object('by', 'system', 'channel', 'system', 'cause', 'run_' || p_status)
  where run_id = p_run and status = 'open';
end $$;

-- Tells whether a retry has begun a step of its own that neither reads nor asks a model, and so may have had an effect.
create or replace function has_acted(p_retry runs) returns boolean
language sql stable as $$
  select exists (
    select from run_steps s join plans p on p.digest = p_retry.plan_digest cross join jsonb_array_elements(p.plan -> 'steps') t(step)
    where s.run_id = p_retry.id and step ->> 'id' = s.step_id and s.started_at is not null and s.state <> 'skipped'
      and not coalesce(p_retry.provenance -> 'taken_over' ? s.step_id, false)
      and not (array[step ->> 'action_type', coalesce(step ->> 'operator_type', 'read')] <@ array['read', 'llm.generate']))
$$;

-- Gives an admitted retry the steps that its provenance takes over, by value from the record of the run that failed, and their artifacts. Of
-- several retries of a run one is admitted; another one may follow if people stopped that one before it had acted.
create or replace function take_over_steps(p_run runs) returns void
language plpgsql as $$
declare
  v_taken constant jsonb := p_run.provenance -> 'taken_over';
  v_failed runs;
  v_other runs;
  v_count integer;
begin
  select * into v_failed from runs where id = p_run.provenance ->> 'retry_of' and workspace_id = p_run.workspace_id for no key update;
  if v_failed.status is distinct from 'failed' or v_failed.dry_run or v_failed.pipeline_id is not null
     or v_failed.plan_digest <> p_run.plan_digest then
    raise exception 'the run % cannot be retried', p_run.provenance ->> 'retry_of' using errcode = 'SVC02';
  end if;
  select * into v_other from runs r
  where r.workspace_id = p_run.workspace_id and r.trigger_type = 'retry' and r.created_at >= v_failed.created_at and r.id <> p_run.id
    and r.provenance ->> 'retry_of' = v_failed.id and (r.status not in ('rejected', 'cancelled', 'expired') or has_acted(r)) limit 1;
  if found then
    raise exception 'the run has been retried as %, which is %', v_other.id, v_other.status
      || case when v_other.status in ('rejected', 'cancelled', 'expired')
        then ' and may have acted: look at the target, and start the run again if that is right' else '' end using errcode = 'SVC02';
  end if;
  insert into run_steps (run_id, step_id, ordinal, state, attempt, plan_hash, inputs, simulation, outputs, message, started_at, ended_at)
  select p_run.id, step_id, ordinal, state, attempt, plan_hash, inputs, simulation, outputs, message, started_at, ended_at
  from run_steps where run_id = v_failed.id and v_taken ? step_id and state in ('succeeded', 'skipped');
  get diagnostics v_count = row_count;
  if v_count <> (select count(*) from jsonb_object_keys(v_taken)) then
    raise exception 'a step of the run % is not settled', v_failed.id using errcode = 'SVC02';
  end if;
  insert into artifacts (id, run_id, workspace_id, step_id, name, media_type, size_bytes, digest, object_connection, object_key, created_at)
  select 'art_' || left(md5(p_run.id || '/' || name), 26), p_run.id, workspace_id, step_id, name, media_type, size_bytes, digest,
    object_connection, object_key, created_at
  from artifacts where run_id = v_failed.id and v_taken ? step_id;
  update runs set last_seq = number_events(p_run.id, p_run.last_seq, (
    select jsonb_agg(jsonb_build_object('key', 'step/' || step_id || '/taken_over', 'type', 'step.completed', 'step', step_id,
      'data', jsonb_build_object('taken_over_from', v_taken -> step_id)
        || case when state = 'skipped' then '{"skipped": true}'::jsonb else '{}' end) order by ordinal)
    from run_steps where run_id = p_run.id))
  where id = p_run.id;
end $$;
