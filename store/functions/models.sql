-- Reserves the highest cost of a model call, under every cap at once: of its run or of the call itself, of the turn that it answers and its
-- thread's day, of the key, of the environment's day and of the workspace's. Checks halts and the authority of the requesters in the same
-- statement. Returns `{refused: …}` where it may not begin; where a day's cap is exceeded it raises SVC01, and nothing has happened. A call
-- of a step (`step`) adds to the step's reservation, so that it is charged, once, with the attempt of the step: when that is settled, or
-- when no process is left that could. Only the attempt with the run's fence makes any.
create or replace function reserve_model_call(p jsonb) returns jsonb
language plpgsql as $$
declare
  v_reserve constant bigint := (p ->> 'reserve_micro_usd')::bigint;
  v_workspace constant text := p ->> 'workspace_id';
  v_environment constant text := p ->> 'environment';
  v_day constant date := (p ->> 'day')::date;
  v_at constant jsonb := p -> 'step';
  v_step run_steps;
  v_environment_day date := case when p ->> 'daily_cap_micro_usd' is not null then v_day end;
  v_workspace_day date := case when p ->> 'workspace_daily_cap_micro_usd' is not null then v_day end;
  v_cap bigint := (p ->> 'run_cap_micro_usd')::bigint;
  v_spent bigint := 0;
  v_run runs;
  v_refused jsonb;
  v_key_day date;
begin
  if p ->> 'run_id' is not null then
    select * into v_run from runs where id = p ->> 'run_id' and workspace_id = v_workspace for update;
    if not found then return jsonb_build_object('refused', 'not_found'); end if;
    if v_run.ended_at is not null or v_run.status = 'cancelling' then
      return jsonb_build_object('refused', 'terminal', 'status', v_run.status);
    end if;
    if v_at is not null then
      select * into v_step from run_steps
      where run_id = v_run.id and step_id = v_at ->> 'step_id' and state = 'running' and attempt = (v_at ->> 'attempt')::integer;
      if not found or v_run.fence is distinct from (v_at ->> 'fence')::integer then return jsonb_build_object('refused', 'fenced'); end if;
      -- the whole cost of an attempt belongs to one day
      v_environment_day := coalesce(v_step.budget_day, v_environment_day);
      v_workspace_day := coalesce(v_step.workspace_budget_day, v_workspace_day);
    end if;
    v_refused := refuse_opening(v_run, jsonb_build_object('ask_standing', p -> 'ask_standing') || coalesce(v_at, '{}'));
    if v_refused is not null then return v_refused; end if;
    v_cap := least(v_run.cap_micro_usd, v_cap);
    v_spent := v_run.llm_micro_usd + v_run.gpu_micro_usd + v_run.storage_micro_usd + v_run.reserved_micro_usd;
  else
    select jsonb_build_object('refused', 'halted', 'halt_id', h.id) into v_refused from halts h
    where h.lifted_at is null and h.template is null
      and (h.workspace_id is null or h.workspace_id = v_workspace)
      and (h.environment is null or h.environment = v_environment)
      and (h.requester is null or p -> 'requesters' ? h.requester)
    order by h.created_at limit 1;
    if v_refused is not null then return v_refused; end if;
    if is_archived(v_workspace) then return jsonb_build_object('refused', 'halted', 'halt_id', null); end if;
  end if;
  if v_spent + v_reserve > v_cap then
    return jsonb_build_object('refused', 'budget', 'scope', case when v_run.id is null then 'call' else 'run' end,
      'cap_micro_usd', v_cap, 'spent_micro_usd', v_spent);
  end if;
  if p ->> 'ask_turn_id' is not null then
    v_refused := refuse_ask(p, v_day, v_reserve);
    if v_refused is not null then return v_refused; end if;
  end if;
  if p ->> 'key_id' is not null then
    v_refused := reserve_key_day(p ->> 'key_id', v_day, v_reserve);
    if v_refused ? 'refused' then return v_refused; end if;
    v_key_day := (v_refused ->> 'day')::date;
  end if;
  if p ? 'ask_opens' then perform open_ask_thread(p); end if;
  insert into model_calls (id, workspace_id, run_id, step_id, step_attempt, key_id, environment, model, reserved_micro_usd, environment_day,
    workspace_day, key_day, ask_thread_id, ask_turn_id, ask_day, ask_people, record, leased_until)
  values (p ->> 'id', v_workspace, v_run.id, v_step.step_id, v_step.attempt, p ->> 'key_id', v_environment, p ->> 'model', v_reserve,
    v_environment_day, v_workspace_day, v_key_day, p ->> 'ask_thread_id', p ->> 'ask_turn_id',
    case when p ->> 'ask_turn_id' is not null then v_day end,
    case when p ? 'ask_people' then array(select jsonb_array_elements_text(p -> 'ask_people')) end, p -> 'record', now() + (p ->> 'lease_s')::integer * interval '1 second');
  if v_step.step_id is not null then
    update run_steps set reserved_micro_usd = reserved_micro_usd + v_reserve, budget_day = v_environment_day,
      workspace_budget_day = v_workspace_day
    where run_id = v_run.id and step_id = v_step.step_id;
  end if;
  if v_run.id is not null then
    update runs set reserved_micro_usd = reserved_micro_usd + v_reserve, updated_at = now(),
      last_seq = number_events(id, last_seq, jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('type', 'budget.reserved',
        'key', format('model/%s/reserved', p ->> 'id'), 'step', v_step.step_id,
        'data', jsonb_build_object('attempt', v_step.attempt, 'model_call', p ->> 'id', 'model', p ->> 'model',
          'usd', usd_from_micro(v_reserve))))))
    where id = v_run.id;
  end if;
  -- last, because every other call of the environment and of the workspace waits for these rows
  if v_environment_day is not null then
    perform reserve_model_day(v_workspace, v_environment, v_environment_day, v_reserve, (p ->> 'daily_cap_micro_usd')::bigint);
  end if;
  if v_workspace_day is not null then
    perform reserve_model_day(v_workspace, '*', v_workspace_day, v_reserve, (p ->> 'workspace_daily_cap_micro_usd')::bigint);
  end if;
  perform move_pipeline_budget(v_run.pipeline_id, v_reserve, 0, 0);
  return '{}';
