-- Publishes events in the transaction that calls it.
create or replace function publish_events(p_events jsonb) returns void
language sql as $$
  insert into bus_outbox (workspace_id, topic, key, event)
  select e ->> 'workspaceid', e ->> 'type', e ->> 'partitionkey', e
  from jsonb_array_elements(p_events) with ordinality t(e, position) order by position
$$;

-- Numbers at most `p_limit` committed rows of the outbox and notifies once for all of them. Returns their number. The lock on the head
-- serialises numberers, even if two believe that they lead.
create or replace function number_bus_messages(p_limit integer) returns integer
language plpgsql
-- the outbox is always nearly empty and full of dead rows, which an index remembers and a scan meets again every time
set enable_seqscan = off
as $$
declare
  v_last bigint;
  v_before timestamptz;
  v_count integer;
  v_topics text[];
  v_fresh integer;
  v_bell text;
begin
  perform id from bus_outbox order by id limit 1;
  if not found then return 0; end if;
  select last_id into v_last from bus_head for update;
  -- a search by time uses the order of the numbers, also after the clock was set back
  select published_at into v_before from bus_messages where id = v_last;
  with taken as (
    delete from bus_outbox where id = any(array(select id from bus_outbox order by id limit p_limit)) returning *
  ), numbered as (
    insert into bus_messages (id, workspace_id, topic, key, event, published_at)
    select v_last + row_number() over (order by id), workspace_id, topic, key, event, greatest(v_before, clock_timestamp()) from taken
    returning topic
  )
  select count(*), array_agg(distinct topic) into v_count, v_topics from numbered;
  if v_count = 0 then return 0; end if;
  insert into bus_topics select unnest(v_topics) on conflict do nothing;
  get diagnostics v_fresh = row_count;
  update bus_head set last_id = v_last + v_count, topics = topics + v_fresh;
  v_bell := jsonb_build_object('from', v_last + 1, 'to', v_last + v_count, 'topics', v_topics);
  -- a payload holds 8,000 bytes
  if length(v_bell) > 7000 then v_bell := jsonb_build_object('from', v_last + 1, 'to', v_last + v_count); end if;
  perform pg_notify('svc_bus', v_bell);
  return v_count;
end $$;

-- Events of a run's log that go to the bus.
create or replace function is_on_bus(p_type text) returns boolean
language sql immutable parallel safe
return p_type in ('run.queued', 'run.started', 'run.succeeded', 'run.failed', 'run.rejected', 'run.cancelled', 'run.expired',
  'gate.opened', 'gate.resolved', 'gate.expired', 'step.published');

-- Returns an event of a run's log as bus events. The source of `step.published` is the run's pack, that of every other event `svc/runs`.
-- An open gate is two events: a gate to decide, and a run that waits.
create or replace function bus_events(p run_events) returns setof jsonb
language sql stable as $$
  select jsonb_build_object(
    'specversion', '1.0',
    'id', p.run_id || '.' || p.seq || case when topic = 'run.awaiting_approval' then '.awaiting' else '' end,
    'source', case when p.type = 'step.published' then 'svc/packs/' || r.pack else 'svc/runs' end,
    'type', topic,
    'subject', case when p.type = 'step.published' then coalesce(p.data ->> 'subject', p.run_id) else p.run_id end,
    'time', to_char(p.ts at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'datacontenttype', 'application/json',
    'workspaceid', r.workspace_id,
    'partitionkey', p.run_id,
    'data', case when p.type = 'step.published' then coalesce(p.data -> 'data', 'null') else jsonb_strip_nulls(jsonb_build_object('run_id', p.run_id, 'seq', p.seq, 'pack', r.pack, 'template', r.template,
      'environment', r.environment, 'lane', r.lane, 'sandbox', r.sandbox, 'dry_run', r.dry_run, 'step', p.step_id,
      'actor', p.actor)) || jsonb_build_object('detail', p.data) end)
  from runs r, unnest(case p.type
    when 'gate.opened' then array['gate.opened', 'run.awaiting_approval']
    when 'gate.expired' then array['gate.resolved']
    when 'step.published' then array['pack.' || r.pack || '.' || (p.data ->> 'event')]
    else array[p.type] end) with ordinality t(topic, position)
  where r.id = p.run_id order by position
$$;

create or replace function publish_run_event() returns trigger
language plpgsql as $$
begin
  if (select durable from bus_settings) then
    insert into bus_outbox (workspace_id, topic, key, event)
    select e ->> 'workspaceid', e ->> 'type', new.run_id, e from bus_events(new) e;
  end if;
  return null;
end $$;

-- Publishes that work was set aside because it crashed two processes.
create or replace function publish_set_aside() returns trigger
language plpgsql as $$
begin
  perform publish_events(jsonb_build_array(jsonb_build_object(
    'specversion', '1.0', 'id', new.subject || '.set_aside.' || floor(extract(epoch from new.created_at) * 1000)::bigint,
    'source', 'svc/set-aside', 'type', 'work.set_aside', 'subject', new.subject, 'time', iso_time(new.created_at),
    'datacontenttype', 'application/json', 'workspaceid', new.workspace_id, 'partitionkey', new.subject,
    'data', jsonb_build_object('kind', new.kind, 'reason', new.reason)
      || case when new.kind = 'run' then jsonb_build_object('run_id', new.subject) else '{}' end)));
  return null;
end $$;

-- Publishes that a tool sent an unknown transition, once while it repeats.
create or replace function publish_not_understood() returns trigger
language plpgsql as $$
begin
  perform publish_events(jsonb_build_array(jsonb_build_object(
    'specversion', '1.0', 'id', new.draft ->> 'id', 'source', 'svc/alerts', 'type', 'alert.not_understood',
    'subject', new.subject_id, 'time', new.draft ->> 'ts', 'datacontenttype', 'application/json', 'workspaceid', new.workspace_id,
    'data', new.draft -> 'data')));
  return null;
end $$;
