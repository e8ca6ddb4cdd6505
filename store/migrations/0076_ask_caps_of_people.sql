-- The people behind a question: the cap of a day is theirs in the workspace, however many threads and accounts they ask with.
alter table model_calls add column ask_people text[];
drop index model_calls_of_ask_thread;
create index model_calls_of_ask_day on model_calls (workspace_id, ask_day) where ask_day is not null;
