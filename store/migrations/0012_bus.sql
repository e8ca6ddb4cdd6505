-- The durable bus. Publishers leave rows in an outbox with their own change; one numberer at a time moves what is committed
-- into the log. Readers know the log's numbers only: those are given under one row's lock, in the order of commits, so
-- nobody can be overtaken by a number that commits late.

-- Whether what happens to runs is written to the bus. The services set it when they start.
create table bus_settings (
  "only" boolean primary key default true check ("only"),
  durable boolean not null default false
);
insert into bus_settings default values;

-- The last number that was given, and how many topics there are.
create table bus_head (
  "only" boolean primary key default true check ("only"),
  last_id bigint not null default 0,
  topics integer not null default 0
);
insert into bus_head default values;

-- The workspace is not a foreign key: publishers of one workspace would queue at its row, and the log outlives it.
create table bus_outbox (
  id bigint generated always as identity primary key,
  workspace_id text not null,
  topic text collate "C" not null,
  key text,
  event jsonb not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

create table bus_messages (
  id bigint primary key,
  workspace_id text not null,
  topic text collate "C" not null,
  key text,
  event jsonb not null,
  published_at timestamptz not null
);
-- replay of a topic costs what it delivers, for all workspaces or for one
create index bus_messages_of_topic on bus_messages (topic, id);
create index bus_messages_of_workspace on bus_messages (workspace_id, topic, id);

-- Every topic that ever was: patterns are matched against these few, and the log is then read topic by topic.
create table bus_topics (topic text collate "C" primary key);

-- How far each subscriber has come. `reading_to` is the end of the page in its hands: up to there a lost one leaves in doubt
-- what it had handled.
create table bus_cursors (
  subscriber text not null,
  workspace_id text not null,
  last_id bigint not null,
  reading_to bigint not null,
  updated_at timestamptz not null default now(),
  primary key (subscriber, workspace_id)
) with (fillfactor = 50);

create table bus_dead_letters (
  subscriber text not null,
  message_id bigint not null,
  workspace_id text not null,
  topic text not null,
  event jsonb not null,
  attempts integer not null,
  error text not null,
  created_at timestamptz not null default now(),
  primary key (subscriber, message_id)
);

call lock_to_workspace('bus_outbox');
call lock_to_workspace('bus_messages');
call lock_to_workspace('bus_cursors');
call lock_to_workspace('bus_dead_letters');

-- Puts events on the bus with the transaction that calls it.
create function publish_events(p_events jsonb) returns void
language sql as $$
  insert into bus_outbox (workspace_id, topic, key, event)
  select e ->> 'workspaceid', e ->> 'type', e ->> 'partitionkey', e
  from jsonb_array_elements(p_events) with ordinality t(e, position) order by position
$$;

-- Numbers at most `p_limit` committed rows of the outbox and rings once for all of them. Answers how many there were. The
-- lock on the head makes two numberers take turns, whatever they believe about who leads.
create function number_bus_messages(p_limit integer) returns integer
language plpgsql
-- the outbox is always nearly empty and full of dead rows, which an index remembers and a scan meets again every time
set enable_seqscan = off
as $$
declare
  v_last bigint;
  v_count integer;
  v_topics text[];
  v_fresh integer;
  v_bell text;
begin
  perform id from bus_outbox order by id limit 1;
  if not found then return 0; end if;
  select last_id into v_last from bus_head for update;
  with taken as (
    delete from bus_outbox where id = any(array(select id from bus_outbox order by id limit p_limit)) returning *
  ), numbered as (
    insert into bus_messages (id, workspace_id, topic, key, event, published_at)
    select v_last + row_number() over (order by id), workspace_id, topic, key, event, clock_timestamp() from taken
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

-- Which events of a run's log the bus tells.
create function is_on_bus(p_type text) returns boolean
language sql immutable parallel safe
return p_type in ('run.queued', 'run.started', 'run.succeeded', 'run.failed', 'run.rejected', 'run.cancelled', 'run.expired',
  'gate.opened', 'gate.resolved', 'gate.expired');

-- What an event of a run's log is on the bus. An open gate is two things: a gate to decide, and a run that waits.
create function bus_events(p run_events) returns setof jsonb
language sql stable as $$
  select jsonb_build_object(
    'specversion', '1.0',
    'id', p.run_id || '.' || p.seq || case when topic = 'run.awaiting_approval' then '.awaiting' else '' end,
    'source', 'svc/runs',
    'type', topic,
    'subject', p.run_id,
    'time', to_char(p.ts at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'datacontenttype', 'application/json',
    'workspaceid', r.workspace_id,
    'partitionkey', p.run_id,
    'data', jsonb_strip_nulls(jsonb_build_object('run_id', p.run_id, 'seq', p.seq, 'pack', r.pack, 'template', r.template,
      'environment', r.environment, 'lane', r.lane, 'sandbox', r.sandbox, 'dry_run', r.dry_run, 'step', p.step_id,
      'actor', p.actor)) || jsonb_build_object('detail', p.data))
  from runs r, unnest(case p.type
    when 'gate.opened' then array['gate.opened', 'run.awaiting_approval']
    when 'gate.expired' then array['gate.resolved']
    else array[p.type] end) with ordinality t(topic, position)
  where r.id = p.run_id order by position
$$;

create function publish_run_event() returns trigger
language plpgsql as $$
begin
  if (select durable from bus_settings) then
    insert into bus_outbox (workspace_id, topic, key, event)
    select e ->> 'workspaceid', e ->> 'type', new.run_id, e from bus_events(new) e;
  end if;
  return null;
end $$;

create trigger run_events_publish after insert on run_events for each row when (is_on_bus(new.type))
  execute function publish_run_event();