end $$;

-- Reserves under the cap of a day. A removed cap counts until the steps with a reservation of that day have ended.
create or replace function reserve_model_day(p_workspace text, p_environment text, p_day date, p_reserve bigint, p_cap bigint) returns void
language plpgsql as $$
begin
  perform reserve_day(p_workspace, p_environment, jsonb_build_object('budget_day', p_day), p_reserve, coalesce(p_cap, (
    select cap_micro_usd from environment_budgets where workspace_id = p_workspace and environment = p_environment and day = p_day)));
end $$;

-- Of a key with a cap: its day begins with the first call of a UTC day, and never ends with a call that was prepared on the day before:
-- that one counts towards the current day.
create or replace function reserve_key_day(p_key text, p_day date, p_reserve bigint) returns jsonb
language plpgsql as $$
declare
  v_key api_keys;
  v_day date;
  v_taken bigint;
begin
  select * into v_key from api_keys where id = p_key for update;
  if v_key.daily_cap_micro_usd is null then return '{}'; end if;
  v_day := greatest(v_key.budget_day, p_day);
  v_taken := case when v_key.budget_day = v_day then v_key.day_spent_micro_usd + v_key.day_reserved_micro_usd else 0 end;
  if v_taken + p_reserve > v_key.daily_cap_micro_usd then
    return jsonb_build_object('refused', 'budget', 'scope', 'key', 'cap_micro_usd', v_key.daily_cap_micro_usd, 'spent_micro_usd', v_taken);
  end if;
  update api_keys set budget_day = v_day,
    day_spent_micro_usd = case when v_key.budget_day = v_day then day_spent_micro_usd else 0 end,
    day_reserved_micro_usd = p_reserve + case when v_key.budget_day = v_day then day_reserved_micro_usd else 0 end
  where id = p_key;
  return jsonb_build_object('day', v_day);
end $$;

-- Charges one attempt and returns the rest of its reservation, except the run's part, which the holder of the run's row returns. The cost
-- of a step's call stays reserved with the step, which is charged as a whole.
create or replace function charge_model_call(p_call model_calls, p_basis text, p_charged bigint, p_overrun bigint) returns jsonb
language plpgsql as $$
declare
  v_in_step constant boolean := p_call.step_id is not null;
  v_spent constant bigint := case when v_in_step then 0 else p_charged end;
  v_released constant bigint := p_call.reserved_micro_usd - case when v_in_step then p_charged else 0 end;
