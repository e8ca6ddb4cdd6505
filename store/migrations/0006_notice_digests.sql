-- Notices to one recipient that are sent together, because there were more in a minute than their channel sends one by one.
create table notice_digests (
  id text primary key check (starts_with(id, 'dgs_') and length(id) = 30),
  workspace_id text not null references workspaces,
  channel text not null,
  recipient text not null,
  -- the channel can change what it has sent
  edits boolean not null,
  created_at timestamptz not null default now(),
  -- the last notice that was folded into it, and the last change of what it says
  folded_at timestamptz not null,
  changed_at timestamptz not null,
  -- when its next message is due, when the last one was handed to the engine, how many were, and when the last one drew attention
  notice_due_at timestamptz,
  noticed_at timestamptz,
  notices integer not null default 0,
  announced_at timestamptz
);
call lock_to_workspace('notice_digests');
create index notice_digests_newest on notice_digests (workspace_id, channel, recipient, created_at desc);
create index notice_digests_to_notice on notice_digests (notice_due_at) where notice_due_at is not null;

-- Of a folded notice, the digest that tells it; of a message of a digest, also which of its messages.
alter table notice_deliveries add column digest_id text references notice_digests;
alter table notice_deliveries add column digest_notice integer;
alter table notice_deliveries drop constraint notice_deliveries_status_check;
alter table notice_deliveries add constraint notice_deliveries_status_check
  check (status in ('planned', 'delivered', 'failed', 'folded'));
alter table notice_deliveries drop constraint notice_deliveries_kind_check;
alter table notice_deliveries add constraint notice_deliveries_kind_check check (kind in ('opened', 'reminder', 'escalated',
  'answered_for_you', 'resolved', 'ended', 'halt_set', 'halt_refused', 'halt_lifted', 'digest', 'digest_edit'));
alter table notice_deliveries drop constraint notice_deliveries_about_one;
alter table notice_deliveries add constraint notice_deliveries_about_one check (
  num_nonnulls(gate_id, run_id, halt_id, digest_notice) = 1
  and (kind = 'ended') = (run_id is not null) and starts_with(kind, 'halt_') = (halt_id is not null)
  and (halt_id is null) = (halt_notice is null) and starts_with(kind, 'digest') = (digest_notice is not null)
  and (digest_id is null) = (status <> 'folded' and digest_notice is null) and (status <> 'folded' or link is null));
create unique index notice_deliveries_of_digest on notice_deliveries (digest_id, digest_notice) where digest_notice is not null;
create index notice_deliveries_folded on notice_deliveries (digest_id) where status = 'folded';
create index notice_deliveries_of_recipient on notice_deliveries (channel, recipient, planned_at);
