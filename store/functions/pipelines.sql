-- The writers of pipelines. Each holds the pipeline's row; a change that was decided on an older record is refused.

-- Numbers events after `p_last_seq`, skips those with a known key, returns the new last number.
create or replace function number_pipeline_events(p_id text, p_last_seq bigint, p_events jsonb) returns bigint
language plpgsql as $$
declare
  v_count bigint;
begin
  insert into pipeline_events (pipeline_id, seq, event_key, type, ts, step_id, actor, data)
  select p_id, p_last_seq + row_number() over (order by position), e ->> 'key', e ->> 'type', date_trunc('milliseconds', clock_timestamp()),
    e ->> 'step', e -> 'actor', coalesce(e -> 'data', '{}')
  from jsonb_array_elements(coalesce(p_events, '[]')) with ordinality t(e, position)
  where not exists (select from pipeline_events x where x.pipeline_id = p_id and x.event_key = e ->> 'key');
  get diagnostics v_count = row_count;
  return p_last_seq + v_count;
end $$;

-- A recorded pipeline is left as it is: of two concurrent starts, one records it.
create or replace function start_pipeline(p jsonb) returns void
language plpgsql as $$
declare
  v_id constant text := p ->> 'id';
begin
  insert into pipelines (id, workspace_id, name, bundle_path, bundle_digest, definition, definition_digest, environment, environment_class,
    profile, status, inputs, inputs_hash, reason, provenance)
  values (v_id, p ->> 'workspace_id', p ->> 'name', p ->> 'bundle_path', p ->> 'bundle_digest', p -> 'definition', p ->> 'definition_digest',
    p ->> 'environment', p ->> 'environment_class', p ->> 'profile', 'queued', p -> 'inputs', p ->> 'inputs_hash', p ->> 'reason',
    p -> 'provenance')
  on conflict (id) do nothing;
  if not found then return; end if;
  insert into pipeline_steps (pipeline_id, step_id, ordinal, state, topic)
  select v_id, s ->> 'id', position, 'pending', s ->> 'topic'
  from jsonb_array_elements(p #> '{definition,steps}') with ordinality t(s, position);
  insert into pipeline_budgets (pipeline_id, cap_micro_usd) values (v_id, (p ->> 'cap_micro_usd')::bigint);
  update pipelines set last_seq = number_pipeline_events(v_id, 0, p -> 'events') where id = v_id;
  perform append_audit(p -> 'audit');
  insert into pipeline_outbox (pipeline_id) values (v_id);
end $$;

create or replace function ms_of(p_time timestamptz) returns bigint
language sql immutable as $$ select floor(extract(epoch from p_time) * 1000)::bigint $$;

create or replace function at_ms(p_ms jsonb) returns timestamptz
language sql immutable as $$ select to_timestamp((p_ms #>> '{}')::double precision / 1000) $$;

-- Writes the changes of a pipeline: changed steps and runs, events and audit. Returns the new version, and null when the record has changed
-- since it was read, or a run that it takes for ended has another state: then nothing has happened.
create or replace function record_pipeline(p jsonb) returns integer
language plpgsql as $$
declare
  v_id constant text := p ->> 'id';
  v_pipeline pipelines;
  v_status constant text := p ->> 'status';
begin
  -- runs that report transitions hold its key meanwhile, and must not wait
  select * into v_pipeline from pipelines where id = v_id for no key update;
  if not found or v_pipeline.version <> (p ->> 'version')::integer or v_pipeline.ended_at is not null then return null; end if;
  -- a run that is to be abandoned may be admitted concurrently: the second one sees the first one's commit
  perform from pipeline_children k join jsonb_array_elements(p -> 'children') t(c) on k.run_id = c ->> 'run_id'
  where k.ended_at is null and c -> 'ended_at_ms' <> 'null' order by k.run_id for no key update of k;
  if exists (select from jsonb_array_elements(p -> 'children') t(c) join runs r on r.id = c ->> 'run_id'
      where c -> 'ended_at_ms' <> 'null' and r.status <> c ->> 'status') then
    return null;
  end if;
  perform append_audit(p -> 'audit');
  update pipeline_steps s set state = c ->> 'state', reason = c ->> 'reason', started_at = at_ms(c -> 'started_at_ms'),
    ended_at = at_ms(c -> 'ended_at_ms'), deadline_at = at_ms(c -> 'deadline_ms'), paused_at = at_ms(c -> 'paused_at_ms'),
    timed_out = (c ->> 'timed_out')::boolean, fire_at = at_ms(c -> 'fire_at_ms'), after_id = (c ->> 'after_id')::bigint,
    items = nullif(c -> 'items', 'null'), outputs = nullif(c -> 'outputs', 'null'), error = nullif(c -> 'error', 'null')
  from jsonb_array_elements(p -> 'steps') t(c) where s.pipeline_id = v_id and s.step_id = c ->> 'id';
  insert into pipeline_children (run_id, pipeline_id, step_id, index, role, inputs, status, acted, outputs, error, ended_at, not_before, cancel_reason)
  select c ->> 'run_id', v_id, c ->> 'step_id', (c ->> 'index')::integer, c ->> 'role', c -> 'inputs', c ->> 'status', (c ->> 'acted')::boolean,
    nullif(c -> 'outputs', 'null'), nullif(c -> 'error', 'null'), at_ms(c -> 'ended_at_ms'), at_ms(c -> 'not_before_ms'), c ->> 'cancel_reason'
  from jsonb_array_elements(p -> 'children') t(c)
  on conflict (run_id) do update set status = excluded.status, acted = excluded.acted, outputs = excluded.outputs, error = excluded.error,
    ended_at = excluded.ended_at, not_before = excluded.not_before, cancel_reason = excluded.cancel_reason;
  update pipelines set
    status = v_status,
    closing = nullif(p -> 'closing', 'null'),
    outputs = nullif(p -> 'outputs', 'null'),
    error = nullif(p -> 'error', 'null'),
    started_at = coalesce(started_at, now()),
    ended_at = case when v_status in ('succeeded', 'failed', 'rejected', 'cancelled') then now() end,
    last_seq = number_pipeline_events(v_id, last_seq, p -> 'events'),
    version = version + 1,
    updated_at = now()
  where id = v_id;
  delete from pipeline_outbox where pipeline_id = v_id;
  return v_pipeline.version + 1;
end $$;

-- Notes an update that a pipeline waits for. The notification is transactional, and the row is what counts.
create or replace function wake_pipeline(p_id text) returns void
language plpgsql as $$
begin
  insert into pipeline_wakes (pipeline_id) values (p_id);
  perform pg_notify('svc_pipelines', '');
end $$;

-- Lets a waiting step begin. Returns the step's state where it does not wait, and `advanced` for an earlier request.
create or replace function advance_pipeline_step(p jsonb) returns text
language plpgsql as $$
declare
  v_id constant text := p ->> 'id';
  v_step pipeline_steps;
begin
  perform from pipelines where id = v_id for no key update;
  select * into v_step from pipeline_steps where pipeline_id = v_id and step_id = p ->> 'step_id';
  if v_step.advanced is not null then return 'advanced'; end if;
  if v_step.state <> 'ready' then return v_step.state; end if;
  update pipeline_steps set advanced = p -> 'advanced' where pipeline_id = v_id and step_id = v_step.step_id;
  perform append_audit(p -> 'audit');
  update pipelines set last_seq = number_pipeline_events(v_id, last_seq, p -> 'events'), version = version + 1, updated_at = now() where id = v_id;
  perform wake_pipeline(v_id);
  return null;
end $$;

-- Requests cancellation. Returns the status of an ended pipeline, and `cancelling` for one that is stopping already.
create or replace function cancel_pipeline(p jsonb) returns text
language plpgsql as $$
declare
  v_id constant text := p ->> 'id';
  v_pipeline pipelines;
begin
  select * into v_pipeline from pipelines where id = v_id for no key update;
  if v_pipeline.ended_at is not null then return v_pipeline.status; end if;
  if v_pipeline.cancel is not null then return 'cancelling'; end if;
  perform append_audit(p -> 'audit');
  update pipelines set cancel = p -> 'cancel', last_seq = number_pipeline_events(v_id, last_seq, p -> 'events'), version = version + 1,
    updated_at = now()
  where id = v_id;
  perform wake_pipeline(v_id);
  return null;
end $$;

-- Locks the places of a pipeline for these runs while they are admitted, one after the other. A run that no pipeline waits for, or that is
-- recorded already, is not admitted. The writer of a pipeline takes its row first as well.
create or replace function claim_children(p_drafts jsonb) returns void
language plpgsql as $$
declare
  v_missing text;
begin
  perform from pipelines where id in (select d #>> '{provenance,pipeline_id}' from jsonb_array_elements(p_drafts) t(d))
  order by id for no key update;
  perform from pipeline_children c join jsonb_array_elements(p_drafts) t(d) on c.run_id = d ->> 'id' order by c.run_id for no key update of c;
  select d ->> 'id' into v_missing from jsonb_array_elements(p_drafts) t(d)
  where d #>> '{provenance,pipeline_id}' is not null and not exists (
    select from pipeline_children c join pipelines p on p.id = c.pipeline_id
    where c.run_id = d ->> 'id' and c.pipeline_id = d #>> '{provenance,pipeline_id}' and c.status = 'starting'
      and p.workspace_id = d ->> 'workspace_id' and not exists (select from runs r where r.id = c.run_id))
  limit 1;
  if v_missing is not null then
    raise exception 'no pipeline waits for the run %', v_missing using errcode = 'SVC02';
  end if;
end $$;

-- The admitted runs are on the records of their pipelines with the same commit: no evaluation is needed for that.
create or replace function begin_children(p_runs text[]) returns void
language plpgsql as $$
declare
  v_pipeline record;
begin
  for v_pipeline in
    with begun as (
      update pipeline_children set status = 'queued', not_before = null where run_id = any(p_runs) returning *
    )
    select pipeline_id, jsonb_agg(jsonb_build_object('key', format('run/%s/queued', run_id), 'type', 'run.started', 'step', step_id,
      'data', jsonb_build_object('run_id', run_id, 'index', index, 'role', role, 'status', status)) order by run_id) as events
    from begun group by pipeline_id order by pipeline_id
  loop
    update pipelines set last_seq = number_pipeline_events(id, last_seq, v_pipeline.events), version = version + 1, updated_at = now()
    where id = v_pipeline.pipeline_id;
  end loop;
end $$;

-- Updates the common budget of a pipeline's runs: releases, charges and reserves, in one. Raises SVC01 where a reservation does not fit.
-- All runs of a pipeline share this row until they commit, so callers call this as late as possible.
create or replace function move_pipeline_budget(p_id text, p_reserve bigint, p_released bigint, p_spent bigint) returns void
language plpgsql as $$
begin
  if p_id is null or (p_reserve = 0 and p_released = 0 and p_spent = 0) then return; end if;
  update pipeline_budgets set reserved_micro_usd = reserved_micro_usd - p_released + p_reserve, spent_micro_usd = spent_micro_usd + p_spent
  where pipeline_id = p_id
    and (p_reserve = 0 or spent_micro_usd + p_spent + reserved_micro_usd - p_released + p_reserve <= cap_micro_usd);
  if not found and p_reserve > 0 then
    raise exception using errcode = 'SVC01', message = jsonb_build_object('refused', 'budget', 'scope', 'pipeline', 'cap_micro_usd',
      (select cap_micro_usd from pipeline_budgets where pipeline_id = p_id))::text;
  end if;
end $$;

-- Wakes the pipelines that this halt may have held: delayed runs are tried at once, and other obstacles are noted.
create or replace function release_pipelines(p_halt halts) returns void
language plpgsql as $$
declare
  v_id text;
begin
  for v_id in select p.id from pipelines p
    where p.ended_at is null and p.workspace_id = coalesce(p_halt.workspace_id, p.workspace_id)
      and p.environment = coalesce(p_halt.environment, p.environment)
      and exists (select from pipeline_children c where c.pipeline_id = p.id and c.status = 'starting' and c.not_before > now())
    order by p.id for no key update of p
  loop
    update pipeline_children set not_before = null where pipeline_id = v_id and status = 'starting';
    update pipelines set version = version + 1, updated_at = now() where id = v_id;
    perform wake_pipeline(v_id);
  end loop;
end $$;
