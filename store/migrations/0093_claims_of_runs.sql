-- The executions of a run that neither ended nor gave it back: each but the one at work is a process that ended while it worked on the run.
alter table runs add column claims smallint not null default 0;

alter table set_aside drop constraint set_aside_kind_check;
alter table set_aside add check (kind in ('delivery', 'run'));
