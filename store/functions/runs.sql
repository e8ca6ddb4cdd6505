-- Writes one transition of a run: takes or checks the fence, settles a step, opens the next, opens a gate, moves the run,
-- and records events and audit, all or nothing. Answers `{refused: …}` and changes nothing when it may not.
-- A reservation that does not fit raises SVC01, so that nothing of the statement has happened, and becomes such an answer.
create or replace function record_run(p jsonb) returns jsonb
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
  v_refused jsonb;
  v_lost jsonb;
  v_settled jsonb := '[]';
  v_reserved jsonb := '[]';
  v_llm bigint := 0;
  v_gpu bigint := 0;
  v_storage bigint := 0;
  v_reserve bigint := coalesce((v_open ->> 'reserve_micro_usd')::bigint, 0);
  v_cap bigint;
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

  if v_open is not null then
    v_refused := refuse_opening(v_run, v_open);
    if v_refused is not null then return v_refused; end if;
  end if;

  if v_settle is not null then
    select * into v_step from run_steps where run_id = v_id and step_id = v_settle ->> 'step_id' for update;
    v_released := coalesce(v_step.reserved_micro_usd, 0);
  end if;
  if v_run.reserved_micro_usd > v_released then
    v_lost := charge_lost(v_run, p);
    if v_lost is not null then select * into v_run from runs where id = v_id; end if;
  end if;
  -- what reserved nothing and has cost something all the same is charged nothing, and stands in the ledger
  if v_released > 0 or ((v_settle ->> 'overrun_micro_usd')::bigint > 0 and v_step.state = 'running' and not exists (
      select from ledger_entries where run_id = v_id and step_id = v_step.step_id and attempt = v_step.attempt)) then
    select llm, gpu, storage, event into v_llm, v_gpu, v_storage, v_settled from charge_attempt(v_run, v_step, v_settle);
  end if;

  if v_reserve > 0 then
    -- a cap that was lowered since the run began counts; `least` passes over the null of what was not said
    v_cap := least(v_run.cap_micro_usd, (v_open ->> 'run_cap_micro_usd')::bigint);
    if v_run.llm_micro_usd + v_run.gpu_micro_usd + v_run.storage_micro_usd + v_llm + v_gpu + v_storage
       + v_run.reserved_micro_usd - v_released + v_reserve > v_cap then
      raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'run', 'cap_micro_usd', v_cap,
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
    if v_open ? 'workspace_daily_cap_micro_usd' then
      insert into environment_budgets as b (workspace_id, environment, day, cap_micro_usd, reserved_micro_usd)
      select v_run.workspace_id, '*', v_day, (v_open ->> 'workspace_daily_cap_micro_usd')::bigint, v_reserve
      where v_reserve <= (v_open ->> 'workspace_daily_cap_micro_usd')::bigint
      on conflict (workspace_id, environment, day) do update
        set reserved_micro_usd = b.reserved_micro_usd + v_reserve, cap_micro_usd = excluded.cap_micro_usd
        where b.spent_micro_usd + b.reserved_micro_usd + v_reserve <= excluded.cap_micro_usd;
      if not found then
        raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'workspace',
          'cap_micro_usd', (v_open ->> 'workspace_daily_cap_micro_usd')::bigint)::text;
      end if;
    end if;
  end if;

  if v_reserve > 0 then
    v_reserved := jsonb_build_array(jsonb_build_object('type', 'budget.reserved', 'step', v_open ->> 'step_id',
      'key', format('step/%s/%s/reserved/%s', v_open ->> 'step_id', v_open ->> 'attempt', v_run.last_seq),
      'data', jsonb_build_object('attempt', (v_open ->> 'attempt')::integer, 'usd', usd_from_micro(v_reserve))));
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
      reserved_gpu_micro_usd = 0, reserved_storage_micro_usd = 0,
      ended_at = case when excluded.state in ('succeeded', 'failed', 'skipped', 'cancelled', 'expired') then now() end;
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
      reserved_gpu_micro_usd, reserved_storage_micro_usd, budget_day, workspace_budget_day, started_at)
    values (v_id, v_open ->> 'step_id', (v_open ->> 'ordinal')::integer, 'running', (v_open ->> 'attempt')::integer,
      v_open ->> 'plan_hash', v_open -> 'simulation', v_reserve,
      coalesce((v_open ->> 'reserve_gpu_micro_usd')::bigint, 0), coalesce((v_open ->> 'reserve_storage_micro_usd')::bigint, 0),
      case when v_open ? 'daily_cap_micro_usd' then v_day end,
      case when v_open ? 'workspace_daily_cap_micro_usd' then v_day end, now())
    on conflict (run_id, step_id) do update set state = 'running', attempt = excluded.attempt, plan_hash = excluded.plan_hash,
      simulation = coalesce(excluded.simulation, s.simulation), reserved_micro_usd = excluded.reserved_micro_usd,
      reserved_gpu_micro_usd = excluded.reserved_gpu_micro_usd, reserved_storage_micro_usd = excluded.reserved_storage_micro_usd,
      budget_day = excluded.budget_day, workspace_budget_day = excluded.workspace_budget_day, started_at = coalesce(s.started_at, now()), ended_at = null, error = null;
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
    update run_steps set ended_at = now(),
      message = case when state = 'running' then 'its worker was lost while it ran: how it ended is not known' else message end,
      state = case when v_status = 'cancelled' then 'cancelled' when v_status = 'expired' then 'expired' else 'failed' end
    where run_id = v_id and state in ('running', 'awaiting_approval', 'ready');
    update gates set status = case when v_status = 'expired' then 'expired' else 'cancelled' end, resolved_at = now(),
      resolution = jsonb_build_object('by', 'system', 'channel', 'system', 'cause', 'run_' || v_status)
    where run_id = v_id and status = 'open';
  end if;

  v_last := number_events(v_id, v_run.last_seq, coalesce(v_lost -> 'events', '[]') || v_settled
    || coalesce(p -> 'events', '[]') || v_reserved);
  v_audit := append_audit(coalesce(v_lost -> 'audit', '[]') || coalesce(p -> 'audit', '[]'));
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