begin
  update model_calls set state = 'settled', basis = p_basis, charged_micro_usd = p_charged, overrun_micro_usd = p_overrun, settled_at = now()
  where id = p_call.id;
  if v_in_step then
    update run_steps set reserved_micro_usd = reserved_micro_usd - v_released where run_id = p_call.run_id and step_id = p_call.step_id;
  end if;
  -- a key in a new day has no reservation of the old one
  update api_keys set day_reserved_micro_usd = day_reserved_micro_usd - v_released, day_spent_micro_usd = day_spent_micro_usd + v_spent
  where id = p_call.key_id and budget_day = p_call.key_day;
  update environment_budgets set reserved_micro_usd = reserved_micro_usd - v_released, spent_micro_usd = spent_micro_usd + v_spent
  where workspace_id = p_call.workspace_id and environment = p_call.environment and day = p_call.environment_day;
  update environment_budgets set reserved_micro_usd = reserved_micro_usd - v_released, spent_micro_usd = spent_micro_usd + v_spent
  where workspace_id = p_call.workspace_id and environment = '*' and day = p_call.workspace_day;
  perform move_pipeline_budget((select pipeline_id from runs where id = p_call.run_id), 0, v_released, v_spent);
  return jsonb_strip_nulls(jsonb_build_object('type', case when v_in_step then 'model.called' else 'budget.settled' end,
    'key', format('model/%s/settled', p_call.id), 'step', p_call.step_id,
    'data', jsonb_build_object('attempt', p_call.step_attempt, 'model_call', p_call.id, 'model', p_call.model, 'basis', p_basis,
      'usd', usd_from_micro(p_charged), 'reserved_usd', usd_from_micro(p_call.reserved_micro_usd), 'overrun_usd', usd_from_micro(p_overrun))));
end $$;

-- Returns the audit record of an unsettled attempt.
create or replace function lost_model_call(p_call model_calls) returns jsonb
language sql as $$
  select p_call.record || jsonb_build_object('id', 'aud_0' || left(md5(p_call.id), 25), 'ts', iso_time(clock_timestamp()),
    'data', (p_call.record -> 'data') || jsonb_build_object('outcome', 'lost', 'basis', 'estimate',
      'cost_usd', (p_call.reserved_micro_usd / 1000000.0)::numeric(20, 6)::text,
      'reserved_usd', (p_call.reserved_micro_usd / 1000000.0)::numeric(20, 6)::text))
$$;

-- Settles an attempt, once, with its charge and its record. If it was charged as lost before, the record says so and the money stays.
-- Without `audit` its outcome is unknown: it is charged whole, unless it was renewed.
create or replace function settle_model_call(p jsonb) returns jsonb
language plpgsql as $$
declare
  v_lost constant boolean := not p ? 'audit';
  v_call model_calls;
  v_charged bigint := (p ->> 'charged_micro_usd')::bigint;
  v_kept bigint;
  v_event jsonb;
begin
  select * into v_call from model_calls where id = p ->> 'id';
  if not found then return jsonb_build_object('settled', false); end if;
  -- the run before its calls, in the lock order of a run's end
  perform from runs where id = v_call.run_id for update;
  select * into v_call from model_calls where id = p ->> 'id' for update;
  if v_lost and (v_call.state <> 'reserved' or v_call.leased_until >= now()) then return jsonb_build_object('settled', false); end if;
  if v_call.state <> 'reserved' then
    perform append_audit(jsonb_build_array(jsonb_set(p -> 'audit', '{data}', (p #> '{audit,data}') || jsonb_build_object('late', true,
      'basis', v_call.basis, 'cost_usd', (v_call.charged_micro_usd / 1000000.0)::numeric(20, 6)::text))));
    return jsonb_build_object('settled', false, 'charged_micro_usd', v_call.charged_micro_usd);
  end if;
  if v_lost then v_charged := v_call.reserved_micro_usd; end if;
  perform append_audit(jsonb_build_array(coalesce(p -> 'audit', lost_model_call(v_call))));
  v_event := charge_model_call(v_call, coalesce(p ->> 'basis', 'estimate'), v_charged, coalesce((p ->> 'overrun_micro_usd')::bigint, 0));
  if v_call.run_id is not null then
    v_kept := case when v_call.step_id is null then 0 else v_charged end;
    update runs set reserved_micro_usd = reserved_micro_usd - v_call.reserved_micro_usd + v_kept,
      llm_micro_usd = llm_micro_usd + v_charged - v_kept, updated_at = now(), last_seq = number_events(id, last_seq, jsonb_build_array(v_event))
    where id = v_call.run_id;
  end if;
  return jsonb_build_object('settled', true, 'charged_micro_usd', v_charged);
end $$;
