-- People and service accounts. Nobody is ever deleted, so that what they did keeps its author.
create table users (
  id text primary key check (starts_with(id, 'usr_') and length(id) = 30),
  account_id text not null check (starts_with(account_id, 'acc_') and length(account_id) between 5 and 30),
  email text not null unique check (email = lower(email) and length(email) <= 254 and position('@' in email) > 1),
  display_name text check (display_name <> ''),
  roles text[] not null,
  approval_roles text[] not null default '{}',
  scopes text[] not null default '{}',
  -- workspaces to enter, home first; `*` means all of them
  workspaces text[] not null,
  status text not null default 'invited' check (status in ('invited', 'active', 'disabled')),
  password_hash text check (starts_with(password_hash, '$argon2id$')),
  invite_hash text check (length(invite_hash) = 64),
  invite_expires_at timestamptz,
  -- tokens name it: raising it ends them all
  token_version integer not null default 1 check (token_version > 0),
  out_of_office_until timestamptz,
  delegate_to text references users,
  last_login_at timestamptz,
  -- who asked them in, and answers for a service account; the local owner has no row
  invited_by text,
  -- made without anybody's invitation: at most one ever
  bootstrapped boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint users_know_their_roles check (
    cardinality(roles) > 0 and roles <@ array['owner', 'admin', 'operator', 'approver', 'viewer', 'service']),
  constraint users_have_a_home check (cardinality(workspaces) > 0 and array_position(workspaces, null) is null),
  constraint users_everywhere_only_above check (
    '*' <> all (workspaces) or (cardinality(workspaces) = 1 and roles && array['owner', 'admin'])),
  constraint users_active_can_sign_in check (status <> 'active' or password_hash is not null or 'service' = any (roles)),
  constraint users_invited_hold_an_invitation check (
    (status = 'invited') = (invite_hash is not null) and (invite_hash is null) = (invite_expires_at is null)),
  constraint users_delegate_to_somebody_else check (delegate_to <> id)
);

create unique index users_one_bootstrapped on users (bootstrapped) where bootstrapped;
create index users_newest on users (account_id, created_at desc, id desc);
create index users_delegators on users (delegate_to) where delegate_to is not null;
