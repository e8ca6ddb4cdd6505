import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import type { Route } from '#api/define-route.ts'
import { routes } from '#api/registry.ts'
import { KEY_SCOPES } from '#core/api-key/scopes.ts'
import { describedOperation } from './api-document.ts'
import { ask, type Sent } from './ask-operation.ts'
import { ajv, pointerTo } from './described-answers.ts'
import { fileFixture } from './file-fixture.ts'
import { type GuardWorld, openGuardWorld } from './guard-world.ts'
import { idsIn, idsNamedBy } from './ids-elsewhere.ts'
import { type ExampleRequest, exampleOf } from './operation-examples.ts'
import { refusalCode, refusalOf } from './read-refusal.ts'

/** The role that is one too low; everybody has one, so that nothing is too low for `user`. */
const ONE_TOO_LOW: Record<string, string> = {
  viewer: 'auditor',
  approver: 'viewer',
  operator: 'approver',
  admin: 'operator',
  owner: 'admin',
}
const KIB = 1_024

/** What an archived workspace lets through: what ends something and begins nothing. */
const ONLY_END = ['cancelRun', 'expireGate', 'cancelPipeline']

let opened: Promise<GuardWorld> | undefined

/** One for all files that a process runs; it ends with the server that its database is on. */
export function sharedWorld(): Promise<GuardWorld> {
  opened ??= openGuardWorld(inject('postgres_url'))
  return opened
}

/** The shared world as the tests of a file name it. */
export const guardWorld = (): GuardWorld => fileFixture(sharedWorld, () => {})

/**
 * The tests that every operation has, from its row in `operation-examples.ts` and from its description: who is let in, what is
 * refused, and whether its answers are the described ones.
 */
