import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { AUTH_ENV, createIdentities, type Identities, type Member } from '#test/support/identity.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const STORM = 1_000
const SECRET = 'a secret of the webhook that is long enough'

let service: TestService
let identities: Identities
let owner: Member

beforeAll(async () => {
  const { SVC_RATE_LIMIT: _usual, ...auth } = AUTH_ENV
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { ...auth, OBS_TRIGGER_DURABLE: '1', SVC_GITHUB_WEBHOOK_SECRET: SECRET },
    workers: 0,
  })
  identities = await createIdentities(service)
  owner = identities.owner
})
afterAll(() => service.stop())

/** Sends so many at once, and answers how many came back with which status. */
async function sendAtOnce(send: (place: number) => Promise<Response>): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  await Promise.all(
    Array.from({ length: STORM }, async (_, place) => {
      const answer = await send(place)
      await answer.text()
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    }),
  )
  return statuses
}

/** What the API has logged as its own failure. */
async function failures(): Promise<string> {
  const log = await readFile(join(service.home, 'api-main.ts.log'), 'utf8')
  return log
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line))
    .join('\n')
}

const kept = async (route: string) =>
  Number(
    (await service.call('GET', `/triggers/inbox?route=${route}&limit=1`, undefined, owner.headers)).headers.get(
      'x-total-count',
    ),
  )

test('a thousand alerts at once with one key are all taken, while its other requests keep their rate', async () => {
  const { id: account } = await identities.add('robot', { roles: ['service'] })
  const body = { name: 'alerts', account, scopes: ['runs:start'], expires_in_days: 1 }
  const made = await service.call<Record<string, string>>('POST', '/admin/api-keys', body, owner.headers)
  const authorization = `Bearer ${made.body.token}`
  const alert = (place: number) => JSON.stringify({ source: 'probe', service: `storm-${place}`, symptom: 'Down' })
  const statuses = await sendAtOnce((place) =>
    fetch(`${service.url}/triggers/alert?source=generic`, {
      ...{ method: 'POST', body: alert(place) },
      headers: { authorization, 'content-type': 'application/json' },
    }),
  )
  expect(statuses, await failures()).toEqual({ 202: STORM })
  expect(await kept('/triggers/alert')).toBe(STORM)
  const reads = await Promise.all(
    Array.from({ length: 100 }, () => fetch(`${service.url}/runs`, { headers: owner.headers })),
  )
  expect(reads.filter(({ status }) => status === 429).length).toBeGreaterThan(20)
})

test('a thousand signed deliveries at once from one address are all taken', async () => {
  const statuses = await sendAtOnce((place) => {
    const body = JSON.stringify({
      repository: { full_name: `acme/shop-${place}` },
      deployment: { environment: 'nowhere' },
    })
    const signature = createHmac('sha256', SECRET).update(body).digest('hex')
    return fetch(`${service.url}/triggers/ingress/sre/github-deployments`, {
      ...{ method: 'POST', body },
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
    })
  })
  expect(statuses, await failures()).toEqual({ 202: STORM })
})
