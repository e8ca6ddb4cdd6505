-- The hot path: one statement per transaction, everything under the run row's lock.

-- Numbers events after `p_last_seq`, skips those whose key is known, answers the new last number. The caller holds the run row.
create function number_events(p_run_id text, p_last_seq bigint, p_events jsonb) returns bigint
language plpgsql as $$
declare
  v_last bigint;
begin
  if p_events is null or p_events = '[]' then return p_last_seq; end if;
  with fresh as (
    select e, row_number() over (order by position) as n
    from jsonb_array_elements(p_events) with ordinality t(e, position)
    where not exists (select 1 from run_events x where x.run_id = p_run_id and x.event_key = e ->> 'key')
  ), written as (
    insert into run_events (run_id, seq, event_key, type, ts, step_id, actor, data)
    select p_run_id, p_last_seq + n, e ->> 'key', e ->> 'type', date_trunc('milliseconds', clock_timestamp()),
           e ->> 'step', e -> 'actor', coalesce(e -> 'data', '{}')
    from fresh
    returning seq
  )
  select coalesce(max(seq), p_last_seq) into v_last from written;
  return v_last;
end $$;

-- Appends events to a run of which nothing else changes.
create function append_events(p_run_id text, p_events jsonb) returns bigint
language plpgsql as $$
declare
  v_last bigint;
begin
  select last_seq into v_last from runs where id = p_run_id for update;
  if not found then return null; end if;
  v_last := number_events(p_run_id, v_last, p_events);
  update runs set last_seq = v_last, updated_at = now() where id = p_run_id;
  return v_last;
end $$;

-- Puts audit drafts in line for the sequencer; answers their places in line.
create function append_audit(p_drafts jsonb) returns jsonb
language plpgsql as $$
declare
  v_places jsonb;
begin
  if p_drafts is null or p_drafts = '[]' then return '[]'; end if;
  with written as (
    insert into audit_outbox (draft)
    select d from jsonb_array_elements(p_drafts) with ordinality t(d, position) order by position
    returning id, draft ->> 'id' as draft_id
  )
  select jsonb_agg(jsonb_build_object('outbox_id', id, 'draft_id', draft_id) order by id) into v_places from written;
  return v_places;
end $$;

-- Starts runs, or folds them onto the active run of their fingerprint. Drafts of one fingerprint arrive as one, with
-- `alerts` naming every member; the caller sorts by fingerprint so that two batches never lock in opposite order.
create function admit_runs(p_drafts jsonb) returns jsonb
language plpgsql as $$
declare
  v_result jsonb;
