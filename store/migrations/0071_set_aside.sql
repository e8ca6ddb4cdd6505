-- The claims of a delivery that neither ended nor were released: each is a process that ended while it worked on it.
alter table inbox_items add column claims text[] not null default '{}';
create index inbox_items_claimed on inbox_items (received_at) where status = 'received' and claims <> '{}';

-- Work that is not handed out again because it has ended two processes, until somebody replays it.
create table set_aside (
  kind text not null check (kind = 'delivery'),
  subject text not null,
  workspace_id text not null,
  reason text not null,
  created_at timestamptz not null default now(),
  primary key (kind, subject)
);
create index set_aside_by_workspace on set_aside (workspace_id, created_at desc);
alter table set_aside enable row level security;
alter table set_aside force row level security;
create policy of_workspace on set_aside
  using (current_setting('svc.workspace', true) = '*' or workspace_id = current_setting('svc.workspace', true));
