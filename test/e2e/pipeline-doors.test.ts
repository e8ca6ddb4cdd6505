import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { PIPELINE_WORKFLOW, WAKE_PIPELINE } from '#core/pipeline/contract.ts'
import type { Pipeline } from '#core/pipeline/schema.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'
import { poll } from '#platform/embedded/processes.ts'
import { createIds } from '#platform/ids.ts'
import { createPipelineStore } from '#store/pipelines/pipelines.ts'
import { type EffectTarget, startEffectTarget } from '#test/support/effect-target.ts'
import { type ForeignWorker, startForeignWorker } from '#test/support/foreign-worker.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { type PipelineService, startPipelineService } from '#test/support/pipeline-service.ts'

const WITHIN_MS = PATIENCE.timeout
const FLOOD = 300

const PIPELINES = `
asks:
  title: Asks, and acts
  inputs: { type: object, required: [url], properties: { url: { type: string } } }
  steps:
    - { id: act, uses: desk/act, gate: approval, with: { url: "\${{ inputs.url }}" }, timeout: 1h }
    - { id: rest, schedule: 300ms, needs: [act] }
    - { id: then, uses: desk/act, needs: [rest], with: { url: "\${{ inputs.url }}" }, timeout: 1h }
`

let world: PipelineService
let target: EffectTarget
let foreign: ForeignWorker

beforeAll(async () => {
  target = await startEffectTarget()
  const temporal_address = inject('temporal_address')
  world = await startPipelineService({ postgres_url: inject('postgres_url'), temporal_address, pipelines: PIPELINES })
  foreign = await startForeignWorker(world, temporal_address)
})
afterAll(async () => {
  await foreign?.stop()
  await world?.stop()
  await target?.stop()
})

async function asking(): Promise<{ id: string; run_id: string }> {
  const id = await world.begin('asks', { url: target.url })
  const { steps } = await world.step(id, 'act', 'awaiting_approval')
  return { id, run_id: steps[0]?.run_id ?? '' }
}

/** Somebody approves, and it goes on to its end, with each effect once. */
async function goesOn(id: string): Promise<void> {
  const approve = () => world.call('POST', `/pipelines/${id}/steps/act/approve`)
  expect(await poll(async () => (await approve()).status === 200 || undefined, WITHIN_MS)).toBe(true)
  const ended: Pipeline = await world.ends(id, WITHIN_MS)
  expect(ended.status).toBe('succeeded')
  const runs = ended.steps.flatMap((step) => step.runs)
  expect(runs.map(({ run_id }) => target.of(run_id).length)).toEqual([1, 1])
}

async function kindsOf(id: string, count: number): Promise<string[]> {
  const read = () => world.database.db<{ kind: string }[]>`
    select draft #>> '{data,kind}' as kind from audit_outbox
    where draft ->> 'action' = 'claim.refused' and draft #>> '{subject,id}' = ${id} order by 1`
  await poll(async () => (await read()).length >= count || undefined, PATIENCE.timeout)
  return (await read()).map(({ kind }) => kind)
}

const untouched = async (id: string) =>
  expect(await world.stands(id)).toMatchObject({ status: 'blocked', steps: [{ state: 'awaiting_approval' }, {}, {}] })

describe('a worker of somebody else', () => {
  test('advances nobody’s pipeline, with whatever it sends', async () => {
    const { id } = await asking()
    const claim = { pipeline_id: id, workspace_id: DEFAULT_WORKSPACE_ID, cancelled: true }
    const asked = await Promise.all(
      [
        claim,
        { ...claim, workspace_id: 'ws_0000000000000000000000000b' },
        { ...claim, cancelled: 'yes' },
        { ...claim, more: 1 },
        { pipeline_id: id },
        null,
        'garbage',
      ].map((each) => foreign.ask('advancePipeline', each)),
    )
    expect(asked.map((each) => 'failed' in each)).toEqual(asked.map(() => true))
    expect(await kindsOf(id, 2)).toEqual(expect.arrayContaining(['foreign_workflow', 'unknown_shape']))
    await untouched(id)
    await goesOn(id)
  })

  test('takes the place of its workflow, and says another workspace, or nothing', async () => {
    const { id } = await asking()
    const as = { id, type: PIPELINE_WORKFLOW }
    const other = { pipeline_id: id, workspace_id: 'ws_0000000000000000000000000b', cancelled: true }
    expect(await foreign.ask('advancePipeline', other, { as })).toHaveProperty('failed')
    expect(await foreign.ask('advancePipeline', null, { as })).toHaveProperty('failed')
    expect(await kindsOf(id, 1)).toContain('unknown_pipeline')
    await untouched(id)
    await goesOn(id)
  })
})