begin
  insert into plans (digest, plan)
  select distinct on (d ->> 'plan_digest') d ->> 'plan_digest', d -> 'plan'
  from jsonb_array_elements(p_drafts) t(d) where d ? 'plan'
  on conflict do nothing;

  -- `key` pairs a run with its draft, by hash: the fingerprint when there is one, else the run's own id
  with drafts as materialized (
    select d, position, d ->> 'id' as draft_id, coalesce(d ->> 'fingerprint', d ->> 'id') as key, d ->> 'workspace_id' as workspace,
      greatest(jsonb_array_length(coalesce(d -> 'alerts', '[]')), 1) as members
    from jsonb_array_elements(p_drafts) with ordinality t(d, position)
  ), admitted as (
    insert into runs (id, workspace_id, pack, template, template_version, template_digest, plan_digest, status, lane,
      environment, environment_class, profile, config_preset, sandbox, dry_run, risk, action_types, capabilities, inputs,
      inputs_hash, reason, labels, provenance, fingerprint, attached_count, cap_micro_usd, last_seq)
    select d ->> 'id', d ->> 'workspace_id', d ->> 'pack', d ->> 'template', d ->> 'template_version',
      d ->> 'template_digest', d ->> 'plan_digest', 'queued', d ->> 'lane', d ->> 'environment',
      d ->> 'environment_class', d ->> 'profile', d ->> 'config_preset', (d ->> 'sandbox')::boolean,
      (d ->> 'dry_run')::boolean, d ->> 'risk',
      array(select jsonb_array_elements_text(d -> 'action_types')), array(select jsonb_array_elements_text(d -> 'capabilities')),
      d -> 'inputs', d ->> 'inputs_hash', d ->> 'reason', d -> 'labels', d -> 'provenance', d ->> 'fingerprint',
      members - 1, (d ->> 'cap_micro_usd')::bigint, case when members > 1 then 2 else 1 end
    from drafts order by position
    on conflict (workspace_id, fingerprint)
      where fingerprint is not null and status in ('queued', 'running', 'awaiting_approval', 'cancelling')
      do update set attached_count = runs.attached_count + excluded.attached_count + 1,
                    last_seq = runs.last_seq + 1, updated_at = now()
    returning id, workspace_id, coalesce(fingerprint, id) as key, attached_count, last_seq, status
  ), paired as (
    select a.id, a.attached_count, a.last_seq, a.status, a.id = drafts.draft_id as started, drafts.d, drafts.members, drafts.position
    from admitted a join drafts on drafts.key = a.key and drafts.workspace = a.workspace_id
  ), queued as (
    insert into run_events (run_id, seq, event_key, type, ts, actor, data)
    select id, 1, 'run/queued', 'run.queued', date_trunc('milliseconds', clock_timestamp()), d -> 'actor',
           jsonb_build_object('lane', d ->> 'lane', 'template', (d ->> 'pack') || '/' || (d ->> 'template'))
    from paired where started
  ), attached as (
    insert into run_events (run_id, seq, event_key, type, ts, data)
    select id, last_seq, 'alert/attached/' || (d ->> 'id'), 'alert.attached',
           date_trunc('milliseconds', clock_timestamp()),
           jsonb_build_object('count', case when started then members - 1 else members end, 'attached_count', attached_count)
    from paired where not started or members > 1
  ), alerts as (
    insert into run_alerts (run_id, delivery_id, member, status)
    select id, a ->> 'delivery_id', a ->> 'member', 'firing'
    from paired, jsonb_array_elements(coalesce(d -> 'alerts', '[]')) with ordinality m(a, n) order by position, n
  ), outbox as (
    insert into start_outbox (run_id) select id from paired where started
  ), audited as (
    insert into audit_outbox (draft) select d -> 'audit' from paired where started and d ? 'audit' order by position
  )
  select jsonb_agg(jsonb_build_object('run_id', id, 'started', started, 'status', status,
    'attached_count', attached_count) order by position) into v_result from paired;
  return v_result;
end $$;

