-- Tells whether a call of a model fits under the rest of its turn, and of the day of each person behind it in this workspace. The locks
-- serialise calls of one thread, and of one person; running calls count with their whole reservation, so that neither cap is exceeded at
-- any instant.
create or replace function refuse_ask(p jsonb, p_day date, p_reserve bigint) returns jsonb
language plpgsql as $$
declare
  v_turn_cap constant bigint := (p ->> 'ask_turn_cap_micro_usd')::bigint;
  v_day_cap constant bigint := (p ->> 'ask_day_cap_micro_usd')::bigint;
  v_turn bigint;
  v_person text;
  v_spent bigint;
begin
  perform from ask_threads where id = p ->> 'ask_thread_id' and workspace_id = p ->> 'workspace_id' for update;
  -- a new thread is opened by its first call, where the caller names the owner; its id is unknown to others
  if not found and not p ? 'ask_opens' then return jsonb_build_object('refused', 'not_found'); end if;
  select coalesce(sum(case state when 'reserved' then reserved_micro_usd else charged_micro_usd end), 0) into v_turn
  from model_calls where ask_turn_id = p ->> 'ask_turn_id';
  if v_turn + p_reserve > v_turn_cap then
    return jsonb_build_object('refused', 'budget', 'scope', 'turn', 'cap_micro_usd', v_turn_cap, 'spent_micro_usd', v_turn);
  end if;
  for v_person in select each from jsonb_array_elements_text(p -> 'ask_people') each order by each loop
    perform pg_advisory_xact_lock(hashtextextended(format('svc:ask/%s/%s', p ->> 'workspace_id', v_person), 0));
    select coalesce(sum(case state when 'reserved' then reserved_micro_usd else charged_micro_usd end), 0) into v_spent
    from model_calls where workspace_id = p ->> 'workspace_id' and ask_day = p_day and v_person = any (ask_people);
    if v_spent + p_reserve > v_day_cap then
      return jsonb_build_object('refused', 'budget', 'scope', 'person', 'cap_micro_usd', v_day_cap, 'spent_micro_usd', v_spent);
    end if;
  end loop;
  return null;
end $$;

-- Opens the thread of a reserved call, unless an earlier one has. A refused question leaves none.
create or replace function open_ask_thread(p jsonb) returns void
language sql as $$
  insert into ask_threads (id, workspace_id, account_id, owner_id)
  values (p ->> 'ask_thread_id', p ->> 'workspace_id', p #>> '{ask_opens,account_id}', p #>> '{ask_opens,owner_id}') on conflict do nothing
$$;

-- Records an answer, all or nothing: the turn, the results of its tools, the audit record and the event.
create or replace function record_ask_turn(p jsonb) returns void
language plpgsql as $$
begin
  insert into ask_turns (id, thread_id, workspace_id, query, answer, grounded, citations, tools_used, recommended_workflow, action,
    cost_micro_usd, cap_micro_usd, model, created_at)
  select id, thread_id, workspace_id, query, answer, grounded, citations, tools_used, recommended_workflow, nullif(action, 'null'),
    cost_micro_usd, cap_micro_usd, model, created_at
  from jsonb_populate_record(null::ask_turns, p -> 'turn');
  insert into ask_tool_results (turn_id, id, workspace_id, tool, args, ref, result, digest)
  select p #>> '{turn,id}', id, p #>> '{turn,workspace_id}', tool, args, ref, result, digest
  from jsonb_populate_recordset(null::ask_tool_results, p -> 'results');
  update ask_threads set last_turn_at = now() where id = p #>> '{turn,thread_id}';
  perform append_audit(jsonb_build_array(p -> 'audit'));
  perform publish_events(jsonb_build_array(p -> 'event'));
end $$;
