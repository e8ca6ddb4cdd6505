import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createDb } from '#store/db.ts'
import { createTenantDb } from '#store/tenant-db.ts'
import type { TestDatabase } from './database.ts'
import { type FaultyLine, layFaultyLine } from './faulty-line.ts'
import { type GuardWorld, openGuardWorld } from './guard-world.ts'
import { type ExampleRequest, exampleOf } from './operation-examples.ts'

/** A world whose API reaches its database through a line that can be made to fail. */
export interface KeyedWorld {
  world: GuardWorld
  line: FaultyLine
  /** how many rows there are of what requests make, by table */
  counts(): Promise<Record<string, number>>
  /** whether deliveries are kept before they are processed */
  inbox(kept: boolean): void
  close(): Promise<void>
}

export async function openKeyedWorld(postgresUrl: string): Promise<KeyedWorld> {
  const line = await layFaultyLine(postgresUrl)
  let direct: TestDatabase | undefined
  const world = await openGuardWorld(postgresUrl, (database) => {
    direct = database
    const db = createDb(line.url(database.url), { max: 4, name: 'test-keyed' })
    const tenants = createTenantDb(line.url(database.url), { max: 2, name: 'test-keyed-tenant' })
    return {
      ...database,
      db,
      tenants,
      async drop() {
        await tenants.end()
        await db.end({ timeout: 1 })
        await database.drop()
      },
    }
  })
  if (direct === undefined) throw new Error('no database')
  const { db } = direct
  await addRule(world)
  const { inbox } = world.api.deps.intake
  const tables = await db<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all(${UNCOUNTED}::text[]) order by relname`
  const all = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from ${name}`)
  all.push(`select 'audit ' || action, count(*)::int from audit_outbox
    where draft ->> 'category' <> 'model_call' and action not in ('request.refused', 'gate.refused') group by 1`)
  return {
    world,
    line,
    async counts() {
      await world.api.settled()
      const rows = await db.unsafe<{ name: string; count: number }[]>(all.join(' union all '))
      return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
    },
    inbox(kept) {
      if (kept && inbox !== undefined) world.api.deps.intake.inbox = inbox
      if (!kept) delete world.api.deps.intake.inbox
    },
    async close() {
      await world.close()
      await line.stop()
    },
  }
}

/** The keys themselves, what is counted by what it says, refusals, and what a model was asked for an answer that was lost. */
const UNCOUNTED = ['idempotency_keys', 'audit_outbox', 'refusals', 'model_calls', 'model_spend', 'worker_heartbeats']

const TEMPLATE = { pack: 'incident', template: 'service-recovery' }

/** Requests that do something, where the example of the operation does not, or only the first time. */
const ACTING: Record<string, (world: GuardWorld) => Promise<ExampleRequest>> = {
  // what a process knows of rules outlasts a database that is away, so the rule is older than any fault
  receiveAlerts: async (world) => ({ body: { source: 'probe', service: RULED, symptom: world.name('Down') } }),
  receivePattern: async (world) => ({ body: { pattern: 'Spike', service: world.name('shop'), ...TEMPLATE } }),
  dismissGates: async (world) => ({
    body: { run_ids: [await world.parkedRun(), await world.parkedRun()], reason: 'left over' },
  }),
  replayInbox: async (world) => {
    const body = { ...TEMPLATE, inputs: { url: 'x' } }
    const answer = await world.api.post('/triggers/manual', body, {
      ...world.as('owner'),
      'x-svc-workspace': DEFAULT_WORKSPACE_ID,
    })
    const { delivery_id } = (await answer.json()) as { delivery_id?: string }
    if (delivery_id === undefined) throw new Error(`no delivery was kept: ${answer.status}`)
    return { body: { ids: [delivery_id], mode: 'force' } }
  },
}

const RULED = 'keyed-shop'

/** A rule of the console that starts a run for a service. */
async function addRule(world: GuardWorld): Promise<void> {
  const run = `${TEMPLATE.pack}/${TEMPLATE.template}`
  const rule = { name: world.name('rule'), on: 'alert', match: { service: RULED }, run }
  const answer = await world.api.post('/ui/api/triggers', rule, {
    ...world.as('owner'),
    'x-svc-workspace': DEFAULT_WORKSPACE_ID,
  })
  if (answer.status !== 201) throw new Error(`no rule was made: ${answer.status} ${await answer.text()}`)
}

export async function keyedRequest(world: GuardWorld, operationId: string): Promise<ExampleRequest> {
  const request = await (ACTING[operationId]?.(world) ?? exampleOf(operationId).request(world))
  return { ...request, headers: { ...request.headers, 'idempotency-key': world.name('key') } }
}
