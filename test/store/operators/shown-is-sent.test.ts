import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '#core/json/json.ts'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { gatedStep } from '#test/support/gated-step.ts'
import { readBack, readCurl } from '#test/support/shown-text.ts'
import { recordSql } from '#test/support/sql-recorder.ts'
import { createScratch } from './create-scratch.ts'

const TOKEN = 'Tk7wQx93LmZ0'
const PASSWORD = 'Pw55RtYu81Ac'
const SEALED = { '/token': TOKEN, '/login': { password: PASSWORD } }
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc]|(?! )\p{Zs}/u

/** What people write, and what somebody writes who wants them to read something else. */
const unit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'abcXYZ019 .,:;/?#[]@!$&\'"()*+=-_~%{}|\\^`<>\n\t') },
  { weight: 2, arbitrary: fc.constantFrom(...'éßжعこ😀', '\u00a0') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['\u202e', '\u2066', '\u200b', '\u200d', '\ufeff', '\u00ad', '\u{e0041}', '\u0007', '\u001b', '\u009b', '\r'],
      ...[
        '\u2028',
        '\ufe0f',
        '\u3164',
        '\u2800',
        '\ufffc',
        '\u3000',
        '\ue000',
        '\\u{202e}',
        '<secret:token>',
        '<hidden>',
        "'\\''",
      ],
    ),
  },
)
// an expression is tested by itself: here it would be evaluated before it is sent
const plain = (each: unknown) => !JSON.stringify(each).includes('${{')
const text = fc.string({ unit, maxLength: 30 })
const name = fc.constantFrom('key', 'token', 'secret', 'password', 'api_key', 'auth', 'q', 'page', 'session', 'X-Odd')
const segment = fc.oneof(
  fc.constantFrom('.', '..', '%2e', '%2E%2e', '.%2e', '%2F', '%00', '%zz', '%41', '', 'safe', 'restart', 'a b', '\\'),
  text.map((each) => each.replace(/[?#]/g, '')),
)
const path = fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`)
const query = fc.option(
  fc.array(fc.tuple(name, text), { maxLength: 3 }).map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
  { nil: undefined },
)
const place = fc
  .tuple(path, query)
  .map(([at, asked]) => (asked === undefined ? at : `${at}?${asked}`))
  .filter(plain)
const headerName = fc.constantFrom(
  'authorization',
  'X-Api-Key',
  'x-token',
  'Cookie',
  'accept',
  'content-type',
  'x-note',
)
const headerValue = fc.string({ unit: fc.constantFrom(...'abc 019,;="\'\t\u00e9\u009f<secret:>'), maxLength: 20 })
const headers = fc.uniqueArray(fc.tuple(headerName, headerValue), {
  maxLength: 4,
  selector: ([each]) => each.toLowerCase(),
})
const json = fc.jsonValue({ maxDepth: 3, stringUnit: unit }) as fc.Arbitrary<Json>
const payload = fc
  .oneof<fc.Arbitrary<JsonObject>[]>(
    fc.constant({}),
    json.map((each) => ({ json: each })),
    fc.record({ json: fc.dictionary(name, json, { maxKeys: 4 }) as fc.Arbitrary<Json> }),
    text.map((body) => ({ body })),
  )
  .filter(plain)

describe('what an approver reads is what a server gets', () => {
  it('over HTTP, no matter what the request', async () => {
    const method = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE')
    await fc.assert(
      fc.asyncProperty(method, place, headers, payload, async (verb, at, given, sent) => {
        const input: JsonObject = {
          method: verb,
          url: `${http.url}${at}`,
          headers: Object.fromEntries(given),
          ...(verb === 'GET' || verb === 'HEAD' ? {} : sent),
        }
        await approved({ operator: 'http.request', input })
      }),
      { numRuns: 250 },
    )
  })

  it('through a connection, whose credentials stand by its name', async () => {
    const relative = fc.oneof(
      place,
      place.map((each) => each.slice(1)),
    )
    await fc.assert(
      fc.asyncProperty(relative, headers, payload, async (at, given, sent) => {
        // what would name another host is refused, which is a test of its own
        fc.pre(
          at !== '' && !/^[\s\p{Cc}]*([\\/][\s\p{Cc}]*[\\/]|[a-z][a-z0-9+.-]*:)/iu.test(at.replace(/[\t\n\r]/g, '')),
        )
        const input = { method: 'POST', url: at, connection: 'api', headers: Object.fromEntries(given), ...sent }
        const connections = { api: http.url.replace('://', `://svc:${PASSWORD}@`).concat('/base/') }
        const pending = await approved({ operator: 'http.request', input, connections })
        expect(pending.operation.connection).toEqual({
          id: 'api',
          kind: 'http',
          host: new URL(http.url).host,
          base_url: `${http.url}/base/`,
          user: 'svc',
        })
      }),
      { numRuns: 100 },
    )
  })

  it('by a verification, which only asks', async () => {
    await fc.assert(
      fc.asyncProperty(place, headers, async (at, given) => {
        const input = { url: `${http.url}${at}`, headers: Object.fromEntries(given), until: 'true' }
        await approved({ operator: 'http.verify', input })
      }),
      { numRuns: 60 },
    )
  })

  it('with sealed inputs, which stand by their names and nowhere as they are', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(!`${before}${after}`.includes('${{'))
        const around = (expression: string) => `${before}\${{ ${expression} }}${after}`
        const input = {
          method: 'POST',
          url: `${http.url}/x?key=\${{ inputs.token }}&q=1`,
          headers: { authorization: `Bearer \${{ inputs.token }}` },
          json: { note: around('inputs.login.password'), key: 'no secret' },
        }
        const step = gatedStep({ operator: 'http.request', input, sealed: SEALED })
        const pending = await asked(step)
        expect(JSON.stringify(step.patches)).not.toMatch(new RegExp(`${TOKEN}|${PASSWORD}`))
        expect(pending.plan.command).toContain("'authorization: Bearer <secret:token>'")
        expect(pending.plan.command).toContain('<secret:login>')
        expect(pending.plan.command).toContain('?key=<secret:token>&q=1')
        step.approve()
        await step.ask()
        expectSent(pending)
        // nor does what came back give it away
        expect(JSON.stringify([step.patches, step.settled()])).not.toMatch(new RegExp(`${TOKEN}|${PASSWORD}`))
      }),
      { numRuns: 60 },
    )
  })

  it('over SQL, no matter what the statement and its values', async () => {
    const usual = await baseline()
    await fc.assert(
      fc.asyncProperty(text, text, fc.dictionary(name, json, { maxKeys: 3 }), async (literal, value, object) => {
        const escaped = literal.replaceAll("'", "''").replaceAll('\\', '')
        const comment = literal.replace(/[\n\r]/g, ' ')
        const sql = `select '${escaped}'::text as a, $1::text as b, $2::jsonb as c -- ${comment}`
        fc.pre(plain([sql, value, object]) && !JSON.stringify(object).includes('\\u0000'))
        const pending = await asked(executing(sql, [value, object as Json]))
        await recorded(async () => {
          const step = executing(sql, [value, object as Json])
          await step.ask()
          step.approve()
          await step.ask()
        })
        const [own = { sql: '', values: [] }] = sqlRecorder.statements.filter((each) => !usual.includes(each.sql))
        expect(own.sql).toBe(readBack(String(pending.inputs['sql'])))
        const [first, second] = pending.inputs['params'] as [string, Json]
        expect(own.values).toEqual([readBack(first), JSON.stringify(unescapedData(second))])
        expect(readBack(pending.plan.command ?? '')).toBe(
          `-- $1 = ${JSON.stringify(own.values[0])}\n-- $2 = ${own.values[1]}\n-- the statement, to its end:\n${own.sql}`,
        )
        // nothing else that was not sent for any other statement too
        expect(sqlRecorder.statements.map((each) => each.sql)).toEqual(
          usual.toSpliced(usual.indexOf(ASKED), 1, own.sql),
        )
        const { user, database } = pending.operation.connection ?? {}
        expect(sqlRecorder.startups).toEqual([expect.objectContaining({ user, database })])
      }),
      { numRuns: 60 },
    )
  })
})

