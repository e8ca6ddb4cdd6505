import { describe, expect, test } from 'vitest'
import type { Route } from '#api/define-route.ts'
import { isModelPath } from '#api/model-error.ts'
import { routes } from '#api/registry.ts'
import type { ErrorCode } from '#core/errors.ts'
import type { Db } from '#store/db.ts'
import { ask, type Sent } from './ask-operation.ts'
import type { GuardWorld } from './guard-world.ts'
import { losingEveryRace } from './lost-race.ts'
import { exampleOf } from './operation-examples.ts'
import { refusalCode } from './read-refusal.ts'

/** What prepares the request that is refused. */
export type Prepare<Place> = (place: Place, route: Route) => Request | Promise<Request>
type Request = () => Response | Promise<Response>

/** What keeps account of refusals; a refused request may write there and nowhere else. */
const ACCOUNTS = ['audit_outbox', 'refusals', 'idempotency_keys', 'inbox_items', 'halt_refusals']
/** What the audit log says of a refusal. */
const OF_REFUSALS = /\.(refused|denied|frozen|halted)$/

/**
 * The tests of what an operation refuses: each request is answered with that problem document and leaves every row of the database as
 * it was, but for records of the refusal itself. The codes stand in the file of the operation, as test/api/guards.test.ts asks.
 */
export function itRefuses<Place extends { api: { db: Db } }>(
  operationId: string,
  open: () => Place | Promise<Place>,
  refusals: readonly [status: number, code: ErrorCode, prepare: Prepare<Place>][],
): void {
  const route = routes.find((each) => each.operationId === operationId)
  if (route === undefined) throw new Error(`api/registry.ts has no operation ${operationId}`)
  const instance = new RegExp(`^(/workspaces/[^/]+)?${route.path.replaceAll(/\{\w+\}/g, '[^/]+').replace('*', '.*')}$`)

  describe(`${operationId} refuses, and changes nothing`, () => {
    test.each(refusals)('%i %s', async (status, code, prepare) => {
      const place = await open()
      const request = await prepare(place, route)
      const before = await contents(place.api.db)
      const answer = await request()
      const problem = await answer.text()
      const type = isModelPath(route.path) ? 'application/json' : 'application/problem+json'
      expect([answer.status, answer.headers.get('content-type')], problem).toEqual([status, type])
      if (isModelPath(route.path))
        expect(refusalCode(route.path, problem)).toBe(code === 'BudgetExceeded' ? 'budget_exceeded' : code)
      else expect(JSON.parse(problem)).toMatchObject({ status, code, instance: expect.stringMatching(instance) })
      expect(await contents(place.api.db)).toEqual(before)
    })
  })
}

/** A digest of every table, and every record of something that was done. */
async function contents(db: Db): Promise<Record<string, unknown>> {
  const tables = await db<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and has_table_privilege(oid, 'select')`
  const found: Record<string, unknown> = {}
  for (const { name } of tables.filter((table) => !ACCOUNTS.includes(table.name))) {
    const [row] = await db<{ digest: string | null }[]>`
      select md5(string_agg(t::text, '|' order by t::text)) as digest from ${db(name)} t`
    found[name] = row?.digest
  }
  const records = await db<{ action: string }[]>`select draft ->> 'action' as action from audit_outbox order by id`
  const deliveries = await db`select * from inbox_items where status <> 'failed' order by id`
  return { ...found, deliveries, records: records.filter(({ action }) => !OF_REFUSALS.test(action)) }
}

/** The example of the operation with these changes, asked by an owner. */
export function likeItsExample(changes: Sent): Prepare<GuardWorld> {
  return async (world, route) => {
    const request = await exampleOf(route.operationId).request(world)
    return () => ask(world, route, { ...request, ...changes }, 'owner')
  }
}

/** Somebody else changes the row of this table each time that it has been read. */
export function overtakenIn(table: string): Prepare<GuardWorld> {
  return async (world, route) => {
    const request = await likeItsExample({})(world, route)
    return () => losingEveryRace(world.database.owner_url, table, request)
  }
}

/** What the console says about the setting was written long ago, and nobody can read it any more. */
export const unreadable: Prepare<GuardWorld> = async (world, route) => {
  const { params, ...request } = await exampleOf(route.operationId).request(world)
  const name = params?.['name'] ?? ''
  await world.api.db`update console_documents set document = 'name: [' where name = ${name}`
  return () => ask(world, route, { ...request, params: { name } }, 'owner')
}

/** As many sign-ins of one address on one person as a minute has; the next is one too many. */
export async function afterFiveSignIns(api: { settled(): Promise<void> }, signIn: Request): Promise<Request> {
  for (let n = 0; n < 5; n += 1) await signIn()
  await api.settled()
  return signIn
}
