-- Connections of the console: where operators lead, and as whom. No secret stands here.
create table connections (
  id text primary key check (starts_with(id, 'conn_') and length(id) = 31),
  account_id text not null check (starts_with(account_id, 'acc_')),
  name text not null check (name ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
  kind text not null check (kind in ('http', 'postgres')),
  auth text not null check (auth in ('none', 'basic', 'bearer')),
  config jsonb not null check (jsonb_typeof(config) = 'object'),
  -- slugs of the workspaces whose runs may use it, `*` for all
  workspaces text[] not null check (array_position(workspaces, null) is null),
  -- counts the changes of where it leads and of its secret
  version integer not null default 1 check (version > 0),
  -- tells two secrets apart
  fingerprint text check (length(fingerprint) = 8),
  status text not null default 'untested' check (status in ('untested', 'healthy', 'degraded', 'failed')),
  last_test jsonb,
  created_by text not null,
  created_at timestamptz not null default now(),
  author text not null,
  updated_at timestamptz not null default now(),
  constraint connections_by_name unique (name),
  constraint connections_have_the_secret_they_need check ((fingerprint is null) = (auth = 'none')),
  constraint connections_tested_say_how check ((status = 'untested') = (last_test is null))
);

-- The secret of a connection: a JWE that opens for its connection, version and address alone.
create table connection_secrets (
  connection_id text primary key references connections on delete cascade,
  version integer not null,
  -- the key that sealed it
  kid text not null,
  sealed text not null
);

-- The version of a connection that each step of a run has used, and when first. It outlives the connection.
create table connection_uses (
  connection_id text not null,
  version integer not null,
  run_id text not null references runs,
  step_id text not null,
  used_at timestamptz not null default now(),
  primary key (run_id, step_id, connection_id, version)
);
call lock_rows('connection_uses', 'sees_run(run_id)');
create index connection_uses_newest on connection_uses (connection_id, used_at desc);
