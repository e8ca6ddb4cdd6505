-- Processes of which releases may run on this schema: those that know this migration.
alter table applied_functions add column oldest_release text not null default '';
