import type postgres from 'postgres'

/** Things of a database that act, each reached in its own way; all of them end in functions that are volatile. */
export async function createActingObjects(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create sequence ticket;
    create table item (id int primary key, name text);
    insert into item select i, 'item ' || i from generate_series(1, 20) i;
    create function sneak() returns int language plpgsql as $$ begin perform pg_notify('sneak', 'x'); perform pg_advisory_lock(77); return 1; end $$;
    create function sneak(int) returns int language sql as 'select sneak() + $1';
    create function sneak_text(int) returns boolean language sql as 'select sneak() > $1';
    create function by_default(x int default nextval('ticket')::int) returns int immutable language sql as 'select x';
    create function calm(x int) returns int immutable language sql as 'select x + 1';
    create function either_way(x int) returns int immutable language sql as 'select x';
    create function either_way(x text) returns int volatile language sql as 'select sneak()';
    create view behind as select id, sneak(id) as told from item;
    create view behind_behind as select * from behind;
    create view aside as select id, pg_notify('aside', name)::text as told from item;
    create view calm_view as select id, calm(id) as next from item;
    create function sneak_sum(a int, b int) returns int language sql as 'select sneak() + $1 + $2';
    create operator +@+ (leftarg = int, rightarg = int, function = sneak_sum);
    create type pair as (a int, b int);
    create function pair_of(int) returns pair language sql as 'select row(sneak(), $1)::pair';
    create cast (int as pair) with function pair_of(int);
    create domain chatty as int check (sneak_text(value));
    create table entry (inside chatty);
    create type chatty_range as range (subtype = chatty);
    create view locking as select id from item for update;
    create type boxed as (inside chatty);
    create function takes_chatty(x chatty) returns int immutable language sql as 'select 1';
    create aggregate loud_sum (int) (sfunc = sneak_sum, stype = int, initcond = '0');
    create function same(int, int) returns boolean immutable language sql as 'select $1 = $2';
    create function sneak_differs(int, int) returns boolean language sql as 'select sneak() > 0';
    create operator === (leftarg = int, rightarg = int, function = same, negator = !==);
    create operator !== (leftarg = int, rightarg = int, function = sneak_differs, negator = ===);
    create operator !!! (leftarg = int, rightarg = bigint, function = pg_terminate_backend);
    create function no_entry() returns entry stable language sql as 'select null::entry';
    create function entries() returns table (e entry) stable language sql as 'select null::entry';
    create table list (parts chatty[], span chatty_range);
    create extension hstore;
    create function shout(item) returns int language sql as 'select sneak()';
    create table guarded (id int);
    alter table guarded enable row level security;
    create policy quietly on guarded using (sneak() > 0);
    create extension postgres_fdw;
    create server far foreign data wrapper postgres_fdw;
    create foreign table away (id int) server far;
    create table whole (id int) partition by range (id);
    create foreign table whole_away partition of whole for values from (0) to (10) server far;
  `)
}