/** Ends the workflow and starts another at once: between the two the pipeline itself could start again. */
const TAKING_THE_PLACE = { workflowIdConflictPolicy: 'TERMINATE_EXISTING' } as const

describe('a workflow of a pipeline', () => {
  test('that was terminated is missed, and another goes on by the record', async () => {
    const { id } = await asking()
    await world.temporal.workflow.getHandle(id).terminate()
    await goesOn(id)
  })

  test('that was started by hand after a terminate only does what the record says', async () => {
    const { id } = await asking()
    const claim = { pipeline_id: id, workspace_id: DEFAULT_WORKSPACE_ID }
    await world.temporal.workflow.start(PIPELINE_WORKFLOW, {
      ...{ workflowId: id, taskQueue: 'ledger', args: [claim] },
      ...TAKING_THE_PLACE,
    })
    await untouched(id)
    await goesOn(id)
  })

  test('whose place somebody has taken gets it back', async () => {
    const { id } = await asking()
    await world.temporal.workflow.start('elsewhereV1', {
      ...{ workflowId: id, taskQueue: 'elsewhere', args: [{}] },
      ...TAKING_THE_PLACE,
    })
    await goesOn(id)
  })

  test('is started although somebody had its place before it', async () => {
    const store = createPipelineStore(world.database.db, (text) => createHash('sha256').update(text).digest('hex'))
    const definition: PipelineDefinition = {
      ...{ v: 1, name: 'rests', title: 'Rests', inputs_schema: {}, outputs: {}, template_digests: {} },
      bundle_digest: 'sha256:x',
      steps: [{ id: 'rest', title: 'Rest', needs: [], on_failure: 'fail', kind: 'timer', timer: { delay_ms: 10 } }],
    }
    const id = createIds().next('pipeline')
    await world.temporal.workflow.start('elsewhereV1', { workflowId: id, taskQueue: 'elsewhere', args: [{}] })
    await store.start({
      ...{ id, workspace_id: DEFAULT_WORKSPACE_ID, name: 'rests', bundle_path: 'test', bundle_digest: 'sha256:x' },
      ...{ definition, definition_digest: store.digestOf(definition), environment: 'development' },
      ...{ environment_class: 'development', profile: 'default', inputs: {}, inputs_hash: 'sha256:none', reason: null },
      ...{ provenance: {}, cap_micro_usd: 1_000_000, events: [], audit: [] },
    })
    expect((await world.ends(id, WITHIN_MS)).status).toBe('succeeded')
  })

  test('takes a flood of wakes, with whatever they carry', async () => {
    const { id } = await asking()
    const handle = world.temporal.workflow.getHandle(id)
    await Promise.all(
      Array.from({ length: FLOOD }, (_, index) => handle.signal(WAKE_PIPELINE, { decision: 'approve', index })),
    )
    await untouched(id)
    await goesOn(id)
  })

  test('that is cancelled in Temporal itself ends the pipeline, and leaves no gate open', async () => {
    const { id, run_id } = await asking()
    await world.temporal.workflow.getHandle(id).cancel()
    expect(await world.ends(id, WITHIN_MS)).toMatchObject({ status: 'cancelled' })
    expect((await world.call('GET', `/runs/${run_id}`)).body).toMatchObject({ gates: [{ status: 'cancelled' }] })
    expect(target.of(run_id)).toEqual([])
  })
})
