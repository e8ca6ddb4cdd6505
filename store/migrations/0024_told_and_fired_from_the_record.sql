-- A claim that is not borne out is about a run or about a schedule.
alter table refused_claims rename column run_id to subject_id;

drop function refuse_claim(text, text, text, jsonb);

-- Counts a refused claim, and puts it in line for the audit log unless one like it was there within the last minute. Claims about
-- what there is not are counted together, under the empty id.
create function refuse_claim(p_kind text, p_subject text, p_workspace text, p_draft jsonb) returns void
language plpgsql as $$
declare
  v_subject text;
  v_workspace text;
  v_is_run boolean;
  v_claims refused_claims;
begin
  select id, workspace_id, true into v_subject, v_workspace, v_is_run from runs where id = p_subject;
  if not found then
    select id, workspace_id, false into v_subject, v_workspace, v_is_run from schedules where id = p_subject;
  end if;
  insert into refused_claims as c (kind, subject_id, workspace_id)
  values (p_kind, coalesce(v_subject, ''), coalesce(v_workspace, p_workspace))
  on conflict (subject_id, kind) do update set refused = c.refused + 1
  returning * into v_claims;
  if v_claims.reported_at > clock_timestamp() - interval '1 minute' then return; end if;
  update refused_claims set reported = refused, reported_at = clock_timestamp()
  where subject_id = v_claims.subject_id and kind = v_claims.kind;
  perform append_audit(jsonb_build_array(
    jsonb_set(case when v_is_run then p_draft else p_draft - 'run_id' end, '{data,times}', to_jsonb(v_claims.refused - v_claims.reported))
    || jsonb_build_object('workspace_id', v_claims.workspace_id)));
end $$;

-- No time is fired that has not come. The engine's clock may be a second ahead.
create function refuse_firing_to_come() returns trigger
language plpgsql as $$
begin
  raise exception 'the time % of schedule % has not come', new.nominal_at, new.schedule_id using errcode = 'check_violation';
end $$;
create trigger schedule_firings_have_come before insert on schedule_firings for each row
  when (new.outcome in ('claimed', 'waiting', 'started') and new.nominal_at > clock_timestamp() + interval '1 second')
  execute function refuse_firing_to_come();

-- A notice is on record before it is sent, written by whoever plans it from the gate. The engine names it by its id, and a link
-- is good only while a notice carries it.
alter table notice_deliveries
  add column id bigint generated always as identity,
  add column link text references magic_links,
  add column planned_at timestamptz not null default now(),
  alter column attempts set default 0,
  alter column status set default 'planned',
  drop constraint notice_deliveries_status_check,
  add constraint notice_deliveries_status_check check (status in ('planned', 'delivered', 'failed')),
  add unique (id);
create index notice_deliveries_links on notice_deliveries (link) where link is not null;

-- Who was asked before notices were planned is asked once more, if the gate's own channels reach them: the links of before are on
-- no notice.
update notice_deliveries n set status = 'planned', delivered_at = null
from gates g where g.id = n.gate_id and g.status = 'open' and n.kind <> 'resolved';
