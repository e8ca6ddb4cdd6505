-- Tells whether a gate waits for an answer whose notice was folded into this digest.
create or replace function is_waiting_in(p_digest text) returns boolean
language sql stable as $$
  select exists (select from notice_deliveries n join gates g on g.id = n.gate_id
    where n.digest_id = p_digest and n.status = 'folded' and g.status = 'open')
$$;

-- When a digest is told next: ten seconds from now, which gathers the beginning of a storm; later by edits of the message at most every
-- thirty seconds, and where there are none, by one more message at most every ten minutes.
create or replace function next_digest_notice(d notice_digests) returns timestamptz
language sql volatile as $$
  select greatest(clock_timestamp() + interval '10 seconds',
    d.noticed_at + case when d.edits then interval '30 seconds' else interval '10 minutes' end)
$$;

-- Folds a notice into the digest of its recipient, and returns the digest; null where it has a message of its own. A gate has one up to so many
-- in a minute, and so has the end of a run; a reminder or an escalation also not while the digest has gates that wait.
create or replace function fold_notice(p_workspace text, p_kind text, p_to jsonb) returns text
language plpgsql as $$
declare
  v_most constant integer := (p_to #>> '{fold,per_minute}')::integer;
  v_kinds constant text[] := case p_kind when 'ended' then array['ended'] else array['opened', 'reminder', 'escalated'] end;
  v_digest notice_digests;
  v_lately boolean;
  v_waits boolean;
begin
  if v_most is null then return null; end if;
  select * into v_digest from notice_digests
    where workspace_id = p_workspace and channel = p_to ->> 'channel' and recipient = p_to ->> 'recipient'
    order by created_at desc limit 1;
  v_lately := coalesce(v_digest.folded_at > clock_timestamp() - interval '15 minutes', false);
  v_waits := v_digest.id is not null and is_waiting_in(v_digest.id);
  if not (p_kind in ('reminder', 'escalated') and v_waits)
    and (select count(*) from (select from notice_deliveries
      where workspace_id = p_workspace and channel = p_to ->> 'channel' and recipient = p_to ->> 'recipient'
      and planned_at > clock_timestamp() - interval '1 minute' and kind = any (v_kinds) limit v_most) lately) < v_most
  then return null; end if;
  if not v_lately and not v_waits then
    insert into notice_digests (id, workspace_id, channel, recipient, edits, folded_at, changed_at)
    values (p_to #>> '{fold,digest_id}', p_workspace, p_to ->> 'channel', p_to ->> 'recipient', (p_to #>> '{fold,edits}')::boolean,
      clock_timestamp(), clock_timestamp())
    returning * into v_digest;
  end if;
  update notice_digests d set folded_at = clock_timestamp(), changed_at = clock_timestamp(),
    notice_due_at = least(notice_due_at, next_digest_notice(d))
  where id = v_digest.id;
  return v_digest.id;
end $$;

-- Records the recipients of a notice about a gate or of the end of a run, once, and which of them are told by a digest.
create or replace function plan_notices(p_about jsonb, p_kind text, p_to jsonb) returns void
language plpgsql as $$
declare
  v_to jsonb;
  v_digest text;
begin
  -- others who plan for the same recipient count this notice; in one order, so that no two wait for each other
  perform pg_advisory_xact_lock(key) from (
    select distinct hashtextextended(format('svc:notices/%s/%s', each ->> 'channel', each ->> 'recipient'), 0) as key
    from jsonb_array_elements(p_to) t(each) order by key) locks;
  if exists (select from notice_deliveries
    where (gate_id = p_about ->> 'gate_id' and kind = p_kind) or run_id = p_about ->> 'run_id') then return; end if;
  perform from notice_digests d where workspace_id = p_about ->> 'workspace_id' and exists (select from jsonb_array_elements(p_to) t(each)
    where d.channel = each ->> 'channel' and d.recipient = each ->> 'recipient') order by id for no key update;
  for v_to in select each from jsonb_array_elements(p_to) with ordinality t(each, place) order by place loop
    v_digest := fold_notice(p_about ->> 'workspace_id', p_kind, v_to);
    insert into notice_deliveries (gate_id, run_id, workspace_id, kind, channel, recipient, status, digest_id)
    values (p_about ->> 'gate_id', p_about ->> 'run_id', p_about ->> 'workspace_id', p_kind, v_to ->> 'channel', v_to ->> 'recipient',
      case when v_digest is null then 'planned' else 'folded' end, v_digest)
    on conflict do nothing;
  end loop;
end $$;

-- Makes messages due for a gate that is over: where they can be changed, and elsewhere when no other gate waits.
create or replace function tell_digests_of(p_gate text) returns void
language plpgsql as $$
begin
  perform from notice_digests
    where id in (select digest_id from notice_deliveries where gate_id = p_gate and status = 'folded') order by id for no key update;
  update notice_digests d set changed_at = clock_timestamp(), notice_due_at = least(notice_due_at, next_digest_notice(d))
  where id in (select digest_id from notice_deliveries where gate_id = p_gate and status = 'folded')
    and (edits or not is_waiting_in(id));
end $$;

-- Notes that a message of a digest was handed to the engine. What has changed since it came due, which it may not tell, makes another one due.
create or replace function mark_digest_notice_handed(p_id text, p_notice integer, p_due_at timestamptz) returns void
language plpgsql as $$
begin
  update notice_digests set notices = notices + 1, noticed_at = now(), notice_due_at = nullif(notice_due_at, p_due_at)
  where id = p_id and notices = p_notice;
  if not found then return; end if;
  update notice_digests d set notice_due_at = least(notice_due_at, next_digest_notice(d)) where id = p_id and changed_at >= p_due_at;
  -- what was folded since the last message that drew attention draws it again
  update notice_digests set notice_due_at = least(notice_due_at, announced_at + interval '10 minutes')
  where id = p_id and edits and folded_at > announced_at and announced_at > clock_timestamp() - interval '10 minutes';
end $$;

-- Records a message of a digest, once: a new one that draws attention, at most every ten minutes, or a change of the last one.
create or replace function plan_digest_notice(p_id text, p_notice integer) returns void
language plpgsql as $$
declare
  v_digest notice_digests;
  v_is_new boolean;
begin
  select * into v_digest from notice_digests where id = p_id for no key update;
  if exists (select from notice_deliveries where digest_id = p_id and digest_notice = p_notice) then return; end if;
  v_is_new := not v_digest.edits or v_digest.announced_at is null
    or (v_digest.folded_at > v_digest.announced_at and v_digest.announced_at <= clock_timestamp() - interval '10 minutes');
  insert into notice_deliveries (digest_id, digest_notice, workspace_id, kind, channel, recipient)
  values (p_id, p_notice, v_digest.workspace_id, case when v_is_new then 'digest' else 'digest_edit' end, v_digest.channel,
    v_digest.recipient);
  if v_is_new then update notice_digests set announced_at = clock_timestamp() where id = p_id; end if;
end $$;
