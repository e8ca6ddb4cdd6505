-- Who shaped a start that a halt has refused: whoever starts it afterwards does not answer for them.
alter table halt_refusals add column contributors jsonb not null default '[]';
