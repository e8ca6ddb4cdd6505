-- A policy shows a session the rows of the workspace in its setting `svc.workspace`; `*`, which the service's own machinery sets when it
-- connects, shows all rows, and a session without a setting sees none. The test for `*` comes first: it is the whole cost of a policy on
-- the hot path. A new table with a tenant's rows calls one of these two.
create or replace procedure lock_rows(p_table regclass, p_visible text)
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format($policy$create policy of_workspace on %s
    using (current_setting('svc.workspace', true) = '*' or %s)$policy$, p_table, p_visible);
end $$;

create or replace procedure lock_to_workspace(p_table regclass, p_workspace text default 'workspace_id')
language plpgsql as $$
begin
  call lock_rows(p_table, format($visible$%s = current_setting('svc.workspace', true)$visible$, p_workspace));
end $$;

-- Rows of a run, a pipeline or a gate are visible where their parent is: the query inside is under its own policy. It is a function,
-- because a subquery in a policy is set up with every statement, also where `*` makes it superfluous.
create or replace function sees_run(p_id text) returns boolean
language plpgsql stable as $$
begin
  return exists (select from runs where id = p_id);
end $$;

create or replace function sees_pipeline(p_id text) returns boolean
language plpgsql stable as $$
begin
  return exists (select from pipelines where id = p_id);
end $$;

create or replace function sees_gate(p_id text) returns boolean
language plpgsql stable as $$
begin
  return exists (select from gates where id = p_id);
end $$;

-- bodies are stored once by content: an artifact of that content gives access to it
create or replace function sees_artifact(p_digest text) returns boolean
language plpgsql stable as $$
begin
  return exists (select from artifacts where digest = p_digest);
end $$;