export function itIsGuarded(operationId: string): void {
  const route = routes.find((each) => each.operationId === operationId)
  if (route === undefined) throw new Error(`api/registry.ts has no operation ${operationId}`)
  const operation = describedOperation(operationId)
  const operationPath = route.path
  const takesBody = operation.requestBody !== undefined
  const withKey = parameters(operationId, 'header').some(({ name }) => name === 'idempotency-key')
  /** every status that it has answered with here */
  const seen = new Set<number>()
  let world: GuardWorld

  async function send(request: Sent, who: string | undefined = 'owner'): Promise<Response> {
    const answer = await ask(world, route as Route, request, who)
    seen.add(answer.status)
    return answer
  }
  async function refused(request: Sent, who?: string): Promise<[number, string]> {
    const answer = await send(request, who)
    const text = await answer.text()
    return [answer.status, refusalCode(operationPath, text)]
  }
  async function example(): Promise<ExampleRequest> {
    return await exampleOf(operationId).request(world)
  }

  describe(`${operationId} as it is described`, () => {
    beforeAll(async () => {
      world = await sharedWorld()
    })
    // while one delivery waits, those that come after it are kept as well and judged later
    beforeEach(() => world.api.db`delete from inbox_items`)

    if (route.auth !== 'public') {
      test('asks who it is', async () => {
        const { headers: _own, ...anonymous } = await example()
        expect(await refused(anonymous, 'nobody')).toEqual([401, 'unauthenticated'])
        expect(await refused(anonymous, 'disabled')).toEqual([401, 'unauthenticated'])
        const forged = { ...anonymous, headers: { authorization: 'Bearer e30.e30.x' } }
        expect(await refused(forged, 'nobody')).toEqual([401, 'unauthenticated'])
        const answer = await send(anonymous, 'nobody')
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
      })

      if (route.auth !== 'user')
        test(`takes the role ${route.auth}`, async () => {
          const { headers: _own, ...request } = await example()
          expect(await refused(request, ONE_TOO_LOW[route.auth])).toEqual([403, 'forbidden'])
        })

      test('takes an API key of its scope, while it is good and in its workspace', async () => {
        const need = operation['x-svc-key-scope']
        expect([...KEY_SCOPES, 'any', 'never']).toContain(need)
        for (const scope of KEY_SCOPES) {
          const { headers: _own, ...request } = await example()
          const answer = await send(request, `key ${scope}`)
          const { code, required_scope } = refusalOf(await answer.text())
          const refused = answer.status === 401 || required_scope !== undefined
          expect([scope, refused]).toEqual([scope, !(need === 'any' || need === scope)])
          if (refused) expect([answer.status, code]).toEqual([403, 'forbidden'])
          const elsewhere = { ...request, headers: { 'x-svc-workspace': world.other } }
          const beyond = await send(elsewhere, `key ${scope}`)
          expect([403, 404]).toContain(beyond.status)
        }
        const { headers: _own, ...request } = await example()
        for (const who of ['key revoked', 'key expired'])
          expect(await refused(request, who)).toEqual([401, 'unauthenticated'])
      })

      test('knows no workspace that the caller may not enter', async () => {
        const { headers: _own, ...request } = await example()
        const who = route.auth === 'admin' ? 'owner' : 'operator'
        const closed = route.auth === 'admin' ? 'ws_7zzzzzzzzzzzzzzzzzzzzzzzzz' : world.other
        const inHeader = { ...request, headers: { 'x-svc-workspace': closed } }
        expect(await refused(inHeader, who)).toEqual([404, 'not_found'])
        const inPath = { ...request, prefix: `/workspaces/${closed}` }
        expect(await refused(inPath, who)).toEqual([404, 'not_found'])
        const torn = { ...inPath, headers: { 'x-svc-workspace': world.archived } }
        expect(await refused(torn, who)).toEqual([400, 'workspace_conflict'])
      })

      if (!['logOut', 'closeSession'].includes(operationId))
        test(`in an archived workspace: ${route.access}, ${route.scope}`, async () => {
          const { headers: _own, ...request } = await example()
          const answer = await send({ ...request, headers: { 'x-svc-workspace': world.archived } })
          const text = await answer.text()
          if (route.access === 'write' && route.scope === 'workspace' && !ONLY_END.includes(operationId))
            expect([answer.status, refusalOf(text).code]).toEqual([409, 'workspace_archived'])
          else expect(text).not.toContain('workspace_archived')
        })

      test('refuses a query that its description refuses', async () => {
        const request = await example()
        const wrong = parameters(operationId, 'query').flatMap(({ name, schema }) =>
          wrongValues(schema).map((value) => [name, value] as const),
        )
        for (const [name, value] of [['surplus', '1'] as const, ...wrong]) {
          const answered = await refused({ ...request, query: { ...request.query, [name]: value } })
          expect(answered, `${name}=${value}`).toEqual([422, 'validation_failed'])
        }
      })

      if (takesBody) {
        test('refuses a body that is no JSON, of another type or too large', async () => {
          const request = await example()
          expect(await refused({ ...request, text: '{"a":' })).toEqual([400, 'malformed_body'])
          expect(await refused({ ...request, text: '{"__proto__":{}}' })).toEqual(
            // a document of another system is taken with such a name, and is no alert
            operationId === 'receiveAlerts' ? [422, 'unrecognised_alert'] : [400, 'malformed_body'],
          )
          const rounded = operationId === 'receiveAlerts' ? 'unrecognised_alert' : 'validation_failed'
          expect(await refused({ ...request, text: '{"a":9007199254740993}' })).toEqual([422, rounded])
          const large = { ...request, text: `"${'x'.repeat(5_121 * KIB)}"` }
          expect(await refused(large)).toEqual([413, 'payload_too_large'])
          const xml = { ...request, headers: { ...request.headers, 'content-type': 'application/xml' }, text: '<a/>' }
          expect(await refused(xml)).toEqual([415, 'unsupported_media_type'])
        })

        test('refuses a body that its description refuses', async () => {
          const request = await example()
          const fits = ajv.compile({ $ref: pointerTo(route, 'requestBody/content/application~1json/schema') })
          expect([fits(request.body), fits.errors]).toEqual([true, null])
          const broken = brokenBodies(request.body ?? {}).filter((body) => !fits(body))
          for (const body of broken) {
            const [status, code] = await refused({ ...(await example()), text: JSON.stringify(body) })
            expect([status, code], JSON.stringify(body).slice(0, 200)).toEqual([
              422,
              expect.stringMatching(/_required$|^validation_failed$|^invalid_schedule$|^unrecognised_alert$/),
            ])
          }
          expect(broken.length).toBeGreaterThan(0)
        })
      }
    }

    const called = route.access !== 'callback' && route.auth !== 'public'
    const asked = called ? idsIn(route.path) : []
    if (route.path.includes('{') && operationId !== 'getAskThread')
      test('has no such thing, and none of another workspace', async () => {
        const { headers: _own, ...request } = await example()
        for (const name of Object.keys(request.params ?? {})) {
          const { absent = 'unknown' } = asked.find((each) => each.name === name) ?? {}
          for (const id of [absent, 'nonsense', `${request.params?.[name]}x`])
            expect(await refused({ ...request, params: { ...request.params, [name]: id } })).toEqual([404, 'not_found'])
        }
        if (route.scope !== 'workspace' || route.auth === 'public' || !route.path.includes('{id}')) return
        if (route.auth !== 'admin') expect(await refused(request, 'stranger')).toEqual([404, 'not_found'])
        // a stranger with the role: somebody of all workspaces who asks in another
        const elsewhere = { ...request, headers: { 'x-svc-workspace': world.other } }
        expect(await refused(elsewhere, 'owner')).toEqual([404, 'not_found'])
      })

    if (asked.some(({ absent }) => absent !== undefined))
      test('answers about what is elsewhere as about what is nowhere, byte for byte', async () => {
        const { headers: _own, ...request } = await example()
        for (const { name, absent } of asked) {
          const here = request.params?.[name] ?? ''
          const elsewhere = async (who: string, value: string, headers = {}) =>
            await bytesOf(await send({ ...request, headers, params: { ...request.params, [name]: value } }, who), value)
          if (absent === undefined) continue
          const stranger = route.auth === 'admin' ? 'stranger admin' : 'stranger'
          const none = await elsewhere(stranger, absent)
          // a conversation that is nobody's is an empty one
          expect(none).toMatch(operationId === 'getAskThread' ? /^200/ : /^40[34]/)
          expect(await elsewhere(stranger, here), `${name} as ${stranger}`).toBe(none)
          if (route.scope !== 'workspace' || !route.path.includes('{id}')) continue
          const inOther = { 'x-svc-workspace': world.other }
          expect(await elsewhere('owner', here, inOther), name).toBe(await elsewhere('owner', absent, inOther))
        }
      })

    if (called)
      test.each(idsNamedBy(operationId))(
        'names by $field nothing that is elsewhere, byte for byte',
        async ({ ask: of }) => {
          const { here, absent, send: about } = await of(world)
          const callers = [route.auth === 'admin' ? 'stranger admin' : 'stranger']
          if (operationId === 'resumeRun') callers.push('stranger key')
          for (const who of callers) {
            const [found, none] = [await send(about(here), who), await send(about(absent), who)]
            expect(await bytesOf(found, here), who).toBe(await bytesOf(none, absent))
          }
        },
      )

    test('answers as its description says', async () => {
      const answer = await send(await example())
      const text = await answer.text()
      expect([answer.status, text.slice(0, 300)]).toEqual([exampleOf(operationId).status, expect.anything()])
    })

    if (withKey)
      test('answers a repeat under the same key as the first time', async () => {
        const request = await example()
        const keyed = { ...request, headers: { ...request.headers, 'idempotency-key': world.name('key') } }
        const [first, second] = [await send(keyed), await send(keyed)]
        const text = await first.text()
        const last = world.api.lines.at(-1)
        const why = `${text} ${last?.message}: ${last?.fields['err']}`
        expect([second.status, second.headers.get('idempotent-replayed')], why).toEqual([first.status, 'true'])
        expect(await second.text()).toBe(text)
        const other = await refused({ ...keyed, text: `${JSON.stringify(request.body)} ` })
        expect(other).toEqual([422, 'idempotency_mismatch'])
      })

    test('has answered with no status that it does not describe, and failed nowhere', () => {
      expect([...seen].filter((status) => operation.responses[status] === undefined)).toEqual([])
      expect(world.api.failures).toEqual([])
      expect(world.api.lines.filter(({ message }) => message === 'request failed unexpectedly')).toEqual([])
    })
  })
}

