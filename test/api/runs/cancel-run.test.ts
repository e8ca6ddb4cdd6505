import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { CancelCommand, GateCommand } from '#core/contract.ts'
import type { DomainError } from '#core/errors.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { createRecordDeps, createRecordEngine } from '#test/support/record-engine.ts'
import { admitTestRun, finishTestRun } from '#test/support/test-runs.ts'

itIsGuarded('cancelRun')

let database: TestDatabase
let api: TestApi
const commands: GateCommand[] = []
const cancels: CancelCommand[] = []
let refuseWith: DomainError | undefined

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createTestApi(database, {
    services: {
      engine: createRecordEngine(createRecordDeps(database.db), {
        onDecide(command) {
          if (refuseWith) throw refuseWith
          commands.push(command)
        },
        onCancel: (command) => void cancels.push(command),
      }),
    },
  })
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
})

describe('POST /runs/{id}/cancel', () => {
  it('cancels with and without a reason', async () => {
    const id = await admitTestRun(api)
    expect((await api.post(`/runs/${id}/cancel`, { reason: 'mistake' })).status).toBe(202)
    expect(cancels.at(-1)).toMatchObject({ reason: 'mistake', by: 'usr_local' })
    expect((await api.app.request(`/runs/${id}/cancel`, { method: 'POST' })).status).toBe(202)
  })

  it('a finished run cannot be cancelled', async () => {
    const id = await admitTestRun(api)
    await finishTestRun(api, id)
    expect(await (await api.post(`/runs/${id}/cancel`, {})).json()).toMatchObject({ status: 409, code: 'run_terminal' })
  })
})
