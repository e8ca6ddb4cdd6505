-- A person in whose name a service account has answered a gate is told.
alter table gate_notices
  drop constraint gate_notices_kind_check,
  add constraint gate_notices_kind_check check (kind in ('opened', 'answered', 'resolved', 'ended'));

alter table notice_deliveries
  drop constraint notice_deliveries_kind_check,
  add constraint notice_deliveries_kind_check
    check (kind in ('opened', 'reminder', 'escalated', 'answered_for_you', 'resolved', 'ended'));

create function note_answer() returns trigger
language plpgsql as $$
begin
  insert into gate_notices (gate_id, run_id, workspace_id, kind)
  select id, run_id, workspace_id, 'answered' from gates where id = new.gate_id and is_announced(view)
  on conflict (gate_id, kind) do update set handed_at = null, due_at = now();
  return null;
end $$;

create trigger gate_decisions_note_answer after insert on gate_decisions for each row
  when (new.via is not null)
  execute function note_answer();
