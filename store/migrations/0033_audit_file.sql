-- What is known of the audit log as a file: what is wrong with it, and how far it was last read from end to end and found to
-- hold what the outbox says was written. One row, for all processes and over restarts.
create table audit_file (
  one boolean primary key default true check (one),
  -- null while nothing is wrong
  problem text,
  problem_seq bigint,
  found_at timestamptz,
  findings bigint not null default 0,
  passed_seq bigint,
  passed_at timestamptz,
  check ((problem is null) = (problem_seq is null))
);
insert into audit_file default values;

-- A record that was chained never changes again: it is what a lost file is written again from.
create function keep_chained() returns trigger language plpgsql as $$
begin
  raise exception 'audit record % is in the chain', old.seq using errcode = 'integrity_constraint_violation';
end $$;

create trigger audit_outbox_keep_chained before update on audit_outbox
  for each row when (old.seq is not null) execute function keep_chained();
