import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'

export interface AilingDatabase {
  url: string
  sql: postgres.Sql
  /** process numbers of the chain: the first blocks the second, which blocks the third, which blocks the fourth */
  chain: number[]
  /** whatever holds a lock lets go */
  release(): Promise<void>
  end(): Promise<void>
}

/** A database with most of what a DBA is called for: bloat, superfluous indexes, a prepared transaction, and a table that is locked whole. */
export async function ailingDatabase(serverUrl: string): Promise<AilingDatabase> {
  const admin = postgres(serverUrl, { max: 1, onnotice: () => undefined })
  const name = `ailing_${Date.now().toString(36)}`
  await admin.unsafe(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const making = postgres(url.href, { max: 1, onnotice: () => undefined })
  await making.unsafe(TABLES)
  // the rows that it counted as dead are reported now, and not after the vacuum below
  await making`select pg_stat_force_next_flush()`
  await making.end()
  const sql = postgres(url.href, { max: 1, onnotice: () => undefined })
  for (const statement of MAINTAINED) await sql.unsafe(statement)
  const sessions: postgres.Sql[] = []
  const session = (application_name: string) => {
    const own = postgres(url.href, { max: 1, connection: { application_name }, onnotice: () => undefined })
    sessions.push(own)
    return own
  }
  const chain = await blockingChain(sql, session)
  const release = async () => {
    await Promise.all(sessions.map((each) => each.end({ timeout: 0 })))
    await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
    for (const { gid } of await sql`select gid from pg_prepared_xacts where database = current_database()`)
      await sql.unsafe(`rollback prepared '${gid}'`)
  }
  return {
    url: url.href,
    sql,
    chain,
    release,
    async end() {
      await release()
      await sql.end({ timeout: 1 })
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end({ timeout: 1 })
    },
  }
}

/** `"Invoice"` has free space only, `dead` dead rows only; `"Invoice"` is also what is locked. */
const TABLES = `
  create schema sales;
  create table sales."Invoice" (id int primary key, note text) with (autovacuum_enabled = false);
  create table sales.dead (id int primary key, note text) with (autovacuum_enabled = false);
  create table sales.sound (id int primary key, note text) with (autovacuum_enabled = false);
  insert into sales."Invoice" select n, repeat('x', 80) from generate_series(1, 60000) n;
  insert into sales.dead select n, repeat('x', 80) from generate_series(1, 60000) n;
  insert into sales.sound select n, repeat('x', 80) from generate_series(1, 20000) n;
  create index invoice_note on sales."Invoice" (left(note, 4));
  create index "Twin" on sales.sound (id);
  delete from sales."Invoice" where id % 100 < 55;
  delete from sales.dead where id % 100 < 55;
  create table sales.one (id int primary key);
  create table sales.two (id int primary key);
  create table sales.three (id int primary key);
  insert into sales.one values (1);
  insert into sales.two values (1);
  insert into sales.three values (1), (2), (2) on conflict do nothing;
  create table sales.doubled (id int);
  insert into sales.doubled values (1), (1);`

const MAINTAINED = [
  'vacuum (analyze) sales."Invoice"',
  'analyze sales.dead',
  'vacuum (analyze) sales.sound',
  'create table sales.promised (id int)',
]

async function blockingChain(sql: postgres.Sql, session: (name: string) => postgres.Sql): Promise<number[]> {
  // an index that a concurrent build could not finish
  await sql.unsafe('create unique index concurrently "Failed" on sales.doubled (id)').catch(() => undefined)
  if (Number((await sql`show max_prepared_transactions`)[0]?.['max_prepared_transactions']) > 0) {
    const promising = session('promise')
    await promising.unsafe(`begin; insert into sales.promised values (1); prepare transaction 'forgotten'`)
  }
  const names = ['nightly-import', 'web', 'worker', 'report']
  const all = names.map(session)
  const chain: number[] = []
  for (const [index, each] of all.entries()) {
    const [backend] = await each<{ pid: number }[]>`select pg_backend_pid() as pid`
    chain.push(backend?.pid ?? 0)
    await each.unsafe('begin')
    if (index === 0)
      await each.unsafe(
        `lock table sales."Invoice" in access exclusive mode; update sales.one set id = 7 where 'secret' = 'secret'`,
      )
    if (index === 1) await each.unsafe('update sales.two set id = 2')
    if (index === 2) await each.unsafe('update sales.three set id = 3 where id = 1')
    if (index === 1) void each.unsafe(`update sales.one set id = 4711 where 'secret' = 'secret'`).catch(() => undefined)
    if (index === 2) void each.unsafe('update sales.two set id = 5').catch(() => undefined)
    if (index === 3) void each.unsafe('update sales.three set id = 6 where id = 1').catch(() => undefined)
    if (index > 0) await waitsFor(sql, backend?.pid ?? 0)
  }
  return chain
}

async function waitsFor(sql: postgres.Sql, pid: number): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const [row] = await sql`select 1 from pg_locks where pid = ${pid} and not granted`
    if (row !== undefined) return
    await sleep(10)
  }
  throw new Error(`process ${pid} waits for nobody`)
}
