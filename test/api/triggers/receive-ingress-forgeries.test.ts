import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createRateLimit } from '#api/rate-limit.ts'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createIngressApi, deployment, HOOK, post, runsOf, SECRETS } from '#test/support/ingress.ts'
import { SECRET as TOKEN_SECRET } from '#test/support/users.ts'
import { signers } from '#test/support/webhook-signers.ts'

const database = testDatabase()
const api = fileFixture(() => createIngressApi(database))
const guarded = fileFixture(() => createIngressApi(database, { secret: TOKEN_SECRET }))

const signed = (body: string, secret = SECRETS.github) =>
  signers.github({ body: Buffer.from(body), secret, at_s: 0, id: 'x' })

describe('what is refused', () => {
  it('has another signature, none, or two: 401, and nothing is kept', async () => {
    const body = deployment({ service: 'forged' })
    expect((await post(api, body, { headers: signed(body, 'wrong') })).status).toBe(401)
    expect((await post(api, body, { headers: { 'X-Hub-Signature-256': '' } })).status).toBe(401)
    const twice = new Headers(signed(body))
    twice.append('x-hub-signature-256', twice.get('x-hub-signature-256') ?? '')
    twice.set('content-type', 'application/json')
    expect((await api.app.request(HOOK, { method: 'POST', body, headers: twice })).status).toBe(401)
    expect(await runsOf(database, 'forged')).toHaveLength(0)
  })

  it('goes to an ingress that is unknown or disabled: 404, in the same words', async () => {
    const bodies = await Promise.all(
      ['/triggers/ingress/sre/nothing', '/triggers/ingress/nobody/github-deployments', '/triggers/ingress/sre/off'].map(
        async (path) => {
          const { status, body } = await post(api, '{}', { path })
          return { status, detail: body.detail }
        },
      ),
    )
    expect(new Set(bodies.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(bodies[0]?.status).toBe(404)
  })

  it('finds no secret: 501, without saying which', async () => {
    const answer = await post(api, '{}', { path: '/triggers/ingress/sre/unset' })
    expect(answer).toMatchObject({ status: 501, body: { code: 'not_configured' } })
    expect(JSON.stringify(answer.body)).not.toContain('NOBODY_SET_IT')
  })

  it('is signed with what opens another ingress too, no matter what the schemes: 501 at both, and nothing starts', async () => {
    const body = JSON.stringify({ service: 'two-doors', note: 'signed once' })
    for (const name of ['twin', 'twin-by-another-name']) {
      const answer = await post(api, body, { path: `/triggers/ingress/sre/${name}`, secret: SECRETS.twin })
      expect(answer).toMatchObject({ status: 501, body: { code: 'not_configured' } })
      expect(JSON.stringify(answer.body)).not.toContain('TWIN')
    }
    expect(await runsOf(database, 'two-doors')).toHaveLength(0)
  })

  it('is larger than 1 MiB by its own word or in truth: 413 before any signature is looked at', async () => {
    const before = api.opened()
    const declared = await post(api, '{}', { headers: { 'content-length': String(100 * 1024 * 1024) } })
    expect(declared.status).toBe(413)
    expect((await post(api, JSON.stringify({ a: 'x'.repeat(1024 * 1024) }))).status).toBe(413)
    expect(api.opened()).toBe(before)
  })

  it('comes too often: 429 with the time to wait, for the address that floods', async () => {
    const limited = await createIngressApi(database)
    limited.deps.ingress.forgeries = createRateLimit(1)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(limited, '{}', { headers: { 'X-Hub-Signature-256': 'sha256=00' } })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(10)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    await limited.close()
  })
})

describe('over a socket', () => {
  /** Sends the headers as they stand, also twice, and no more of the body than is given. */
  const sendRaw = (url: string, headers: [string, string][], body: string) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers: headers.flat() }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
        sent.destroy()
      })
      sent.on('error', reject)
      sent.flushHeaders()
      sent.write(body)
    })

  it('a repeated header and a body that is declared too large are refused as they arrive', async () => {
    const server = await serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} })
    const body = deployment({ service: 'socket' })
    const proof = Object.entries(signed(body))
    const rest = (length: number): [string, string][] => [
      ['Host', new URL(server.url).host],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(length)],
    ]
    const length = Buffer.byteLength(body)
    expect(await sendRaw(`${server.url}${HOOK}`, [...rest(length), ...proof, ...proof], body)).toBe(401)
    const before = api.opened()
    expect(await sendRaw(`${server.url}${HOOK}`, [...rest(100 * 1024 * 1024), ...proof], body)).toBe(413)
    expect(api.opened()).toBe(before)
    expect(await sendRaw(`${server.url}${HOOK}`, [...rest(length), ...proof], body)).toBe(202)
    await server.close()
  })
})

it('with authentication on a signature is accepted here and nowhere else', async () => {
  const body = deployment({ service: 'guarded' })
  const answer = await post(guarded, body)
  expect(answer).toMatchObject({ status: 202, body: { outcome: 'started' } })
  expect(answer.headers.get('authorization')).toBeNull()
  expect((await post(guarded, body, { path: '/triggers/alert' })).status).toBe(401)
  const forged = { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` }
  expect((await post(guarded, body, { headers: forged })).status).toBe(401)
})
