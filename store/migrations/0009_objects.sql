-- The kinds and the authentication of connections are those of the release (core/connection/kind-schema.ts).
alter table connections drop constraint connections_kind_check;
alter table connections add constraint connections_kind_check check (kind ~ '^[a-z][a-z0-9_]{0,31}$');
alter table connections drop constraint connections_auth_check;
alter table connections add constraint connections_auth_check check (auth ~ '^[a-z][a-z0-9_]{0,31}$');

-- An artifact has its body in the database, or in a bucket: by the name of a connection and a key.
alter table artifacts add column object_connection text;
alter table artifacts add column object_key text;
alter table artifacts add constraint artifacts_object_is_whole check ((object_connection is null) = (object_key is null));
alter table artifacts add column body_digest text generated always as (case when object_key is null then digest end) stored;
alter table artifacts drop constraint artifacts_digest_fkey;
alter table artifacts add constraint artifacts_body_digest_fkey foreign key (body_digest) references artifact_bodies (digest);
create index artifacts_by_body on artifacts (body_digest);
create index artifacts_by_object on artifacts (object_connection, object_key) where object_key is not null;

-- Objects whose last artifact was deleted: they are deleted in their bucket, and then here.
create table artifact_removals (
  object_connection text not null,
  object_key text not null,
  workspace_id text not null references workspaces,
  -- whose egress rules apply
  environment text not null,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  primary key (object_connection, object_key)
);
call lock_to_workspace('artifact_removals');
create index artifact_removals_due on artifact_removals (due_at);
