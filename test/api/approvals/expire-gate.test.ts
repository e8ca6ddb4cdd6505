import { describe, expect, it } from 'vitest'
import type { GateCommand } from '#core/contract.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { beforeItsGate, behindItsGate } from '#test/support/gate-refusals.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { createRecordDeps, createRecordEngine } from '#test/support/record-engine.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('expireGate')
itRefuses('expireGate', sharedWorld, [
  [409, 'run_not_awaiting', beforeItsGate],
  [409, 'gate_resolved', behindItsGate],
])

const commands: GateCommand[] = []

const database = testDatabase()
const api = testApi(database, () => ({
  services: {
    engine: createRecordEngine(createRecordDeps(database.db), {
      onDecide: (command) => void commands.push(command),
    }),
  },
}))

async function parkedRun() {
  const id = await admitTestRun(api)
  return { id, gate_id: await parkTestRun(api, id) }
}

describe('POST /runs/{id}/expire', () => {
  it('dismisses the gate that was looked at, and no other', async () => {
    const { id, gate_id } = await parkedRun()
    const other = await api.post(`/runs/${id}/expire`, { reason: 'over', gate_id: `gate_${'0'.repeat(26)}` })
    expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([409, 'gate_resolved'])
    const before = commands.length
    expect((await api.post(`/runs/${id}/expire`, { reason: 'over', gate_id })).status).toBe(200)
    expect(commands.slice(before)).toMatchObject([{ kind: 'dismiss', gate_id }])
  })

  it('dismisses a gate with a reason and not without', async () => {
    const { id } = await parkedRun()
    expect((await api.post(`/runs/${id}/expire`, {})).status).toBe(422)
    expect((await api.post(`/runs/${id}/expire`, { reason: 'over' })).status).toBe(200)
    expect(commands.at(-1)).toMatchObject({ kind: 'dismiss', note: 'over' })
  })
})
