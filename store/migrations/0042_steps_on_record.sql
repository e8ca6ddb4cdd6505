-- What went into a step, as approvers are shown it: secrets are hidden, and what is too large is cut.
alter table run_steps add column inputs jsonb;
