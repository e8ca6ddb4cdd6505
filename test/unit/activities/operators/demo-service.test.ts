import { afterEach, beforeEach, expect, it } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'

let demo: DemoService
beforeEach(async () => {
  demo = await startDemoService()
})
afterEach(() => demo.stop())

const post = async (path: string, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
  const response = await fetch(`${demo.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}
const get = async (path: string) => {
  const response = await fetch(`${demo.url}${path}`)
  return { status: response.status, body: await response.json() }
}

it('is well, falls ill with a reason, and is healed by a restart or a rollback', async () => {
  expect(await get('/health')).toEqual({ status: 200, body: { status: 'ok' } })
  for (const path of ['/restart', '/rollback']) {
    await post('/fault', { kind: 'bad_deploy' })
    expect(await get('/health')).toEqual({ status: 503, body: { status: 'faulty', reason: 'bad_deploy' } })
    await post(path)
    expect((await get('/health')).status).toBe(200)
  }
})

it('counts a repeated key as one action of many calls, and every call without a key as an action', async () => {
  const answers = [
    await post('/restart', {}, { 'idempotency-key': 'k' }),
    await post('/restart', {}, { 'idempotency-key': 'k' }),
  ]
  expect(answers[1]).toEqual(answers[0])
  await post('/restart', {}, { 'idempotency-key': 'other' })
  await post('/restart')
  await post('/restart')
  const { body } = await get('/stats')
  expect(body).toMatchObject({ calls: 5, keys: { k: 2, other: 1 } })
  expect(demo.state().actions.map(({ key }) => key)).toEqual(['k', 'other', undefined, undefined])
})

it('refuses a body that is not JSON and paths that it does not have', async () => {
  const response = await fetch(`${demo.url}/fault`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  })
  expect(response.status).toBe(400)
  expect((await get('/nowhere')).status).toBe(404)
})