/** An answer without the id that was asked for; one that gives something also without what is new in each. */
async function bytesOf(answer: Response, id: string): Promise<string> {
  const headers = [...answer.headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
  const text = `${answer.status}\n${headers.map((each) => each.join(': ')).join('\n')}\n${await answer.text()}`
  const same = text.replaceAll(id, 'ID').replaceAll(/req_[0-9a-z]{26}/g, 'REQUEST')
  if (answer.status >= 300) return same
  return same.replaceAll(/[a-z]+_[0-9a-z]{26}/g, 'NEW').replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
}

function parameters(operationId: string, place: string) {
  return (describedOperation(operationId).parameters ?? []).filter((each) => each.in === place)
}

/** What a query parameter of this type cannot be; texts can be anything. */
function wrongValues({ type, enum: values }: { type?: string; enum?: unknown[] }): string[] {
  if (type === 'integer') return ['x', '-1', '1.5', '']
  return values === undefined ? [] : ['nonsense']
}

/** The body without each of its fields, with each of another type, with one too many, and no object at all. */
function brokenBodies(body: Record<string, unknown>): unknown[] {
  const changed = Object.keys(body).flatMap((field) => {
    const { [field]: _gone, ...rest } = body
    return [rest, ...[null, [[]], { surplus: {} }, 0.5, ''].map((value) => ({ ...body, [field]: value }))]
  })
  return [...changed, { ...body, surplus: 1 }, [], 'text', null]
}
