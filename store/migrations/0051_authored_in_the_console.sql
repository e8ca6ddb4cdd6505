-- What is authored in the console beside policies: rules of a workspace, and, for all of them (`*`), what is said about environments and
-- profiles over their files. The text is kept as its author wrote it.
create table console_documents (
  kind text not null check (kind in ('rule', 'environment', 'profile')),
  workspace_id text not null,
  name text not null check (name <> '' and length(name) <= 100),
  document text not null check (length(document) <= 262144),
  author text not null,
  updated_at timestamptz not null default now(),
  primary key (kind, workspace_id, name),
  constraint console_documents_stand_where_their_kind_does check ((workspace_id = '*') = (kind <> 'rule'))
);
call lock_to_workspace('console_documents');
