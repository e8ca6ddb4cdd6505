import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { ProblemDocument } from '#api/schemas/problem.ts'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { testApi } from '#test/support/api-client.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { admitTestRun } from '../support/test-runs.ts'

let runId: string

const database = testDatabase()
const api = testApi(database)
const server = fileFixture(() => serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} }))
beforeAll(async () => {
  runId = await admitTestRun(api)
})

/** Sends the request target as it is: clients and URL parsers would tidy it up. */
function raw(target: string, options: { method?: string; headers?: Record<string, string>; body?: string[] } = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const sent = request(
      { host: hostname, port, path: target, method: options.method ?? 'GET', headers: options.headers ?? {} },
      (answer) => {
        let body = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => (body += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
      },
    )
    sent.on('error', reject)
    for (const chunk of options.body ?? []) sent.write(chunk)
    sent.end()
  })
}

function problem(answer: { body: string }) {
  return ProblemDocument.parse(JSON.parse(answer.body))
}

describe('a path has one spelling', () => {
  it.each([
    (id: string) => `//runs/${id}`,
    (id: string) => `/runs//${id}`,
    (id: string) => `/./runs/${id}`,
    (id: string) => `/runs/./${id}`,
    (id: string) => `/healthz/../runs/${id}`,
    (id: string) => `/runs/${id}/`,
    (id: string) => `/runs/${id}/.`,
    (id: string) => `/runs/${id}/..`,
    (id: string) => `/runs%2f${id}`,
    (id: string) => `/runs%2F${id}`,
    (id: string) => `/runs/%2e%2e/runs/${id}`,
    (id: string) => `/%72uns/${id}`,
    (id: string) => `/runs/${id}%00`,
    (id: string) => `/runs%252f${id}`,
    (id: string) => `/runs;x/${id}`,
    (id: string) => `/runs/${id};/healthz`,
    (id: string) => `/runs\\${id}`,
    (id: string) => `http://127.0.0.1/runs/${id}`,
    (id: string) => `http://example.test/runs/${id}`,
    () => '*',
  ])('%s is refused with 400', async (spell) => {
    const answer = await raw(spell(runId))
    expect(answer.status).toBe(400)
    expect(problem(answer)).toMatchObject({ code: 'invalid_path', status: 400 })
  })

  it.each([
    '/RUNS',
    '/Runs',
    '/runs/healthz',
    '/runs/openapi.json',
    '/healthz/configs',
    '/docs/..swagger-ui.css',
    '/docs/index.html',
  ])('%s is not there', async (path) => {
    expect((await raw(path)).status).toBe(404)
  })

  it('no header turns one method into another', async () => {
    for (const header of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      expect((await raw(`/runs/${runId}`, { method: 'POST', headers: { [header]: 'GET' } })).status).toBe(405)
    }
    expect((await raw(`/runs/${runId}?_method=DELETE`)).status).toBe(422)
    expect((await raw('/auth/status?_method=DELETE')).status).toBe(200)
  })

  it('no header turns one path into another', async () => {
    for (const header of ['x-original-url', 'x-rewrite-url', 'x-forwarded-path']) {
      expect((await raw('/nowhere', { headers: { [header]: '/healthz' } })).status).toBe(404)
    }
  })
})

