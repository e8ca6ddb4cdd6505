import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import type { Pipeline } from '#core/pipeline/schema.ts'
import { isStepEnd, type PipelineStepState } from '#core/pipeline/transitions.ts'
import type { PipelineDefinition, PipelineStep } from '#core/pipeline/types.ts'
import { chainEvents } from './chain-lines.ts'
import { PipelineWorld } from './pipeline-world.ts'
import { chance, pick, type Random, type RandomShape, randomPipeline } from './random-pipeline.ts'

const SHAPE: RandomShape = {
  most_steps: 6,
  templates: ['desk/note', 'desk/act', 'desk/act'],
  kinds: ['run', 'run', 'run', 'run', 'timer', 'event'],
  gates: ['none', 'none', 'none', 'none', 'manual', 'approval'],
  on_failure: ['continue'],
  broken: 0,
  timer_ms: [1, 30, 200],
}

export interface Graph {
  name: string
  definition: PipelineDefinition
  /** the step that ends the pipeline when it does not succeed; all others are passed by */
  fatal: PipelineStep | undefined
}

/** A small pipeline whose end is known before: of its steps at most one ends it. */
export function randomGraph(random: Random, name: string): Graph {
  const definition = { ...randomPipeline(random, SHAPE), name }
  const steps = definition.steps.map((step): PipelineStep => {
    if (step.kind === 'event') {
      const { matches: _any, ...first } = step
      return first
    }
    if (step.kind !== 'run') return step
    const { compensate, ...plain } = step
    if (chance(random, 0.2)) return { ...plain, uses: { pack: 'desk', template: 'fail' }, with: {} }
    const text = chance(random, 0.2) ? 'no' : 'yes'
    if (step.uses.template !== 'act') return { ...plain, with: { text } }
    // a compensation is given the inputs of what it takes back
    const given = { text, url: `\${{ inputs.url }}/${name}/${step.id}` }
    return { ...plain, with: given, ...(compensate !== undefined && { compensate }) }
  })
  const [first, ...others] = steps
  const fatal = first === undefined || chance(random, 0.5) ? undefined : pick(random, [first, ...others])
  if (fatal !== undefined) fatal.on_failure = pick(random, ['fail', 'compensate'])
  return { name, definition: { ...definition, steps }, fatal }
}

/** Bundles of these pipelines; answers in which bundle each is. */
export async function writeGraphs(home: string, graphs: readonly Graph[]): Promise<Map<string, string>> {
  const places = new Map<string, string>()
  for (let at = 0; at < graphs.length; at += 50) {
    const bundle = `graphs${at / 50}`
    const some = graphs.slice(at, at + 50)
    const pipelines = Object.fromEntries(some.map(({ name, definition }) => [name, writtenAs(definition)]))
    await mkdir(join(home, 'bundles', bundle), { recursive: true })
    await writeFile(join(home, 'bundles', bundle, 'pipeline.yaml'), JSON.stringify({ apiVersion: 'svc/v1', pipelines }))
    for (const { name } of some) places.set(name, bundle)
  }
  return places
}

function writtenAs({ title, steps, outputs }: PipelineDefinition): JsonObject {
  const inputs = { type: 'object', required: ['url'], properties: { url: { type: 'string' } } }
  return { title, inputs, steps: steps.map(writtenStep), outputs }
}

function writtenStep(step: PipelineStep): JsonObject {
  const { id, title, needs, when, on_failure } = step
  const base = { id, title, needs, on_failure, ...(when !== undefined && { when }) }
  if (step.kind === 'timer') return { ...base, schedule: 'delay_ms' in step.timer ? `${step.timer.delay_ms}ms` : '1s' }
  if (step.kind === 'event') return { ...base, on: 'pack.desk.said', look_back: '1h', timeout: '5m' }
  const { uses, gate, for_each, compensate } = step
  return {
    ...base,
    ...{ uses: `${uses.pack}/${uses.template}`, with: step.with, gate, timeout: '10m' },
    ...(for_each !== undefined && { for_each: { ...for_each } }),
    ...(compensate !== undefined && { compensate: `${compensate.pack}/${compensate.template}` }),
  }
}

