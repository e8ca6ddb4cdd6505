-- A person whose answer counts no longer answers once more: which answers count is settled by resolve_gate, under the lock of the gate.
alter table gate_decisions drop constraint gate_decisions_gate_id_decided_by_decision_key;