-- Writes one transition of a run: takes or checks the fence, settles a step, opens the next, opens a gate, moves the run,
-- and records events and audit, all or nothing. Answers `{refused: …}` and changes nothing when it may not.
-- A reservation that does not fit raises SVC01 (so that a lost attempt's reservation stays) and becomes such an answer.
create function record_run(p jsonb) returns jsonb
language plpgsql as $$
declare
  v_id constant text := p ->> 'run_id';
  v_run runs;
  v_settle constant jsonb := p -> 'settle';
  v_open constant jsonb := p -> 'open';
  v_gate constant jsonb := p -> 'gate';
  v_status text := p #>> '{run,status}';
  v_step run_steps;
  v_released bigint := 0;
  v_stale bigint := 0;
  v_stale_day date;
  v_llm bigint := 0;
  v_gpu bigint := 0;
  v_storage bigint := 0;
  v_reserve bigint := coalesce((v_open ->> 'reserve_micro_usd')::bigint, 0);
  v_day date := (v_open ->> 'budget_day')::date;
  v_last bigint;
  v_audit jsonb;
begin
  select * into v_run from runs where id = v_id for update;
  if not found then return jsonb_build_object('refused', 'not_found'); end if;
  if v_run.ended_at is not null then
    return jsonb_build_object('refused', 'terminal', 'status', v_run.status);
  end if;
  if not coalesce((p ->> 'take_fence')::boolean, false) and not coalesce((p ->> 'any_fence')::boolean, false)
     and v_run.fence is distinct from (p ->> 'fence')::integer then
    return jsonb_build_object('refused', 'fenced');
  end if;
  if v_status = 'running' and v_run.status = 'awaiting_approval'
     and exists (select 1 from gates where run_id = v_id and status = 'open') then
    -- the attempt that parked the run was lost before it could say so: the run still waits
    v_status := null;
  end if;
  if v_run.status = 'cancelling' and (v_open is not null or v_gate is not null or v_status = 'running') then
    return jsonb_build_object('refused', 'cancelling');
  end if;

  if v_settle is not null then
    select * into v_step from run_steps where run_id = v_id and step_id = v_settle ->> 'step_id' for update;
    v_released := coalesce(v_step.reserved_micro_usd, 0);
    v_llm := coalesce((v_settle ->> 'llm_micro_usd')::bigint, 0);
    v_gpu := coalesce((v_settle ->> 'gpu_micro_usd')::bigint, 0);
    v_storage := coalesce((v_settle ->> 'storage_micro_usd')::bigint, 0);
  end if;

  if v_open is not null then
    -- a lost attempt's reservation of this step is replaced, not added to
    select reserved_micro_usd, budget_day into v_stale, v_stale_day from run_steps
    where run_id = v_id and step_id = v_open ->> 'step_id' for update;
    v_stale := coalesce(v_stale, 0);
    v_released := v_released + v_stale;
    if v_stale > 0 and v_stale_day is not null then
      update environment_budgets set reserved_micro_usd = reserved_micro_usd - v_stale
      where workspace_id = v_run.workspace_id and environment = v_run.environment and day = v_stale_day;
    end if;
  end if;

  if v_reserve > 0 then
    if v_run.llm_micro_usd + v_run.gpu_micro_usd + v_run.storage_micro_usd + v_llm + v_gpu + v_storage
       + v_run.reserved_micro_usd - v_released + v_reserve > v_run.cap_micro_usd then
      raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'run', 'cap_micro_usd', v_run.cap_micro_usd,
        'spent_micro_usd', v_run.llm_micro_usd + v_run.gpu_micro_usd + v_run.storage_micro_usd + v_llm + v_gpu + v_storage)::text;
    end if;
    if v_open ? 'daily_cap_micro_usd' then
      insert into environment_budgets as b (workspace_id, environment, day, cap_micro_usd, reserved_micro_usd)
      select v_run.workspace_id, v_run.environment, v_day, (v_open ->> 'daily_cap_micro_usd')::bigint, v_reserve
      where v_reserve <= (v_open ->> 'daily_cap_micro_usd')::bigint
      on conflict (workspace_id, environment, day) do update
        set reserved_micro_usd = b.reserved_micro_usd + v_reserve, cap_micro_usd = excluded.cap_micro_usd
        where b.spent_micro_usd + b.reserved_micro_usd + v_reserve <= excluded.cap_micro_usd;
      if not found then
        raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'environment',
          'cap_micro_usd', (v_open ->> 'daily_cap_micro_usd')::bigint)::text;
      end if;
    end if;
  end if;

  if v_settle is not null then
    insert into run_steps as s (run_id, step_id, ordinal, state, attempt, simulation, outputs, error, message, cost_micro_usd,
      started_at, ended_at)
    values (v_id, v_settle ->> 'step_id', (v_settle ->> 'ordinal')::integer, v_settle ->> 'state',
      coalesce((v_settle ->> 'attempt')::integer, 0), v_settle -> 'simulation', v_settle -> 'outputs', v_settle -> 'error',
      v_settle ->> 'message', v_llm + v_gpu + v_storage, now(), now())
    on conflict (run_id, step_id) do update set state = excluded.state, attempt = excluded.attempt,
      simulation = coalesce(excluded.simulation, s.simulation), outputs = excluded.outputs, error = excluded.error,
      message = excluded.message, cost_micro_usd = s.cost_micro_usd + excluded.cost_micro_usd, reserved_micro_usd = 0,
      ended_at = case when excluded.state in ('succeeded', 'failed', 'skipped', 'cancelled', 'expired') then now() end;
    if coalesce(v_step.reserved_micro_usd, 0) > 0 or v_llm + v_gpu + v_storage > 0 then
      insert into ledger_entries (run_id, step_id, attempt, workspace_id, environment, llm_micro_usd, gpu_micro_usd,
        storage_micro_usd, overrun_micro_usd)
      select v_id, v_settle ->> 'step_id', (v_settle ->> 'attempt')::integer, v_run.workspace_id, v_run.environment,
        v_llm, v_gpu, v_storage, coalesce((v_settle ->> 'overrun_micro_usd')::bigint, 0)
      -- an attempt that cost nothing and is to be repeated leaves its number to whoever settles it for good
      where v_settle ->> 'state' <> 'ready' or v_llm + v_gpu + v_storage > 0;
      if v_step.budget_day is not null then
        update environment_budgets set reserved_micro_usd = reserved_micro_usd - v_step.reserved_micro_usd,
          spent_micro_usd = spent_micro_usd + v_llm + v_gpu + v_storage
        where workspace_id = v_run.workspace_id and environment = v_run.environment and day = v_step.budget_day;
      end if;
    end if;
    insert into artifact_bodies (digest, body)
    select a ->> 'digest', decode(a ->> 'body_base64', 'base64') from jsonb_array_elements(coalesce(v_settle -> 'artifacts', '[]')) t(a)
    on conflict do nothing;
    insert into artifacts (id, run_id, workspace_id, step_id, name, media_type, size_bytes, digest)
    select a ->> 'id', v_id, v_run.workspace_id, v_settle ->> 'step_id', a ->> 'name', a ->> 'media_type',
      (a ->> 'size_bytes')::integer, a ->> 'digest' from jsonb_array_elements(coalesce(v_settle -> 'artifacts', '[]')) t(a)
    on conflict (run_id, name) do nothing;
  end if;

  if v_open is not null then
    insert into run_steps as s (run_id, step_id, ordinal, state, attempt, plan_hash, simulation, reserved_micro_usd,
      budget_day, started_at)
    values (v_id, v_open ->> 'step_id', (v_open ->> 'ordinal')::integer, 'running', (v_open ->> 'attempt')::integer,
      v_open ->> 'plan_hash', v_open -> 'simulation', v_reserve, case when v_open ? 'daily_cap_micro_usd' then v_day end, now())
    on conflict (run_id, step_id) do update set state = 'running', attempt = excluded.attempt, plan_hash = excluded.plan_hash,
      simulation = coalesce(excluded.simulation, s.simulation), reserved_micro_usd = excluded.reserved_micro_usd,
      budget_day = excluded.budget_day, started_at = coalesce(s.started_at, now()), ended_at = null, error = null;
  end if;

  if v_gate is not null then
    v_status := 'awaiting_approval';
    insert into run_steps as s (run_id, step_id, ordinal, state, attempt, plan_hash, simulation)
    values (v_id, v_gate ->> 'step_id', (v_gate ->> 'ordinal')::integer,
      case v_gate ->> 'kind' when 'outcome_unknown' then 'outcome_unknown' else 'awaiting_approval' end, (v_gate ->> 'attempt')::integer,
      v_gate ->> 'plan_hash', v_gate -> 'simulation')
    on conflict (run_id, step_id) do update set state = excluded.state, plan_hash = excluded.plan_hash,
      simulation = coalesce(excluded.simulation, s.simulation);
    insert into gates (id, run_id, workspace_id, step_id, kind, plan_hash, required, view, expires_at)
    values (v_gate ->> 'id', v_id, v_run.workspace_id, v_gate ->> 'step_id', v_gate ->> 'kind', v_gate ->> 'plan_hash',
      v_gate -> 'required', v_gate -> 'view', (v_gate ->> 'expires_at')::timestamptz);
  end if;

  if v_status in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired') then
    -- what a lost attempt still holds is given back: it was fenced before it could spend
    select v_released + coalesce(sum(reserved_micro_usd), 0) into v_released from run_steps where run_id = v_id;
    update environment_budgets b set reserved_micro_usd = b.reserved_micro_usd - s.reserved_micro_usd
    from run_steps s where s.run_id = v_id and s.reserved_micro_usd > 0 and s.budget_day = b.day
      and b.workspace_id = v_run.workspace_id and b.environment = v_run.environment;
    update run_steps set reserved_micro_usd = 0, ended_at = now(),
      message = case when state = 'running' then 'its worker was lost while it ran: how it ended is not known' else message end,
      state = case when v_status = 'cancelled' then 'cancelled' when v_status = 'expired' then 'expired' else 'failed' end
    where run_id = v_id and state in ('running', 'awaiting_approval', 'ready');
    update gates set status = case when v_status = 'expired' then 'expired' else 'cancelled' end, resolved_at = now(),
      resolution = jsonb_build_object('by', 'system', 'channel', 'system', 'cause', 'run_' || v_status)
    where run_id = v_id and status = 'open';
  end if;

  v_last := number_events(v_id, v_run.last_seq, p -> 'events');
  v_audit := append_audit(p -> 'audit');
  update runs set
    fence = fence + case when (p ->> 'take_fence')::boolean then 1 else 0 end,
    status = coalesce(v_status, status),
    status_reason = case when p -> 'run' ? 'status_reason' then p #>> '{run,status_reason}' else status_reason end,
    outputs = coalesce(p #> '{run,outputs}', outputs),
    error = coalesce(p #> '{run,error}', error),
    current_step = coalesce(v_open ->> 'step_id', v_gate ->> 'step_id', current_step),
    llm_micro_usd = llm_micro_usd + v_llm,
    gpu_micro_usd = gpu_micro_usd + v_gpu,
    storage_micro_usd = storage_micro_usd + v_storage,
    reserved_micro_usd = reserved_micro_usd - v_released + v_reserve,
    started_at = case when coalesce(v_status, status) <> 'queued' then coalesce(started_at, now()) else started_at end,
    awaiting_since = case when coalesce(v_status, status) = 'awaiting_approval' then coalesce(awaiting_since, now()) end,
    ended_at = case when v_status in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired') then now() end,
    last_seq = v_last,
    updated_at = now()
  where id = v_id
  returning * into v_run;
  if coalesce((p ->> 'take_fence')::boolean, false) then
    delete from start_outbox where run_id = v_id;
  end if;
  return jsonb_build_object('fence', v_run.fence, 'last_seq', v_last, 'status', v_run.status, 'audit', v_audit);
end $$;

-- Records a decision on a gate. The first resolution to be recorded stands; everyone later is answered with it.
create function resolve_gate(p jsonb) returns jsonb
language plpgsql as $$
declare
  v_gate gates;
  v_resolution constant text := p ->> 'resolution';
  v_written jsonb;
  v_cancelling boolean;
begin
  select status = 'cancelling' into v_cancelling from runs where id = p ->> 'run_id' for update;
  select * into v_gate from gates where id = p ->> 'gate_id' and run_id = p ->> 'run_id' for update;
  if not found then return jsonb_build_object('refused', 'not_found'); end if;
  if v_gate.status <> 'open' then
    return jsonb_build_object('refused', 'resolved', 'status', v_gate.status, 'resolved_at', v_gate.resolved_at,
      'resolution', v_gate.resolution);
  end if;
  if p ? 'vote' then
    insert into gate_decisions (gate_id, decision_id, decided_by, decision, note, channel, asserted)
    values (v_gate.id, p #>> '{vote,decision_id}', p #>> '{vote,by}', p #>> '{vote,decision}', p #>> '{vote,note}',
      p #>> '{vote,channel}', (p #>> '{vote,asserted}')::boolean)
    on conflict do nothing;
  end if;
  if v_resolution is not null then
    update gates set status = v_resolution, resolved_at = now(), resolution = p -> 'resolved' where id = v_gate.id
    returning * into v_gate;
    update run_steps set state = case v_resolution when 'approved' then 'ready' when 'expired' then 'expired' else 'cancelled' end,
      ended_at = case when v_resolution <> 'approved' then now() end
    where run_id = v_gate.run_id and step_id = v_gate.step_id;
  end if;
  -- a run that is being cancelled goes on being cancelled, also when its last gate was approved before
  v_written := record_run(jsonb_build_object('run_id', v_gate.run_id, 'take_fence', true, 'events', p -> 'events',
    'audit', p -> 'audit') || case when v_cancelling then '{}' else jsonb_build_object('run', p -> 'run') end);
  return v_written || jsonb_build_object('resolved_at', v_gate.resolved_at);
end $$;
