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
