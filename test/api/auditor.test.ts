import { expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '#api/registry.ts'
import { ask } from '#test/support/ask-operation.ts'
import { guardWorld } from '#test/support/guarded-operation.ts'
import { exampleOf } from '#test/support/operation-examples.ts'
import { refusalOf } from '#test/support/read-refusal.ts'
import { addUser, bearer, PASSWORD } from '#test/support/users.ts'

const world = guardWorld()
/** What anybody may send: about themselves, or a question whose answer changes nothing. */
const OWN = ['setPassword', 'updateMe', 'logOut', 'closeSession']
const COMPUTED = ['validateInputs', 'preflight', 'simulatePolicies', 'queryCorpus', 'answerMcp']
/** Lists that belong to the deployment, for users of all workspaces. */
const DEPLOYMENT = ['listChannels', 'listSettings']

const guarded = routes.filter(({ auth, access }) => !['public', 'signature'].includes(auth) && access !== 'callback')

async function send(operationId: string, who: string) {
  const route = guarded.find((each) => each.operationId === operationId)
  if (route === undefined) throw new Error(`no route ${operationId}`)
  const { headers: _own, ...request } = await exampleOf(operationId).request(world)
  const answer = await ask(world, route, request, who)
  const text = route.access === 'stream' ? '' : await answer.text()
  if (route.access === 'stream') await answer.body?.cancel()
  return { status: answer.status, text, code: refusalOf(text).code }
}

test.each(guarded.filter(({ method }) => method === 'get').map(({ operationId }) => operationId))(
  'an auditor reads: %s',
  async (operationId) => {
    const { status, text } = await send(operationId, 'auditor')
    if (DEPLOYMENT.includes(operationId)) expect(text).toContain('all workspaces')
    else expect([401, 403], `${status} ${text}`).not.toContain(status)
  },
)

test.each(
  guarded.flatMap(({ method, operationId }) =>
    method === 'get' || OWN.includes(operationId) || COMPUTED.includes(operationId) ? [] : [operationId],
  ),
)('an auditor is refused: %s', async (operationId) => {
  expect(await send(operationId, 'auditor')).toMatchObject({ status: 403, code: 'forbidden' })
})

test('an auditor of all workspaces reads the settings of the deployment, and no secret of it', async () => {
  const { api } = world
  const auditor = await addUser(api.deps, { roles: ['auditor'], workspaces: ['*'] })
  const headers = await bearer(api.deps, auditor)
  for (const path of ['/console/api/settings', '/console/api/channels', '/admin/api-keys', '/admin/users']) {
    const answer = await api.app.request(path, { headers })
    expect(answer.status, path).toBe(200)
    expect(await answer.text()).not.toMatch(/password_hash|invite_hash|token_hash|whsec_/)
  }
  const changed = await api.app.request('/auth/me', {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ display_name: 'Eve' }),
  })
  expect(changed.status).toBe(200)
  const password = await api.app.request(`/admin/users/${auditor.id}/password`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'another long enough one', current_password: PASSWORD }),
  })
  expect(password.status).toBe(204)
})

test('only an auditor without another role is let into all workspaces', async () => {
  const { api } = world
  const headers = { ...(await world.freshOwner()), 'content-type': 'application/json' }
  const invite = async (roles: string[]) => {
    const body = JSON.stringify({ email: `${roles.join('-')}@example.test`, roles, workspaces: ['*'] })
    return (await api.app.request('/admin/users', { method: 'POST', headers, body })).status
  }
  expect(await invite(['auditor'])).toBe(201)
  expect(await invite(['auditor', 'operator'])).toBe(422)
  expect(await invite(['viewer'])).toBe(422)
})

test('a gate shows an auditor who asked, with the mail address, as it shows an approver', async () => {
  const { api } = world
  await world.parkedRun()
  const seen = async (who: string) => {
    const answer = await api.app.request('/approvals?limit=200', { headers: world.as(who) })
    expect(answer.status).toBe(200)
    return z.array(z.looseObject({ you_may: z.array(z.string()) })).parse(await answer.json())
  }
  const gates = await seen('auditor')
  expect(gates.flatMap(({ you_may }) => you_may)).toEqual([])
  expect(gates).toEqual((await seen('approver')).map((gate) => ({ ...gate, you_may: [] })))
})
