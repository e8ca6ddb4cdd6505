import { describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { Run } from '#core/run/schema.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import {
  ARCHIVED,
  createIngressApi,
  deployment,
  HOOK,
  post,
  postByGithub,
  runsOf,
  SECRETS,
} from '#test/support/ingress.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { finishTestRun } from '#test/support/test-runs.ts'

const database = testDatabase()
const api = fileFixture(() => createIngressApi(database))

itRefuses('receiveIngress', () => ({ api }), [
  [
    409,
    'conflict',
    async () => {
      const body = deployment({ service: 'at-work' })
      expect((await post(api, body)).status).toBe(202)
      // the first is still at work
      await database.db`update ingress_deliveries set answer = null, claimed_at = now()`
      return () => postByGithub(api, body)
    },
  ],
  [501, 'not_configured', () => () => postByGithub(api, '{}', { path: '/triggers/ingress/sre/unset' })],
  [
    409,
    'workspace_archived',
    async () => {
      await addWorkspace(database, ARCHIVED, 'archived')
      await database.db`update workspaces set status = 'archived', archived_at = now() where id = ${ARCHIVED}`
      const theirs = { path: `/workspaces/${ARCHIVED}${HOOK}`, secret: SECRETS.archived }
      return () => postByGithub(api, deployment({ service: 'x' }), theirs)
    },
  ],
])

describe('a signed delivery', () => {
  it('starts the run of its rule, with where it came from', async () => {
    const answer = await post(api, deployment({ service: 'first' }), { id: 'guid-1' })
    expect(answer).toMatchObject({ status: 202, body: { outcome: 'started', rule: 'deployment-failed' } })
    expect(answer.body.delivery_id).toMatch(/^dlv_/)
    const [run] = await runsOf(database, 'first')
    expect(run).toMatchObject({
      id: answer.body.run_id,
      workspace_id: DEFAULT_WORKSPACE_ID,
      inputs: { url: 'https://shop.example.test', service: 'acme/first', action: 'rollback' },
      provenance: {
        trigger: {
          type: 'ingress',
          id: 'sre/github-deployments',
          delivery_id: answer.body.delivery_id,
          provider_delivery_id: 'guid-1',
          source: 'sre/github-deployments',
          rule: 'deployment-failed',
        },
        actor: { type: 'service', id: 'ingress:sre/github-deployments' },
      },
    })
    const record = Run.parse(await (await api.get(`/runs/${answer.body.run_id}`)).json())
    expect(record.trigger).toMatchObject({
      alert: { source: 'sre/github-deployments', status: 'firing', digest: expect.stringMatching(/^sha256:/) },
      members: [{ status: 'firing' }],
    })
  })

  it('attaches to the active run of its fingerprint', async () => {
    const first = await post(api, deployment({ service: 'attached' }))
    const second = await post(api, deployment({ service: 'attached' }))
    expect(second.body).toMatchObject({ outcome: 'attached', run_id: first.body.run_id, attached_count: 1 })
    expect(second.body.delivery_id).not.toBe(first.body.delivery_id)
  })

  it('of a recovery is noted on the run, and is unmatched without one', async () => {
    const failed = await post(api, deployment({ service: 'recovered' }))
    const recovered = await post(api, deployment({ service: 'recovered', state: 'success' }))
    expect(recovered.body).toMatchObject({ outcome: 'resolved', run_id: failed.body.run_id })
    expect((await post(api, deployment({ service: 'healthy', state: 'success' }))).body.outcome).toBe('unmatched')
  })

  it('that is none of its business is suppressed; one that lacks what is needed is unmatched and says what', async () => {
    expect((await post(api, deployment({ service: 'a', state: 'pending' }))).body.outcome).toBe('suppressed')
    expect((await post(api, JSON.stringify({ zen: 'Design for failure.' }))).body.outcome).toBe('suppressed')
    const half = JSON.stringify({ deployment_status: { state: 'failure' } })
    expect((await post(api, half)).body).toMatchObject({
      outcome: 'unmatched',
      detail: expect.stringMatching(/^service: /),
    })
  })

  it('is throttled by the limits of its rule', async () => {
    const limited = (n: number) =>
      post(api, JSON.stringify({ service: 'limited', n }), {
        path: '/triggers/ingress/sre/limited',
        secret: SECRETS.limited,
        headers: { 'x-title': 'An order failed' },
      })
    const first = await limited(1)
    expect(first.body.outcome).toBe('started')
    await api.runs.take(first.body.run_id ?? '')
    await finishTestRun(api, first.body.run_id ?? '')
    expect((await limited(2)).body).toMatchObject({ outcome: 'throttled', rule: 'limited' })
    expect(await runsOf(database, 'limited|orderfailed')).toHaveLength(1)
  })
})
