import { expect, test } from 'vitest'
import { askedIn, askWorld, calls, haltHere, sharedAskWorld } from '#test/support/ask-world.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'

itIsGuarded('resolvePlan')

itRefuses('resolvePlan', () => sharedAskWorld(), [
  [402, 'BudgetExceeded', askedIn('/console/api/ask', 'daily')],
  [403, 'policy_denied', askedIn('/console/api/ask', 'judged', ({ judge }) => judge('deny'))],
  [409, 'needs_approval', askedIn('/console/api/ask', 'judged', ({ judge }) => judge('require_hitl'))],
  [409, 'needs_approval', askedIn('/console/api/ask', 'live')],
  [403, 'frozen', askedIn('/console/api/ask', 'iced')],
  [423, 'halted', askedIn('/console/api/ask', 'development', haltHere)],
  [501, 'not_configured', askedIn('/console/api/ask', 'bare')],
])

const world = askWorld()

test('resolves an intent to a form, without a memory and without starting anything', async () => {
  const path = '/console/api/ask'
  const propose = calls(['propose_run', { template: 'incident/service-recovery', inputs: { url: 'http://checkout' } }])
  const play = [calls(['list_packs', { text: 'restart' }]), propose, { say: 'This restarts it.[^t1][^t2]' }]
  const { status, body } = await world.ask(play, { path, query: 'restart the checkout' })
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      recommended_workflow: 'incident/service-recovery',
      action: expect.objectContaining({ type: 'run_form', inputs: { url: 'http://checkout', action: 'restart' } }),
    }),
  ])
  const again = await world.ask(play, { path, query: 'and the other one' })
  expect(again.body['thread_id']).not.toBe(body['thread_id'])
  expect(JSON.stringify(world.asked)).not.toContain('restart the checkout')
  const kept = await world.ask([{ say: '' }], { path, thread_id: String(body['thread_id']) })
  expect(kept.status).toBe(422)
})

test('asks a small model unless another is named, and names the nearest for one that there is not', async () => {
  const path = '/console/api/ask'
  const answer = async (body: object) => {
    world.play([{ say: '' }])
    const { status } = await world.api.post(path, { query: 'restart it', ...body }, world.ann)
    return [status, world.asked.length > 0]
  }
  const roles = { ...world.models.roles }
  expect(await answer({})).toEqual([200, true])
  Object.assign(world.models.roles, { small: { model: 'refuses' } })
  expect(await answer({})).toEqual([422, false])
  expect(await answer({ model: 'default' })).toEqual([200, true])
  expect(await answer({ model: 'script' })).toEqual([200, true])
  Object.assign(world.models.roles, { small: undefined }, roles)
  const unknown = await world.api.post(path, { query: 'restart it', model: 'scirpt' }, world.ann)
  expect([unknown.status, await unknown.json()]).toEqual([
    422,
    expect.objectContaining({ detail: expect.stringContaining('did you mean script?') }),
  ])
})
