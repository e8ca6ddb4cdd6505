create or replace function usd_from_micro(p_micro bigint) returns numeric
language sql immutable as $$ select trim_scale(round(p_micro / 1000000.0, 6)) $$;

-- Reserves the highest cost of a step under the caps of its run and of the day, and returns the event of it. `p_charged` is the charge of
-- the same transition, `p_released` the released amount. Raises SVC01 where it does not fit. The caller updates the budget of the pipeline.
create or replace function reserve_budget(p_run runs, p_open jsonb, p_charged bigint, p_released bigint) returns jsonb
language plpgsql as $$
declare
  v_reserve constant bigint := (p_open ->> 'reserve_micro_usd')::bigint;
  v_spent constant bigint := p_run.llm_micro_usd + p_run.gpu_micro_usd + p_run.storage_micro_usd + p_charged;
  -- a cap that was lowered since the run began counts; `least` ignores a missing one
  v_cap constant bigint := least(p_run.cap_micro_usd, (p_open ->> 'run_cap_micro_usd')::bigint);
begin
  if v_spent + p_run.reserved_micro_usd - p_released + v_reserve > v_cap then
    raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'run', 'cap_micro_usd', v_cap,
      'spent_micro_usd', v_spent)::text;
  end if;
  if p_open ? 'daily_cap_micro_usd' then
    perform reserve_day(p_run.workspace_id, p_run.environment, p_open, v_reserve, (p_open ->> 'daily_cap_micro_usd')::bigint);
  end if;
  if p_open ? 'workspace_daily_cap_micro_usd' then
    perform reserve_day(p_run.workspace_id, '*', p_open, v_reserve, (p_open ->> 'workspace_daily_cap_micro_usd')::bigint);
  end if;
  return jsonb_build_object('type', 'budget.reserved', 'step', p_open ->> 'step_id',
    'key', format('step/%s/%s/reserved/%s', p_open ->> 'step_id', p_open ->> 'attempt', p_run.last_seq),
    'data', jsonb_build_object('attempt', (p_open ->> 'attempt')::integer, 'usd', usd_from_micro(v_reserve)));
end $$;

-- Reserves under the daily cap of one environment or, as `*`, of the whole workspace. Raises the refusal `budget` if it does not fit.
create or replace function reserve_day(p_workspace text, p_environment text, p_open jsonb, p_reserve bigint, p_cap bigint) returns void
language plpgsql as $$
begin
  insert into environment_budgets as b (workspace_id, environment, day, cap_micro_usd, reserved_micro_usd)
  select p_workspace, p_environment, (p_open ->> 'budget_day')::date, p_cap, p_reserve where p_reserve <= p_cap
  on conflict (workspace_id, environment, day) do update
    set reserved_micro_usd = b.reserved_micro_usd + p_reserve, cap_micro_usd = excluded.cap_micro_usd
    where b.spent_micro_usd + b.reserved_micro_usd + p_reserve <= excluded.cap_micro_usd;
  if not found then
    raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget',
      'scope', case p_environment when '*' then 'workspace' else 'environment' end, 'cap_micro_usd', p_cap)::text;
  end if;
end $$;

-- Charges an attempt, once, to the ledger and to the days it was reserved under. A settlement has the amount spent, or that the attempt is
-- `unsent`, never handed to its operator; without either, the whole reservation is charged, which for a step that calls models is the cost
-- of its calls, and the whole of the unsettled ones: their records end here. The caller releases the reservation, adds up the run, and
-- updates the budget of its pipeline.
create or replace function charge_attempt(p_run runs, p_step run_steps, p_settle jsonb,
  out llm bigint, out gpu bigint, out storage bigint, out event jsonb)
language plpgsql as $$
declare
  v_unsent constant boolean := coalesce((p_settle ->> 'unsent')::boolean, false);
  v_reported constant boolean := p_settle ?| array['llm_micro_usd', 'gpu_micro_usd', 'storage_micro_usd'];
  v_overrun constant bigint := coalesce((p_settle ->> 'overrun_micro_usd')::bigint, 0);
  v_basis constant text := case when v_unsent then 'unsent' when v_reported then 'reported' else 'estimate' end;
  v_call model_calls;
  v_calls jsonb := '[]';
