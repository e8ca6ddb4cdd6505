import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isModelPath } from '#api/model-error.ts'
import { routes } from '#api/registry.ts'
import { TokenRefusal } from '#api/routes/auth/sign-in.ts'
import { ModelError } from '#api/schemas/chat-answer.ts'
import { ProblemDocument } from '#api/schemas/problem.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { readDocument } from '../support/api-document.ts'
import { openEnvironments } from '../support/open-environments.ts'
import { refusalCode } from '../support/read-refusal.ts'
import { createRecordDeps, createRecordEngine } from '../support/record-engine.ts'
import { admitTestRun, parkTestRun } from '../support/test-runs.ts'

/** They refuse as OAuth does (RFC 6749). */
const OAUTH: ReadonlySet<string> = new Set(['issueToken', 'completeAuthorization', 'confirmAuthorization'])
const RUNS_PER_ROUTE = Number(process.env['FUZZ_RUNS'] ?? 20)

const Parameter = z.looseObject({ name: z.string(), in: z.enum(['path', 'query', 'header']) })
const Operation = z.looseObject({
  parameters: z.array(Parameter).default([]),
  responses: z.record(z.string(), z.unknown()),
})
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) })

let environments: ReturnType<typeof openEnvironments>['environments']
let document: z.infer<typeof Document>
let known: string[]

const database = testDatabase()
beforeAll(async () => {
  environments = openEnvironments(database.db).environments
})
const api = testApi(database, () => ({
  content: { environments },
  services: {
    engine: createRecordEngine(createRecordDeps(database.db)),
  },
}))
beforeAll(async () => {
  await database.db`
    insert into worker_heartbeats (worker_id, lanes, audit_leader, audit_ok, seen_at)
    values ('w', ${['realtime', 'background']}, true, true, now() + interval '1 hour')`
  document = Document.parse(readDocument(z.looseObject({}).parse(await (await api.get('/openapi.json')).json())))
  known = [await admitTestRun(api), await admitTestRun(api)]
  await parkTestRun(api, known[0] ?? '')
})
afterAll(async () => {
  environments?.close()
})

const nasty = fc.constantFrom(
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  'null',
  '%00',
  '\u0000',
  '../..',
  "' or 1=1--",
  '🦀',
  '\ud800',
  'x'.repeat(5_000),
  '__proto__',
  '{{7*7}}',
)
const text = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 40 }))

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1e308, -0, Number.MAX_SAFE_INTEGER, [], {}, [[[[]]]], {
      __proto__: null,
      constructor: { prototype: 1 },
    }),
  },
)
/** Objects with the field names that our routes know, so that half of the bodies get past the first check. */
const body = fc.oneof(
  value,
  fc.record(
    {
      decision: fc.oneof(fc.constantFrom('approve', 'reject', 'approved'), value),
      note: value,
      approver: value,
      gate_id: value,
      plan_hash: value,
      reason: fc.oneof(text, value),
      inputs: fc.oneof(fc.dictionary(text, value), value),
      environment: value,
      labels: fc.oneof(fc.dictionary(text, text), value),
      alerts: fc.oneof(fc.array(value), value),
      service: value,
      symptom: value,
      source: value,
    },
    { requiredKeys: [] },
  ),
)
const bytes = fc.oneof(
  { weight: 5, arbitrary: body.map((content) => JSON.stringify(content) ?? '') },
  { weight: 1, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.constantFrom('{"a":1,"a":2}', `${'['.repeat(5_000)}`, '{"decision":"approve"', '﻿{}', 'NaN'),
  },
)
const type = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'text/plain',
      'application/json; charset=utf-7',
      'multipart/form-data',
      'application/xml',
      'x',
    ),
  },
)
const headerText = fc.oneof(
  fc.constantFrom('1', '-1', 'x', 'key-1', '9'.repeat(40)),
  fc.stringMatching(/^[\x21-\x7e]{1,30}$/),
)

/** A parameter that fits now and then, so that handlers are reached, and is hostile the rest of the time. */
function parameter(name: string): fc.Arbitrary<string> {
  const fitting = fc.constantFrom('1', '50', 'queued', 'realtime', 'report.md', 'generic', '')
  return name === 'id' ? fc.oneof(fc.constantFrom(...known), text) : fc.oneof(fitting, text)
}

describe('hostile requests', () => {
  it.each(routes.map((route) => [route.operationId, route] as const))(
    '%s answers what it documents and never fails',
    async (_name, route) => {
      const operation = document.paths[route.path]?.[route.method]
      const documented = Object.keys(operation?.responses ?? {}).map(Number)
      const named = (place: string) =>
        operation?.parameters.filter((each) => each.in === place).map((each) => each.name) ?? []
      const requests = fc.record({
        path: fc.record(Object.fromEntries(named('path').map((name) => [name, parameter(name)]))),
        query: fc.record(Object.fromEntries([...named('query'), 'surplus'].map((name) => [name, parameter(name)])), {
          requiredKeys: [],
        }),
        headers: fc.record(Object.fromEntries([...named('header'), 'x-request-id'].map((name) => [name, headerText])), {
          requiredKeys: [],
        }),
        type,
        bytes,
      })
      await fc.assert(
        fc.asyncProperty(requests, async (sent) => {
          const path = route.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
            encodeURIComponent((sent.path[name] ?? '').toWellFormed()),
          )
          const query = new URLSearchParams(
            Object.entries(sent.query).map(([name, given]): [string, string] => [name, given ?? '']),
          )
          const response = await api.app.request(`${path}?${query}`, {
            method: route.method.toUpperCase(),
            headers: { ...sent.headers, ...(route.method === 'get' ? {} : { 'content-type': sent.type }) },
            ...(route.method === 'get' ? {} : { body: sent.bytes }),
          })
          // a path that no longer has this shape is another route's, or nobody's
          const elsewhere = [400, 404, 405]
          expect([...documented, ...elsewhere]).toContain(response.status)
          // what is switched off says so, and only where that is documented
          const isUnbuilt = response.status === 503 && route.operationId.startsWith('getConsole')
          if (response.status !== 501 && !isUnbuilt) expect(response.status).toBeLessThan(500)
          if (isUnbuilt) return
          if (OAUTH.has(route.operationId) && response.status !== 501) {
            TokenRefusal.parse(await response.json())
          } else if (isModelPath(route.path) && response.status >= 400) {
            expect(ModelError.parse(await response.json()).error.code).not.toBe('internal')
          } else if (route.operationId === 'answerMcp' && response.headers.get('content-type') === 'application/json') {
            if (response.status >= 400) expect(refusalCode(route.path, await response.text())).not.toBe('internal')
          } else if (response.status >= 400) {
            const problem = ProblemDocument.parse(await response.json())
            expect(problem.status).toBe(response.status)
            expect(response.headers.get('content-type')).toBe('application/problem+json')
          } else {
            await response.body?.cancel()
          }
        }),
        { numRuns: RUNS_PER_ROUTE },
      )
      expect(Object.keys(Object.prototype)).toEqual([])
    },
  )

  it('leaves no failure behind', () => {
    expect(api.failures).toEqual([])
    expect(api.lines.filter((line) => line.message === 'request failed unexpectedly')).toEqual([])
  })
})
