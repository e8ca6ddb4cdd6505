import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { CancelCommand } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { RoleName } from '#core/user/schema.ts'
import { createCommandFlights } from '#platform/temporal/command-flights.ts'
import type { Engine } from '#services/context.ts'
import { createTestApi, type TestApi, testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createRecordDeps, createRecordEngine } from '#test/support/record-engine.ts'
import { admitTestRun, finishTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('cancelRun')

let api: TestApi
const cancels: CancelCommand[] = []
/** what a command waits for before it is taken to its run */
let clear = Promise.resolve()
let asked = 0
/** the engine knows no open workflow of the run */
let unknown = false

const database = testDatabase()
beforeAll(async () => {
  const engine = createRecordEngine(createRecordDeps(database.db), {
    onCancel: (command) => void cancels.push(command),
  })
  const flights = createCommandFlights((run_id) => new DomainError('conflict', 'it is being cancelled', { run_id }))
  const cancel: Engine['cancel'] = (id, command) => {
    asked += 1
    if (unknown) return Promise.reject(new DomainError('run_terminal', 'the run has moved on', { run_id: id }))
    return flights.next(
      id,
      () => clear.then(() => engine.cancel(id, command)),
      () => true,
    )
  }
  api = await createTestApi(database, { services: { engine: { ...engine, cancel } } })
})
afterAll(() => api?.close())

describe('POST /runs/{id}/cancel', () => {
  it('cancels with and without a reason', async () => {
    const id = await admitTestRun(api)
    expect((await api.post(`/runs/${id}/cancel`, { reason: 'mistake' })).status).toBe(202)
    expect(cancels.at(-1)).toMatchObject({ reason: 'mistake', by: 'usr_local' })
    expect((await api.app.request(`/runs/${id}/cancel`, { method: 'POST' })).status).toBe(202)
  })

  it('of two that come at once one cancels, and the other is told', async () => {
    const id = await admitTestRun(api)
    let go = () => {}
    clear = new Promise((resolve) => {
      go = resolve
    })
    asked = 0
    const both = Promise.all([api.post(`/runs/${id}/cancel`, {}), api.post(`/runs/${id}/cancel`, {})])
    await vi.waitFor(() => expect(asked).toBe(2), PATIENCE)
    go()
    const [first, second] = (await both).sort((one, other) => one.status - other.status)
    expect(first?.status).toBe(202)
    expect(await codeOf(second as Response)).toEqual([409, 'conflict'])
    const records = await database.db`
      select 1 from audit_outbox where draft ->> 'action' = 'run.cancel_requested' and draft #>> '{subject,id}' = ${id}`
    expect(records).toHaveLength(1)
  })

  it('takes a cancellation before the workflow has started, and not on the word of the engine that a running one has ended', async () => {
    const [queued, running] = [await admitTestRun(api), await admitTestRun(api)]
    await database.db`update runs set status = 'running', started_at = now() where id = ${running}`
    unknown = true
    const answers = await Promise.all([queued, running].map((id) => api.post(`/runs/${id}/cancel`, {})))
    unknown = false
    expect(answers.map(({ status }) => status)).toEqual([202, 503])
    expect(await answers[0]?.json()).toMatchObject({ id: queued, status: 'cancelling' })
    expect(await (await api.get(`/runs/${running}`)).json()).toMatchObject({ status: 'running' })
  })

  it('a finished run cannot be cancelled', async () => {
    const id = await admitTestRun(api)
    await finishTestRun(api, id)
    expect(await (await api.post(`/runs/${id}/cancel`, {})).json()).toMatchObject({ status: 409, code: 'run_terminal' })
  })
})

describe('a run that takes back what another one has done', () => {
  const people = testApi(database, () => ({ secret: SECRET }))
  const cancelAs = async (role: RoleName, id: string) => {
    const headers = await bearer(
      people.deps,
      await addUser(people.deps, { roles: [role], workspaces: [DEFAULT_WORKSPACE_ID] }),
    )
    return await people.post(`/runs/${id}/cancel`, {}, headers)
  }

  it('is cancelled by admins alone: an operator may gain by it', async () => {
    const trigger = { type: 'pipeline', compensation: true }
    const id = await admitTestRun(people, { provenance: { trigger } })
    const refused = await cancelAs('operator', id)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'forbidden', required_role: 'admin' })
    expect((await people.runs.findDecidable(DEFAULT_WORKSPACE_ID, id))?.status).toBe('queued')
    expect((await cancelAs('admin', id)).status).not.toBe(403)
    expect((await cancelAs('operator', await admitTestRun(people))).status).not.toBe(403)
  })
})
