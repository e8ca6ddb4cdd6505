-- A call that a step makes: what it costs is reserved and charged with the attempt of the step that makes it.
alter table model_calls
  add column step_id text,
  add column step_attempt integer,
  add constraint model_calls_of_a_step check ((step_id is null) = (step_attempt is null) and (step_id is null or run_id is not null));
