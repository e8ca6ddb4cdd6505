import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Pipeline } from '#core/pipeline/schema.ts'
import { isPipelineEnd } from '#core/pipeline/transitions.ts'
import { poll } from '#platform/embedded/processes.ts'
import { type EffectTarget, startEffectTarget } from '#test/support/effect-target.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { expectForeseen, type Graph, randomGraph, readAdmissions, writeGraphs } from '#test/support/pipeline-graphs.ts'
import { type PipelineService, startPipelineService } from '#test/support/pipeline-service.ts'
import { seededRandom } from '#test/support/seeded-random.ts'

/** `SVC_GRAPHS=1000` for the whole proof; the small one is for every day. */
const GRAPHS = Number(process.env['SVC_GRAPHS'] ?? 15)
const SEED = Number(process.env['SVC_SEED'] ?? 11)
const AT_ONCE = 20

let world: PipelineService
let target: EffectTarget

beforeAll(async () => {
  target = await startEffectTarget()
  world = await startPipelineService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_BUS: 'postgres', SVC_LANE_BACKGROUND: '20', SVC_RATE_LIMIT: '0' },
    pipelines: 'none:\n  title: None\n  steps: [{ id: one, uses: desk/note, timeout: 1m }]\n',
  })
})
afterAll(async () => {
  await world?.stop()
  await target?.stop()
})

/** Anyone who is asked answers: every gate by itself, and every step that waits to be advanced. */
async function answer(pipeline: Pipeline): Promise<void> {
  for (const { id, state, runs } of pipeline.steps) {
    if (state === 'ready') await world.call('POST', `/pipelines/${pipeline.id}/steps/${id}/advance`, {})
    for (const { gate_id, run_id } of runs) {
      if (gate_id === undefined) continue
      const { body } = await world.call<{ inputs: { text?: string } }>('GET', `/runs/${run_id}`)
      const decision = body.inputs.text === 'no' ? 'reject' : 'approve'
      await world.call('POST', `/pipelines/${pipeline.id}/steps/${id}/approve`, { decision, gate_id })
    }
  }
}

async function live({ name }: Graph, bundle_path: string): Promise<Pipeline> {
  const id = await world.begin(name, { url: target.url }, { bundle_path })
  const ended = await poll(async () => {
    const pipeline = await world.stands(id)
    if (isPipelineEnd(pipeline.status)) return pipeline
    await answer(pipeline)
    return undefined
  }, PATIENCE.timeout)
  if (ended === undefined) throw new Error(`${name} did not end: ${JSON.stringify(await world.stands(id))}`)
  return ended
}

test(
  `${GRAPHS} random pipelines end as the machine foresees, each run is admitted by its pipeline and acts once, when it was decided`,
  async () => {
    const random = seededRandom(SEED)
    const graphs = Array.from({ length: GRAPHS }, (_, index) => randomGraph(random, `g${index}`))
    const places = await writeGraphs(world.home, graphs)
    // the event that some of them wait for
    expect((await world.call('POST', '/packs/desk/tell/run', { inputs: {} })).status).toBe(202)
    const ended: Pipeline[] = []
    const waiting = [...graphs]
    const lives = Array.from({ length: AT_ONCE }, async () => {
      for (let graph = waiting.shift(); graph !== undefined; graph = waiting.shift()) {
        const pipeline = await live(graph, places.get(graph.name) ?? '')
        expectForeseen(graph, pipeline)
        ended.push(pipeline)
      }
    })
    await Promise.all(lives)
    await expectRecorded(ended)
  },
  60_000 + GRAPHS * 2_000,
)

async function expectRecorded(ended: Pipeline[]): Promise<void> {
  const { db } = world.database
  await poll(async () => (await db`select from audit_outbox where seq is null limit 1`).length === 0, PATIENCE.timeout)
  const { admitted, decided } = readAdmissions(world.home)
  const runs = await db<{ id: string; pipeline_id: string }[]>`
    select id, pipeline_id from runs where pipeline_id is not null`
  const known = new Map(
    ended.flatMap(({ id, steps }) =>
      steps.flatMap((step) => step.runs.map((run) => [run.run_id, { id, step: step.id }])),
    ),
  )
  for (const { id, pipeline_id } of runs) {
    const of = known.get(id)
    expect(admitted.get(id), id).toEqual({ pipeline_id, step: of?.step, count: 1 })
    expect(of?.id).toBe(pipeline_id)
  }
  expect(target.effects().length).toBeGreaterThan(0)
  const steps = await db<{ key: string; attempt: number }[]>`
    select run_id || ':' || step_id as key, attempt from run_steps`
  const attempts = new Map(steps.map(({ key, attempt }) => [key, attempt]))
  for (const { key, run, at_ms } of target.calls) {
    expect(known.has(run), `${key} is of no pipeline`).toBe(true)
    const calls = target.calls.filter((call) => call.key === key).length
    expect(calls, `${key} is called once by each of its attempts on record`).toBeLessThanOrEqual(attempts.get(key) ?? 0)
    const by = [...decided].filter(([subject]) => subject.startsWith(`${run}:`)).map(([, at]) => at)
    expect(Math.min(...by), `${key} was decided before it acted`).toBeLessThanOrEqual(at_ms)
  }
  const [open] = await db<{ children: number; gates: number; wakes: number }[]>`
    select (select count(*)::int from pipeline_children where ended_at is null) as children,
      (select count(*)::int from gates where status = 'open') as gates,
      (select count(*)::int from pipeline_outbox) as wakes`
  expect(open).toEqual({ children: 0, gates: 0, wakes: 0 })
}
