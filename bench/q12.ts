import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloudEvent } from '#core/bus/cloud-event.ts'
import { loadConfig } from '#platform/config.ts'
import { startPostgres } from '#platform/embedded/postgres.ts'
import { createLogger } from '#platform/logger.ts'
import type { Bus } from '#services/bus/bus.ts'
import { createDb, type Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { createBus } from '#workers/create-bus.ts'
import { q12Completeness } from './q12-completeness.ts'
import { defineScenario, type Given } from './scenario.ts'
import { quantile, round } from './stats.ts'

const WORKSPACE = 'ws_00000000000000000000000000'
const PUBLISHERS = 16

interface Q12Options {
  /** length of a block of publishing */
  block_ms: number
  pairs: number
  /** messages in the log that is replayed; one in fifty is of the rare topic */
  log: number
}

export const q12 = defineScenario({
  id: 'q12',
  async run(given: Given) {
    const { quick } = given
    const row = await measureAll(
      quick ? { block_ms: 1_500, pairs: 3, log: 50_000 } : { block_ms: 4_000, pairs: 5, log: 200_000 },
    )
    const completeness = await q12Completeness({
      seed: given.number('seed', Number(process.env['SEED'] ?? 1)),
      runs: given.number('runs', quick ? 1 : 10),
      hold_ms: given.number('hold', quick ? 2_000 : 30_000),
    })
    return { ...row, completeness }
  },
  show(row) {
    console.log('\nQ12 a bus with a memory: publish / plain insert, replay / raw read')
    console.table(row.publishing)
    console.table(row.replaying)
    console.log('subscribers, sessions, backends and the server killed under load; one transaction held open')
    console.table(row.completeness)
  },
})

/** A bus with a memory: publishing against a plain insert, the way to a handler, and replay against reading the raw table. */
async function measureAll(options: Q12Options) {
  const home = await mkdtemp(join(tmpdir(), 'svc-bench-bus-'))
  const postgres = await startPostgres({ home, log: createLogger({ level: 'warn', name: 'bench' }) })
  try {
    await migrate(postgres.local_url)
    // as owner: the other side needs a table of its own
    return await measure(postgres.local_url, options)
  } finally {
    await postgres.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function measure(url: string, { block_ms, pairs, log }: Q12Options) {
  const db = createDb(url, { max: PUBLISHERS + 2, name: 'bench-bus' })
  const config = { ...loadConfig({ SVC_BUS: 'postgres' }), databaseUrl: url }
  const bus_db = createDb(url, { max: 4, name: 'bench-bus-reader' })
  const bus = await createBus({ config, db: bus_db, log: createLogger({ level: 'warn', name: 'bench' }) })
  try {
    const publishing = await publish(db, bus, block_ms, pairs)
    const replaying = await replay(db, bus, log)
    return { publishing, replaying }
  } finally {
    await bus.close()
    await bus_db.end({ timeout: 2 })
    await db.end({ timeout: 2 })
  }
}

const draft = (type: string, id: string) =>
  cloudEvent({
    id,
    source: 'bench',
    type,
    time: new Date().toISOString(),
    workspace_id: WORKSPACE,
    data: { sent_at: performance.now(), text: 'x'.repeat(100) },
  })

async function publish(db: Db, bus: Bus, block_ms: number, pairs: number) {
  await db`create table if not exists bench_plain (id bigint generated always as identity primary key, workspace_id text not null, topic text not null, key text, event jsonb not null)`
  const ways: number[] = []
  const seen = { count: 0, last: 0, reordered: 0 }
  const subscription = bus.subscribe({
    name: 'bench-follower',
    patterns: ['load.*'],
    workspace_id: '*',
    from: 'now',
    handler: async ({ id, event: { data } }) => {
      seen.count += 1
      if (Number(id) <= seen.last) seen.reordered += 1
      seen.last = Number(id)
      if (typeof data === 'object' && data !== null && 'sent_at' in data)
        ways.push(performance.now() - Number(data['sent_at']))
    },
  })
  await subscription.ready
  let published = 0
  const durable = async () => {
    await bus.publish([draft('load.one', `${published}`)])
    published += 1
  }
  const plain = async () => {
    await db`
      insert into bench_plain (workspace_id, topic, event) values (${WORKSPACE}, 'load.one', ${db.json(draft('load.one', 'x') as never)})`
  }
  const rates: { durable: number; plain: number }[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const [first, second] = pair % 2 === 0 ? [durable, plain] : [plain, durable]
    const [a, b] = [await rate(first, block_ms), await rate(second, block_ms)]
    rates.push(pair % 2 === 0 ? { durable: a, plain: b } : { durable: b, plain: a })
    while (seen.count < published) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await subscription.close()
  const ratios = rates.map((each) => each.durable / each.plain)
  return {
    ratio: round(quantile(ratios, 0.5)),
    durable_per_s: Math.round(
      quantile(
        rates.map((each) => each.durable),
        0.5,
      ),
    ),
    plain_per_s: Math.round(
      quantile(
        rates.map((each) => each.plain),
        0.5,
      ),
    ),
    to_handler_p50_ms: round(quantile(ways, 0.5), 1),
    to_handler_p99_ms: round(quantile(ways, 0.99), 1),
    published,
    skipped: published - seen.count,
    reordered: seen.reordered,
  }
}

/** Statements a second of all publishers together. */
async function rate(work: () => Promise<void>, block_ms: number): Promise<number> {
  const began = performance.now()
  let done = 0
  await Promise.all(
    Array.from({ length: PUBLISHERS }, async () => {
      while (performance.now() - began < block_ms) {
        await work()
        done += 1
      }
    }),
  )
  return (done / (performance.now() - began)) * 1_000
}

async function replay(db: Db, bus: Bus, log: number) {
  const [head] = await db<{ last_id: number }[]>`select last_id from bus_head`
  const from = head?.last_id ?? 0
  const event = db.json(draft('replay.common', 'x') as never)
  await db`
    insert into bus_outbox (workspace_id, topic, event)
    select ${WORKSPACE}, case when n % 50 = 0 then 'rare.one' else 'replay.t' || n % 7 end, ${event}::jsonb
    from generate_series(1, ${log}::integer) n`
  for (let last = from; last < from + log; ) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const [row] = await db<{ last_id: number }[]>`select last_id from bus_head`
    last = row?.last_id ?? 0
  }
  const rare = Math.floor(log / 50)
  const all = await drain(bus, 'all', ['replay.>', 'rare.*'], log)
  const few = await drain(bus, 'few', ['rare.*'], rare)
  const began = performance.now()
  for (let after = from, read = 0; read < log; ) {
    const rows = await db<{ id: number }[]>`
      select id, topic, workspace_id, event from bus_messages where id > ${after} order by id limit 500`
    read += rows.length
    after = rows.at(-1)?.id ?? after
  }
  const raw = log / ((performance.now() - began) / 1_000)
  return {
    log,
    replay_per_s: Math.round(log / (all / 1_000)),
    raw_read_per_s: Math.round(raw),
    ratio: round(log / (all / 1_000) / raw),
    rare: { messages: rare, ms: Math.round(few), per_s: Math.round(rare / (few / 1_000)) },
  }
}

/** Milliseconds until a new subscriber has had `count` messages. */
async function drain(bus: Bus, name: string, patterns: string[], count: number): Promise<number> {
  const began = performance.now()
  let had = 0
  let done: () => void = () => undefined
  const over = new Promise<void>((resolve) => {
    done = resolve
  })
  const subscription = bus.subscribe({
    name: `bench-${name}`,
    patterns,
    workspace_id: '*',
    from: 'beginning',
    handler: async () => {
      had += 1
      if (had === count) done()
    },
  })
  await over
  const took = performance.now() - began
  await subscription.close()
  return took
}
