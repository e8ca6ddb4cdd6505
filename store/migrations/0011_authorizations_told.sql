-- Since when an authorisation is in its state, and what its owner is told of it: once per state, decided with the change of the state.
alter table connection_grants
  add column since timestamptz not null default now(),
  add column notice text check (notice in ('failed', 'unknown', 'ends')),
  -- how many messages there were about it, and when the last one is due; null once it was handed to the engine
  add column notices integer not null default 0,
  add column notice_due_at timestamptz;
create index connection_grants_to_notice on connection_grants (notice_due_at) where notice_due_at is not null;

alter table notice_deliveries
  add column connection_id text,
  add column authorization_id text,
  add column authorization_notice integer;
alter table notice_deliveries drop constraint notice_deliveries_kind_check;
alter table notice_deliveries add constraint notice_deliveries_kind_check check (kind in ('opened', 'reminder', 'escalated',
  'answered_for_you', 'resolved', 'ended', 'halt_set', 'halt_refused', 'halt_lifted', 'digest', 'digest_edit',
  'connection_failed', 'connection_unknown', 'connection_ends'));
alter table notice_deliveries drop constraint notice_deliveries_about_one;
alter table notice_deliveries add constraint notice_deliveries_about_one check (
  num_nonnulls(gate_id, run_id, halt_id, digest_notice, authorization_id) = 1
  and (kind = 'ended') = (run_id is not null) and starts_with(kind, 'halt_') = (halt_id is not null)
  and (halt_id is null) = (halt_notice is null) and starts_with(kind, 'digest') = (digest_notice is not null)
  and starts_with(kind, 'connection_') = (authorization_id is not null)
  and num_nonnulls(connection_id, authorization_id, authorization_notice) in (0, 3)
  and (digest_id is null) = (status <> 'folded' and digest_notice is null) and (status <> 'folded' or link is null));
create unique index notice_deliveries_of_authorization
  on notice_deliveries (authorization_id, authorization_notice, channel, recipient);

-- An authorisation that began on the command line is bound to a code that its terminal shows, in the place of a browser.
alter table oauth_flows
  alter column browser_hash drop not null,
  add column code_hash text,
  add column tries integer not null default 0,
  add constraint oauth_flows_are_bound check (num_nonnulls(browser_hash, code_hash) = 1);
