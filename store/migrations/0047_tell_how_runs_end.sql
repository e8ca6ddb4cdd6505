-- People also hear how a run ended. What there is to tell of it stands in the same outbox, and each message in the same list, with the
-- run in the place of the gate.
alter table gate_notices
  alter column gate_id drop not null,
  drop constraint gate_notices_kind_check,
  add constraint gate_notices_kind_check check (kind in ('opened', 'resolved', 'ended')),
  add constraint gate_notices_about_one check ((gate_id is null) = (kind = 'ended'));
create unique index gate_notices_ended on gate_notices (run_id) where kind = 'ended';

alter table notice_deliveries
  add column run_id text references runs,
  drop constraint notice_deliveries_pkey,
  drop constraint notice_deliveries_id_key,
  add primary key (id),
  alter column gate_id drop not null,
  drop constraint notice_deliveries_kind_check,
  add constraint notice_deliveries_kind_check check (kind in ('opened', 'reminder', 'escalated', 'resolved', 'ended')),
  add constraint notice_deliveries_about_one check (num_nonnulls(gate_id, run_id) = 1 and (kind = 'ended') = (gate_id is null));
create unique index notice_deliveries_of_gate on notice_deliveries (gate_id, kind, channel, recipient);
create unique index notice_deliveries_of_run on notice_deliveries (run_id, channel, recipient);