/** How each step ends when nothing ends the pipeline, by the machine alone. */
function foreseen({ definition }: Graph): Map<string, PipelineStepState> {
  const steps = definition.steps.map((step) => ({ ...step, on_failure: 'continue' as const }))
  const world = new PipelineWorld({ ...definition, steps }, { url: 'http://target' })
  world.tell({})
  for (world.look(); !world.ended; world.look()) {
    for (const { id, state } of world.at.steps) if (state === 'ready') world.advance(id)
    world.carryOut()
    for (const { run_id } of world.open()) endRun(world, run_id)
    world.later(1_000)
  }
  return new Map(world.at.steps.map(({ id, state }) => [id, state]))
}

function endRun(world: PipelineWorld, runId: string): void {
  const child = world.at.children.find(({ run_id }) => run_id === runId)
  const step = world.definition.steps.find(({ id }) => id === child?.step_id)
  if (child === undefined || step?.kind !== 'run') throw new Error(`${runId} belongs to nothing`)
  const isRejected = step.gate === 'approval' && child.inputs['text'] === 'no'
  const status = isRejected ? 'rejected' : step.uses.template === 'fail' ? 'failed' : 'succeeded'
  world.move(runId, status, { acted: status === 'succeeded' && step.uses.template === 'act' })
}

/** Proves that a pipeline has ended as the machine foresaw. What stood beside the step that ended it may have come less far. */
export function expectForeseen(graph: Graph, ended: Pipeline): void {
  const { definition, fatal, name } = graph
  const states = foreseen(graph)
  const isFatal = fatal !== undefined && !['succeeded', 'skipped'].includes(states.get(fatal.id) ?? '')
  const why = `${name}: ${JSON.stringify(definition.steps)}\n${JSON.stringify(ended)}`
  const rejected = isFatal && states.get(fatal.id) === 'rejected'
  expect(ended.status, why).toBe(rejected ? 'rejected' : isFatal ? 'failed' : 'succeeded')
  const before = new Set(isFatal ? ancestorsOf(definition, fatal.id) : definition.steps.map(({ id }) => id))
  for (const { id, state } of ended.steps) {
    expect(isStepEnd(state), why).toBe(true)
    if (before.has(id)) expect(`${id} ${state}`, why).toBe(`${id} ${states.get(id)}`)
    else expect([states.get(id), 'cancelled', 'skipped'], why).toContain(state)
  }
}

function ancestorsOf({ steps }: PipelineDefinition, id: string): string[] {
  const needs = steps.find((step) => step.id === id)?.needs ?? []
  return [id, ...needs.flatMap((need) => ancestorsOf({ steps } as PipelineDefinition, need))]
}

interface Recorded {
  ts: string
  action: string
  run_id?: string
  subject: { type: string; id: string }
  data: { trigger?: { type?: string; pipeline_id?: string; step?: string }; led_to?: string }
}

/** What the audit chain says of runs: by which pipeline each was admitted, and when each attempt was decided. */
export function readAdmissions(home: string) {
  const admitted = new Map<string, { pipeline_id: string; step: string; count: number }>()
  const decided = new Map<string, number>()
  for (const event of chainEvents<Recorded>(home)) {
    const { trigger } = event.data
    if (event.action === 'run.admitted') {
      const count = (admitted.get(event.subject.id)?.count ?? 0) + 1
      admitted.set(event.subject.id, { pipeline_id: trigger?.pipeline_id ?? '', step: trigger?.step ?? '', count })
    }
    if (event.action === 'policy.decided' && event.data.led_to === 'effect')
      decided.set(
        event.subject.id,
        Math.min(decided.get(event.subject.id) ?? Number.POSITIVE_INFINITY, Date.parse(event.ts)),
      )
  }
  return { admitted, decided }
}
