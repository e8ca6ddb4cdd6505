-- Keys with which the programs of service accounts come in. Of a key only its beginning and its digest are kept.
create table api_keys (
  id text primary key check (starts_with(id, 'key_') and length(id) = 30),
  account_id text not null,
  -- the service account that it speaks for
  user_id text not null references users,
  name text not null check (name <> '' and length(name) <= 100),
  prefix text not null check (starts_with(prefix, 'svc_') and length(prefix) = 12),
  hash text not null unique check (length(hash) = 64),
  scopes text[] not null,
  -- null: wherever the account may enter
  workspace_id text references workspaces,
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- to the minute
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  constraint api_keys_know_their_scopes check (
    cardinality(scopes) > 0 and scopes <@ array['runs:read', 'runs:start', 'approvals:on_behalf', 'admin']),
  constraint api_keys_expire check (expires_at > created_at and expires_at <= created_at + interval '366 days'),
  constraint api_keys_revoked_by_somebody check ((revoked_at is null) = (revoked_by is null))
);
create index api_keys_newest on api_keys (account_id, created_at desc, id desc);
call lock_to_workspace('api_keys');

alter table gate_decisions
  drop constraint gate_decisions_auth_check,
  add constraint gate_decisions_auth_check check (auth in ('none', 'jwt', 'api_key', 'magic_link', 'signature'));

-- When a notice that did not arrive is tried again; null once it has arrived, or trying again cannot help.
alter table notice_deliveries add column next_at timestamptz;
create index notice_deliveries_newest on notice_deliveries (workspace_id, planned_at desc, id desc);