let http: Awaited<ReturnType<typeof startHttpRecorder>>
beforeAll(async () => {
  http = await startHttpRecorder()
})
const scratch = fileFixture(createScratch)
const sqlRecorder = fileFixture(() => recordSql(scratch.url))
afterAll(() => http.stop())
beforeEach(() => {
  http.requests.length = 0
})

/** Asks, approves, lets it run, and compares; answers what was shown. */
async function approved(options: Parameters<typeof gatedStep>[0]): Promise<PendingApproval> {
  const step = gatedStep(options)
  const pending = await asked(step)
  expect(http.requests).toEqual([])
  step.approve()
  await step.ask()
  expectSent(pending)
  return pending
}

async function asked(
  step: ReturnType<typeof gatedStep>,
  _with = (each: typeof step) => each,
): Promise<PendingApproval> {
  const pending = await step.ask()
  if (pending === undefined) throw new Error('it did not ask')
  // nothing in it goes unseen
  for (const each of textsOf(JSON.parse(JSON.stringify(pending))))
    expect(each.replace(/[\n\t]/g, '')).not.toMatch(UNSEEN)
  return pending
}

function expectSent(pending: PendingApproval): void {
  const [sent] = http.requests.splice(0)
  const credentials = `Basic ${Buffer.from(`svc:${PASSWORD}`).toString('base64')}`
  const shown = readCurl(readBack(pending.plan.command ?? '', { token: TOKEN, login: PASSWORD, api: credentials }))
  const url = new URL(shown.url)
  // a url that has no other spelling is shown
  expect(url.href).toBe(shown.url)
  expect(sent).toEqual({
    method: shown.method,
    target: shown.url.slice(url.origin.length),
    headers: { ...shown.headers, host: url.host },
    body: shown.body,
  })
  const { targets } = pending.operation
  expect(targets.ids.map((id) => readBack(id, { token: TOKEN }))).toEqual([shown.url])
  expect(readBack(String(pending.inputs['url']), { token: TOKEN })).toBe(shown.url)
}

