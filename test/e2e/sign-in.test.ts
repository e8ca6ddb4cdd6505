import { connect } from 'node:net'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { SECRET } from '../support/users.ts'

const OWNER = { email: 'Ada@example.test', password: 'correct horse battery staple' }
let service: TestService
let token: string

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { OBS_JWT_SECRET: SECRET, SVC_ADMIN_EMAIL: OWNER.email, SVC_ADMIN_PASSWORD: OWNER.password },
    workers: 0,
  })
})
afterAll(() => service?.stop())

async function signIn(password: string): Promise<Response> {
  const body = new URLSearchParams({ grant_type: 'password', username: OWNER.email, password })
  return fetch(`${service.url}/token`, { method: 'POST', body })
}

/** One request with its header lines as they are, answered with the status. */
function raw(path: string, lines: string[]): Promise<number> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n${lines.join('\r\n')}\r\n\r\n`)
    })
    socket.once('data', (data) => resolve(Number(String(data).split(' ')[1])))
    socket.once('error', reject)
  })
}

it('a deployment with a secret is closed, and its first owner signs in with the password of the settings', async () => {
  expect((await service.call('GET', '/runs')).status).toBe(401)
  expect((await signIn('not the password at all')).status).toBe(400)
  const granted = await signIn(OWNER.password)
  expect([granted.status, granted.headers.get('cache-control')]).toEqual([200, 'no-store'])
  token = String(Object(await granted.json()).access_token)
  const me = await service.call('GET', '/auth/me', undefined, { authorization: `Bearer ${token}` })
  expect(me.body).toMatchObject({
    email: 'ada@example.test',
    roles: ['owner'],
    workspaces: ['*'],
    account_id: 'acc_local',
  })
})

it('one authorization header lets its user in, two of them nobody', async () => {
  const line = `authorization: Bearer ${token}`
  expect(await raw('/runs', [line])).toBe(200)
  expect(await raw('/runs', [line, line])).toBe(401)
  expect(await raw('/runs', ['authorization: Bearer x.y.z', line])).toBe(401)
  expect(await raw('/runs', [line, 'authorization: Basic eDp5'])).toBe(401)
})
