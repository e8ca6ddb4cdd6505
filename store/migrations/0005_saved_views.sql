-- The filters of a list that a person keeps under a name.
create table saved_views (
  workspace_id text not null,
  user_id text not null,
  page text not null check (page in ('gates', 'runs')),
  name text not null check (length(name) between 1 and 60),
  search jsonb not null check (jsonb_typeof(search) = 'object' and length(search::text) <= 16384),
  primary key (workspace_id, user_id, page, name)
);
call lock_to_workspace('saved_views');
