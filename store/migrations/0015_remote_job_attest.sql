-- Public key by which the result of the job has to be signed; null where results are believed as they come.
alter table remote_jobs add column attest text;