begin
  for v_call in
    select * from model_calls where run_id = p_run.id and step_id = p_step.step_id and state = 'reserved' order by id for update
  loop
    v_calls := v_calls || charge_model_call(v_call, 'estimate', v_call.reserved_micro_usd, 0);
    perform append_audit(jsonb_build_array(lost_model_call(v_call)));
  end loop;
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
  event := v_calls || jsonb_build_array(jsonb_build_object('type', 'budget.settled', 'step', p_step.step_id,
    -- an attempt that was taken back leaves its number to the next one
    'key', format('step/%s/%s/%s', p_step.step_id, p_step.attempt, case when v_unsent then 'unsent/' || p_run.last_seq else 'settled' end),
    'data', jsonb_build_object('attempt', p_step.attempt, 'basis', v_basis, 'usd', usd_from_micro(llm + gpu + storage),
      'reserved_usd', usd_from_micro(p_step.reserved_micro_usd), 'overrun_usd', usd_from_micro(v_overrun))));
end $$;

-- Returns the audit record of an unsettled attempt.
create or replace function lost_record(p_run runs, p_step run_steps) returns jsonb
language sql as $$
  select jsonb_build_object(
    'id', 'aud_0' || left(md5(p_run.id || '/' || p_step.step_id || '/' || p_step.attempt), 25),
    'ts', iso_time(clock_timestamp()),
    'category', 'lineage', 'action', 'step.settled', 'workspace_id', p_run.workspace_id,
    'actor', jsonb_build_object('type', 'system', 'id', 'svc', 'auth', 'none'),
    'run_id', p_run.id, 'subject', jsonb_build_object('type', 'step', 'id', p_run.id || ':' || p_step.step_id),
    'data', jsonb_build_object('attempt', p_step.attempt, 'state', 'lost', 'plan_hash', p_step.plan_hash,
      -- with all six places, as in every record of the chain (usdText of core/money.ts): usd_from_micro is for events, which have numbers
      'cost_usd', (p_step.reserved_micro_usd / 1000000.0)::numeric(20, 6)::text,
      'operator', (select s ->> 'operator' || '@' || (s ->> 'operator_version')
                   from plans, jsonb_array_elements(plan -> 'steps') t(s)
                   where digest = p_run.plan_digest and s ->> 'id' = p_step.step_id)))
$$;

-- Charges the attempts that no process can settle after this transition of a run: it takes the fence, ends the run, or opens a step again.
-- One that an external worker does is settled by a later execution: a new fence leaves it what it holds.
-- Returns their records; null when there are none. The caller holds the run row.
create or replace function charge_lost(p_run runs, p jsonb) returns jsonb
language plpgsql as $$
declare
  v_step run_steps;
  v_call model_calls;
  v_cost record;
  v_events jsonb := '[]';
  v_audit jsonb := '[]';
begin
  for v_step in
    select * from run_steps s where run_id = p_run.id and reserved_micro_usd > 0 and step_id is distinct from p #>> '{settle,step_id}'
      and ((coalesce((p ->> 'take_fence')::boolean, false) and not is_remote(s)) or step_id = p #>> '{open,step_id}'
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
    perform move_pipeline_budget(p_run.pipeline_id, 0, v_step.reserved_micro_usd, v_cost.llm + v_cost.gpu + v_cost.storage);
    v_events := v_events || v_cost.event;
    v_audit := v_audit || jsonb_build_array(lost_record(p_run, v_step));
  end loop;
  -- a model call may outlive its run, but its cost may not; those of steps ended with their steps
  if p #>> '{run,status}' in ('succeeded', 'failed', 'rejected', 'cancelled', 'expired') then
    for v_call in select * from model_calls where run_id = p_run.id and step_id is null and state = 'reserved' order by id for update loop
      v_events := v_events || charge_model_call(v_call, 'estimate', v_call.reserved_micro_usd, 0);
      update runs set llm_micro_usd = llm_micro_usd + v_call.reserved_micro_usd,
        reserved_micro_usd = reserved_micro_usd - v_call.reserved_micro_usd
      where id = p_run.id;
      v_audit := v_audit || jsonb_build_array(lost_model_call(v_call));
    end loop;
  end if;
  if v_events = '[]' then return null; end if;
  return jsonb_build_object('events', v_events, 'audit', v_audit);
end $$;
