-- Runs that ended long ago can be forgotten, where a deployment asks for it. The audit log keeps what it says of them.
create index gate_notices_of_run on gate_notices (run_id);
