-- What may have been spent is charged. Every attempt that holds a reservation ends in one entry of the ledger: with what its operator
-- reported, else with all that was reserved for it. An attempt that can no longer report (its fence was taken, its run has ended) is
-- charged by whoever ends it.

-- what of a reservation is for gpu and for storage; the rest is for models
alter table run_steps
  add column reserved_gpu_micro_usd bigint not null default 0 check (reserved_gpu_micro_usd >= 0),
  add column reserved_storage_micro_usd bigint not null default 0 check (reserved_storage_micro_usd >= 0),
  add constraint run_steps_reserved_by_kind check (reserved_gpu_micro_usd + reserved_storage_micro_usd <= reserved_micro_usd);

alter table ledger_entries
  add column reserved_micro_usd bigint,
  -- who says so: the operator, or nobody
  add column basis text not null default 'reported' check (basis in ('reported', 'estimate')),
  -- the days whose caps it was reserved under
  add column budget_day date,
  add column workspace_budget_day date;
update ledger_entries set reserved_micro_usd = llm_micro_usd + gpu_micro_usd + storage_micro_usd;
alter table ledger_entries
  alter column reserved_micro_usd set not null,
  alter column basis drop default,
  add constraint ledger_entries_within_reservation
    check (llm_micro_usd + gpu_micro_usd + storage_micro_usd <= reserved_micro_usd),
  add constraint ledger_entries_estimate_is_charged_whole
    check (basis = 'reported' or llm_micro_usd + gpu_micro_usd + storage_micro_usd = reserved_micro_usd);

-- Charges the attempt that holds a step's reservation, once, to the ledger and to the days it was reserved under. A settlement says
-- what was spent, or that the attempt is `unsent`, never handed to its operator; where it says neither, all that was reserved is
-- charged. The caller releases the reservation and adds up the run.
create function charge_attempt(p_run runs, p_step run_steps, p_settle jsonb,
  out llm bigint, out gpu bigint, out storage bigint, out event jsonb)
language plpgsql as $$
declare
  v_unsent constant boolean := coalesce((p_settle ->> 'unsent')::boolean, false);
  v_reported constant boolean := p_settle ?| array['llm_micro_usd', 'gpu_micro_usd', 'storage_micro_usd'];
  v_overrun constant bigint := coalesce((p_settle ->> 'overrun_micro_usd')::bigint, 0);
  v_basis constant text := case when v_unsent then 'unsent' when v_reported then 'reported' else 'estimate' end;
begin
  if v_basis = 'estimate' then
    gpu := p_step.reserved_gpu_micro_usd;
    storage := p_step.reserved_storage_micro_usd;
    llm := p_step.reserved_micro_usd - gpu - storage;
  else
    llm := coalesce((p_settle ->> 'llm_micro_usd')::bigint, 0);
    gpu := coalesce((p_settle ->> 'gpu_micro_usd')::bigint, 0);
    storage := coalesce((p_settle ->> 'storage_micro_usd')::bigint, 0);
  end if;
  if not v_unsent then
    insert into ledger_entries (run_id, step_id, attempt, workspace_id, environment, llm_micro_usd, gpu_micro_usd,
      storage_micro_usd, overrun_micro_usd, reserved_micro_usd, basis, budget_day, workspace_budget_day)
    values (p_run.id, p_step.step_id, p_step.attempt, p_run.workspace_id, p_run.environment, llm, gpu, storage,
      v_overrun, p_step.reserved_micro_usd, v_basis, p_step.budget_day, p_step.workspace_budget_day);
  end if;
  if p_step.budget_day is not null then
    update environment_budgets set reserved_micro_usd = reserved_micro_usd - p_step.reserved_micro_usd,
      spent_micro_usd = spent_micro_usd + llm + gpu + storage
    where workspace_id = p_run.workspace_id and environment = p_run.environment and day = p_step.budget_day;
  end if;
  if p_step.workspace_budget_day is not null then
    update environment_budgets set reserved_micro_usd = reserved_micro_usd - p_step.reserved_micro_usd,
      spent_micro_usd = spent_micro_usd + llm + gpu + storage
    where workspace_id = p_run.workspace_id and environment = '*' and day = p_step.workspace_budget_day;
  end if;
  event := jsonb_build_array(jsonb_build_object('type', 'budget.settled', 'step', p_step.step_id,
    -- an attempt that was taken back leaves its number to the next one
    'key', format('step/%s/%s/%s', p_step.step_id, p_step.attempt, case when v_unsent then 'unsent/' || p_run.last_seq else 'settled' end),
    'data', jsonb_build_object('attempt', p_step.attempt, 'basis', v_basis, 'usd', usd_from_micro(llm + gpu + storage),
      'reserved_usd', usd_from_micro(p_step.reserved_micro_usd), 'overrun_usd', usd_from_micro(v_overrun))));