describe('methods', () => {
  it.each(['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'POST'])(
    '%s on a read is 405 and says what is offered',
    async (method) => {
      const answer = await raw(`/runs/${runId}`, { method })
      expect(answer.status).toBe(405)
      expect(answer.headers['allow']).toBe('GET, HEAD')
      expect(problem(answer).code).toBe('method_not_allowed')
    },
  )

  it('HEAD answers like GET without a body, also on a stream, which it does not open', async () => {
    expect(await raw(`/runs/${runId}`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    expect(await raw(`/runs/${runId}/stream`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    expect((await raw(`/runs/${runId}/resume`, { method: 'HEAD' })).status).toBe(405)
  })
})

describe('bodies', () => {
  const json = { 'content-type': 'application/json' }
  const path = () => `/runs/${runId}/resume`

  it('a body over the limit is refused, with and without a declared length', async () => {
    const big = JSON.stringify({ decision: 'approve', note: 'x'.repeat(1_100_000) })
    const declared = await raw(path(), {
      method: 'POST',
      headers: { ...json, 'content-length': String(big.length) },
      body: [big],
    })
    const chunked = await raw(path(), {
      method: 'POST',
      headers: json,
      body: [big.slice(0, 600_000), big.slice(600_000)],
    })
    expect([declared.status, chunked.status]).toEqual([413, 413])
    expect(problem(chunked).code).toBe('payload_too_large')
  })

  it.each([
    ['{"decision":', 400, 'malformed_body'],
    ['', 422, 'decision_required'],
    ['{}', 422, 'decision_required'],
    ['{"decision":null}', 422, 'validation_failed'],
    ['{"decision":"APPROVE"}', 422, 'validation_failed'],
    ['{"decision":true}', 422, 'validation_failed'],
    ['[]', 422, 'validation_failed'],
    ['null', 422, 'decision_required'],
    ['{"decision":"approve","__proto__":{"x":1}}', 400, 'malformed_body'],
    [`{"decision":"approve","note":${'['.repeat(70)}${']'.repeat(70)}}`, 400, 'malformed_body'],
    [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 400, 'malformed_body'],
    [
      JSON.stringify({
        decision: 'approve',
        more: Object.fromEntries(Array.from({ length: 50_001 }, (_, n) => [n, n])),
      }),
      400,
      'malformed_body',
    ],
  ])('body number %#', async (body, status, code) => {
    const answer = await raw(path(), { method: 'POST', headers: json, body: [body] })
    expect([answer.status, problem(answer).code]).toEqual([status, code])
  })

  it('text that is not UTF-8 is malformed', async () => {
    const answer = await api.app.request(path(), {
      method: 'POST',
      headers: json,
      body: new Uint8Array([0x22, 0xff, 0xfe, 0x22]),
    })
    expect(answer.status).toBe(400)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
  ])('a body of type %s is refused with 415, no matter what it holds', async (type) => {
    const answer = await raw(path(), {
      method: 'POST',
      headers: { 'content-type': type },
      body: ['{"decision":"approve"}'],
    })
    expect([answer.status, problem(answer).code]).toEqual([415, 'unsupported_media_type'])
  })

  it('names every violated field with its pointer', async () => {
    const answer = await raw(path(), {
      method: 'POST',
      headers: json,
      body: ['{"decision":"approve","note":7,"gate_id":"x"}'],
    })
    expect(problem(answer).errors?.map((error) => error.pointer)).toEqual(['/note', '/gate_id'])
    expect(problem(answer).errors?.[0]?.loc).toEqual(['body', 'note'])
  })
})

describe('while authentication is off', () => {
  it.each(['evil.test', 'localhost.evil.test', '127.0.0.1.evil.test', '10.0.0.1', 'localhost:9090@evil.test'])(
    'a Host of %s is refused, so that a web page cannot rebind its name to this machine',
    async (host) => {
      const answer = await raw('/runs', { headers: { host } })
      expect([400, 403]).toContain(answer.status)
      expect(['forbidden', 'invalid_path']).toContain(problem(answer).code)
    },
  )

  it.each(['http://evil.test', 'null', 'https://localhost:1', 'http://127.0.0.1:1'])(
    'an Origin of %s is refused',
    async (origin) => {
      expect((await raw('/runs', { headers: { origin } })).status).toBe(403)
    },
  )

  it('our own pages may call, and nobody else is invited', async () => {
    const answer = await raw('/runs', { headers: { origin: server.url } })
    expect(answer.status).toBe(200)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('every answer', () => {
  it('carries a request id: a sane one of the caller, else a fresh one', async () => {
    expect((await raw('/runs', { headers: { 'x-request-id': 'caller-4711' } })).headers['x-request-id']).toBe(
      'caller-4711',
    )
    for (const bad of ['short', 'has space in it', `x${'y'.repeat(200)}`]) {
      expect((await raw('/runs', { headers: { 'x-request-id': bad } })).headers['x-request-id']).toMatch(
        /^req_[0-9a-z]{26}$/,
      )
    }
    const refused = await raw('/nowhere')
    expect(problem(refused).request_id).toBe(refused.headers['x-request-id'])
  })

  it('is safe to open in a browser', async () => {
    const { headers } = await raw('/runs')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers['cache-control'], 'nothing stays where its reader signs out').toBe('no-store')
  })

  it('leaves one line in the log that names the route and never the query', async () => {
    api.lines.length = 0
    await raw(`/runs/${runId}/artifacts/download?name=private-name`)
    const line = api.lines.find((each) => each.message === 'request')
    expect(line?.fields).toMatchObject({
      method: 'GET',
      route: '/runs/{id}/artifacts/download',
      status: 404,
      actor: 'usr_local',
    })
    expect(JSON.stringify(api.lines)).not.toContain('private-name')
  })
})