const ASKED = 'select 1 as asked'

function executing(sql: string, params: Json[]) {
  const input = { connection: 'main', sql, params }
  return gatedStep({ operator: 'postgres.execute', input, connections: { main: sqlRecorder.url } })
}

async function recorded(work: () => Promise<void>): Promise<void> {
  sqlRecorder.statements.length = 0
  sqlRecorder.startups.length = 0
  await work()
}

/** What is sent around every statement. */
async function baseline(): Promise<string[]> {
  await recorded(async () => {
    const step = executing(ASKED, [])
    await step.ask()
    expect(sqlRecorder.statements).toEqual([])
    step.approve()
    await step.ask()
  })
  return sqlRecorder.statements.map((each) => each.sql)
}

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)])
}

function unescapedData(value: Json): Json {
  if (typeof value === 'string') return readBack(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(unescapedData)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [readBack(key), unescapedData(item)]))
}

/** Set by the transport for every request, and by no plan. */
const TRANSPORT = new Set(['connection', 'content-length', 'accept-encoding', 'user-agent'])

/** Keeps what arrives on a real socket, to the byte. */
async function startHttpRecorder() {
  const requests: { method: string; target: string; headers: Record<string, string>; body: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const raw = request.rawHeaders
    const named = raw.flatMap((each, index) => (index % 2 === 0 ? [[each.toLowerCase(), raw[index + 1] ?? '']] : []))
    requests.push({
      method: request.method ?? '',
      target: request.url ?? '',
      headers: Object.fromEntries(named.filter(([each]) => !TRANSPORT.has(each ?? ''))),
      body: Buffer.concat(chunks).toString(),
    })
    response.end(JSON.stringify({ seen: request.rawHeaders }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
