import { beforeAll, describe, expect, inject, it } from 'vitest'
import { RunLineage } from '#core/run/lineage-schema.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { chainWaiting } from '#test/support/chain-waiting.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { parkPipeline } from '#test/support/pipeline-place.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun, finishTestRun, runDraft } from '#test/support/test-runs.ts'

itIsGuarded('getLineage')

const OTHER = 'ws_0000000000000000000000000c'
let api: TestApi

/** A run that a skill starts for an event of `parent`. */
async function follow(parent: string, skill: string, workspace_id?: string): Promise<string> {
  const draft = runDraft({
    provenance: { trigger: { type: 'bus', skill, parent_run_id: parent } },
    ...(workspace_id !== undefined && { workspace_id }),
  })
  draft.audit.run_id = draft.id
  await api.runs.admit([draft])
  return draft.id
}
const lineage = async (id: string) => RunLineage.parse(await (await api.get(`/runs/${id}/lineage`)).json())

describe('GET /runs/{id}/lineage', () => {
  beforeAll(async () => {
    const database = await createTestDatabase(inject('postgres_url'))
    api = await createTestApi(database)
    await addWorkspace(database, OTHER, 'other')
    return async () => {
      await api.close()
      await database.drop()
    }
  })

  it('names the runs that led to one, and those that followed', async () => {
    const first = await admitTestRun(api)
    const second = await follow(first, 'sre/one')
    const third = await follow(second, 'sre/two')
    const beside = await follow(first, 'sre/three')
    await follow(first, 'sre/elsewhere', OTHER)
    await finishTestRun(api, first)
    const ids = (runs: { run_id: string }[]) => runs.map(({ run_id }) => run_id)
    expect(ids((await lineage(third)).origins)).toEqual([second, first])
    expect(await lineage(first)).toMatchObject({
      origins: [],
      led_to: [
        { run_id: second, skill: 'sre/one', template: 'incident/service-recovery', status: 'queued' },
        { run_id: beside, skill: 'sre/three' },
      ],
    })
    expect((await lineage(third)).origins[1]).toMatchObject({ run_id: first, status: 'succeeded' })
    expect((await lineage(third)).origins[1]).not.toHaveProperty('skill')
  })

  it('names the pipeline that started it, and the step', async () => {
    const world = await sharedWorld()
    const { id, runs } = await parkPipeline(world.api, world.as('owner'))
    const answer = await world.api.get(`/runs/${runs[0]}/lineage`, world.as('viewer'))
    const pipeline = { id, name: 'once', step: 'act', role: 'run', status: 'blocked' }
    expect(RunLineage.parse(await answer.json()).pipeline).toEqual(pipeline)
    expect(await lineage(await admitTestRun(api))).not.toHaveProperty('pipeline')
  })

  it('gives the timeline from its records once they have their place in the chain', async () => {
    const id = await follow('run_00000000000000000000000000', 'sre/one')
    expect(await lineage(id)).toMatchObject({ story: [], as_approved: null, origins: [] })
    await chainWaiting(api.db)
    const { story, as_approved } = await lineage(id)
    expect(story.map(({ title }) => title)).toEqual(['run', 'asked', 'cost', 'ended', 'approved'])
    expect(story[0]?.text).toContain(id)
    expect(as_approved, 'nothing ran that had to be approved').toBeNull()
  })
})
