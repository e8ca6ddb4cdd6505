-- Returns everyone in whose name a run was requested, as `requestersOf` in core/gate/requester.ts.
create or replace function requesters_of(p_provenance jsonb) returns text[]
language plpgsql immutable as $$
declare
  v_via constant jsonb := p_provenance #> '{human_root,via}';
  v_ids text[] := array[p_provenance #>> '{actor,id}', p_provenance #>> '{human_root,user_id}'];
  v_each jsonb;
begin
  for v_each in select jsonb_array_elements(case jsonb_typeof(v_via) when 'array' then v_via else jsonb_build_array(v_via) end) loop
    v_ids := v_ids || case jsonb_typeof(v_each) when 'string' then array[v_each #>> '{}']
      when 'object' then array[v_each ->> 'id', v_each ->> 'user_id', v_each ->> 'created_by'] end;
  end loop;
  return array_remove(v_ids, null);
end $$;

-- Who asked for an effect cannot hold up the compensation that takes it back.
create or replace function is_halted_by(r runs, h halts) returns boolean
language sql stable as $$
  select h.lifted_at is null
    and (h.workspace_id is null or h.workspace_id = r.workspace_id)
    and (h.environment is null or h.environment = r.environment)
    and (h.template is null or h.template = r.pack || '/' || r.template)
    and (h.requester is null or h.requester = any (requesters_of(r.provenance)))
    and not (coalesce((r.provenance #>> '{trigger,compensation}')::boolean, false) and h.set_by ->> 'id' = any (requesters_of(r.provenance)))
$$;

-- Nothing begins in an archived workspace either.
create or replace function is_archived(p_workspace text) returns boolean
language sql stable as $$
  select exists (select from workspaces where id = p_workspace and status = 'archived')
$$;

-- Tells whether anything prevents a run's next step.
create or replace function is_held(r runs) returns boolean
language sql stable as $$
  select is_archived(r.workspace_id) or exists (select from halts h where h.lifted_at is null and is_halted_by(r, h))
$$;

-- Sets a halt and returns the number of active runs that it holds. From its commit on no step begins that it covers.
create or replace function set_halt(p jsonb, p_audit jsonb) returns jsonb
language plpgsql as $$
declare
  v_halt halts;
  v_runs bigint;
begin
  insert into halts (id, workspace_id, environment, template, requester, reason, set_by, notice_due_at)
  values (p ->> 'id', p #>> '{scope,workspace}', p #>> '{scope,environment}', p #>> '{scope,template}', p #>> '{scope,requester}',
    p ->> 'reason', p -> 'by', now())
  returning * into v_halt;
  select count(*) into v_runs from runs r where ended_at is null and is_halted_by(r, v_halt);
  perform append_audit(jsonb_build_array(jsonb_set(p_audit, '{data,held}', jsonb_build_object('runs', v_runs))));
  return jsonb_build_object('created_at', v_halt.created_at, 'runs', v_runs);
end $$;

-- Lifts a halt, if it is in force, and returns the number of runs that it held.
create or replace function lift_halt(p_id text, p_by jsonb, p_audit jsonb) returns boolean
language plpgsql as $$
declare
  v_halt halts;
  v_runs bigint;
begin
  select * into v_halt from halts where id = p_id and lifted_at is null for update;
  if not found then return false; end if;
  select count(*) into v_runs from runs r where ended_at is null and is_halted_by(r, v_halt);
  update halts set lifted_at = now(), lifted_by = p_by, notice_due_at = now() where id = p_id;
  perform release_pipelines(v_halt);
  perform append_audit(jsonb_build_array(jsonb_set(p_audit, '{data,held}', jsonb_build_object('runs', v_runs))));
  return true;
end $$;

-- When the next message about a halt tells of refusals: ten seconds from now, which gathers the beginning of a storm, and no earlier than ten
-- minutes after the one before.
create or replace function next_refusals_notice(h halts) returns timestamptz
language sql volatile as $$
  select greatest(clock_timestamp() + interval '10 seconds', case when h.notices > 1 then h.noticed_at + interval '10 minutes' end)
$$;

-- Records starts that halts have refused, alike ones as one, and makes a message due that tells of them, unless one is.
create or replace function record_halt_refusals(p_refusals jsonb) returns void
language plpgsql as $$
begin
  -- a message that is handed over at the same time sees these refusals, or they see that it was
  perform from halts where id in (select each ->> 'halt_id' from jsonb_array_elements(p_refusals) each) order by id for no key update;
  insert into halt_refusals as r (id, halt_id, workspace_id, key, trigger_type, pack, template, environment, title, requested_by, request,
    delivery_id, fingerprint, refused, contributors)
  select each.id, each.halt_id, each.workspace_id, each.key, each.trigger_type, each.pack, each.template, each.environment, each.title,
    each.requested_by, each.request, each.delivery_id, each.fingerprint, each.refused, each.contributors
  from jsonb_to_recordset(p_refusals) each (id text, halt_id text, workspace_id text, key text, trigger_type text, pack text,
    template text, environment text, title text, requested_by text, request jsonb, delivery_id text, fingerprint text, refused bigint,
    contributors jsonb)
  -- in one order, so that no two batches lock the same rows in opposite order
  order by each.halt_id, each.workspace_id, each.key
  on conflict (halt_id, workspace_id, key) do update set refused = r.refused + excluded.refused, last_at = clock_timestamp();
  update halts h set notice_due_at = next_refusals_notice(h)
  where id in (select each ->> 'halt_id' from jsonb_array_elements(p_refusals) each) and lifted_at is null and notice_due_at is null;
end $$;

-- Notes that a message about a halt was handed to the engine. One that a lift has made due in the meantime stays due, and refusals since this
-- one came due, which may not be in its text, make another one due.
create or replace function mark_halt_notice_handed(p_id text, p_notice integer, p_due_at timestamptz) returns void
language plpgsql as $$
begin
  update halts set notices = notices + 1, noticed_at = now(), notice_due_at = nullif(notice_due_at, p_due_at)
  where id = p_id and notices = p_notice;
  if not found then return; end if;
  update halts h set notice_due_at = next_refusals_notice(h)
  where id = p_id and lifted_at is null and notice_due_at is null
    and exists (select from halt_refusals f where f.halt_id = p_id and f.last_at >= p_due_at);
end $$;