end $$;

create function usd_from_micro(p_micro bigint) returns numeric
language sql immutable as $$ select trim_scale(round(p_micro / 1000000.0, 6)) $$;

-- Charges the attempts that this transition of a run leaves without anybody who could settle them: it takes the fence, ends the run, or
-- opens a step anew. Answers what there is to record about them; null when there are none. The caller holds the run row.
create function charge_lost(p_run runs, p jsonb) returns jsonb
language plpgsql as $$
declare
  v_step run_steps;
  v_cost record;
  v_events jsonb := '[]';
  v_audit jsonb := '[]';
begin
  for v_step in
    select * from run_steps where run_id = p_run.id and reserved_micro_usd > 0 and step_id is distinct from p #>> '{settle,step_id}'
      and (coalesce((p ->> 'take_fence')::boolean, false) or step_id = p #>> '{open,step_id}'
           or p #>> '{run,status}' in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired'))
    order by ordinal for update
  loop
    v_cost := charge_attempt(p_run, v_step, '{}');
    update run_steps set reserved_micro_usd = 0, reserved_gpu_micro_usd = 0, reserved_storage_micro_usd = 0,
      cost_micro_usd = cost_micro_usd + v_step.reserved_micro_usd
    where run_id = p_run.id and step_id = v_step.step_id;
    update runs set llm_micro_usd = llm_micro_usd + v_cost.llm, gpu_micro_usd = gpu_micro_usd + v_cost.gpu,
      storage_micro_usd = storage_micro_usd + v_cost.storage, reserved_micro_usd = reserved_micro_usd - v_step.reserved_micro_usd
    where id = p_run.id;
    v_events := v_events || v_cost.event;
    v_audit := v_audit || jsonb_build_array(lost_record(p_run, v_step));
  end loop;
  if v_events = '[]' then return null; end if;
  return jsonb_build_object('events', v_events, 'audit', v_audit);
end $$;

-- What the audit chain says of an attempt that nobody settled.
create function lost_record(p_run runs, p_step run_steps) returns jsonb
language sql as $$
  select jsonb_build_object(
    'id', 'aud_0' || left(md5(p_run.id || '/' || p_step.step_id || '/' || p_step.attempt), 25),
    'ts', to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'category', 'lineage', 'action', 'step.settled', 'workspace_id', p_run.workspace_id,
    'actor', jsonb_build_object('type', 'system', 'id', 'svc', 'auth', 'none'),
    'run_id', p_run.id, 'subject', jsonb_build_object('type', 'step', 'id', p_run.id || ':' || p_step.step_id),
    'data', jsonb_build_object('attempt', p_step.attempt, 'state', 'lost', 'plan_hash', p_step.plan_hash,
      'cost_usd', (p_step.reserved_micro_usd / 1000000.0)::numeric(20, 6)::text,
      'operator', (select s ->> 'operator' || '@' || (s ->> 'operator_version')
                   from plans, jsonb_array_elements(plan -> 'steps') t(s)
                   where digest = p_run.plan_digest and s ->> 'id' = p_step.step_id)))
$$;

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
  v_lost jsonb;
  v_settled jsonb := '[]';
  v_reserved jsonb := '[]';
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
  end if;
  if v_run.reserved_micro_usd > v_released then
    v_lost := charge_lost(v_run, p);
    if v_lost is not null then select * into v_run from runs where id = v_id; end if;
  end if;
  if v_released > 0 then
    select llm, gpu, storage, event into v_llm, v_gpu, v_storage, v_settled from charge_attempt(v_run, v_step, v_settle);
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
