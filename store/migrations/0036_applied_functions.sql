-- Which files of `store/functions` the functions of this database come from. One row; written by whoever migrates.
create table applied_functions (
  one boolean primary key default true check (one),
  digest text not null default '',
  applied_at timestamptz not null default now()
);
insert into applied_functions default values;
