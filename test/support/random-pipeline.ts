import type { JsonObject } from '#core/json/json.ts'
import type { EventStep, PipelineDefinition, PipelineStep, RunStep, TimerStep } from '#core/pipeline/types.ts'

export type Random = () => number

export const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random() * items.length)] ?? items[0]
export const chance = (random: Random, share: number): boolean => random() < share

export interface RandomShape {
  most_steps: number
  /** which templates its steps may run */
  templates: readonly [string, ...string[]]
  kinds: readonly [PipelineStep['kind'], ...PipelineStep['kind'][]]
  gates: readonly [RunStep['gate'], ...RunStep['gate'][]]
  on_failure: readonly [PipelineStep['on_failure'], ...PipelineStep['on_failure'][]]
  /** how often an expression has no value */
  broken: number
  timer_ms: readonly [number, ...number[]]
}

export const ANY_SHAPE: RandomShape = {
  most_steps: 8,
  templates: ['desk/note', 'desk/act'],
  kinds: ['run', 'run', 'run', 'timer', 'event'],
  gates: ['none', 'none', 'manual', 'approval'],
  on_failure: ['fail', 'continue', 'continue', 'compensate'],
  broken: 0.04,
  timer_ms: [1, 50, 5_000],
}

/** A pipeline of any shape: chains, branches, joins, lists, conditions; each step after what it needs. */
export function randomPipeline(random: Random, shape: RandomShape): PipelineDefinition {
  const count = 1 + Math.floor(random() * shape.most_steps)
  const steps: PipelineStep[] = []
  for (let index = 0; index < count; index += 1) steps.push(randomStep(random, shape, steps))
  const broken = chance(random, shape.broken)
  const template_digests = Object.fromEntries(shape.templates.map((name) => [name, `sha256:${name}`]))
  return {
    ...{ v: 1, name: 'random', title: 'Random', inputs_schema: { type: 'object' }, steps, template_digests },
    outputs: broken ? { it: `\${{ inputs.missing.more }}` } : { first: `\${{ steps.${steps[0]?.id}.status }}` },
    bundle_digest: 'sha256:random',
  }
}

function randomStep(random: Random, shape: RandomShape, before: readonly PipelineStep[]): PipelineStep {
  const id = `s${before.length}`
  const needs = before.filter(() => chance(random, 0.35)).map((step) => step.id)
  const on_failure = pick(random, shape.on_failure)
  const base = { id, title: id, needs, on_failure, ...whenOf(random, shape, needs) }
  const kind = pick(random, shape.kinds)
  if (kind === 'timer') return { ...base, kind, timer: { delay_ms: pick(random, shape.timer_ms) } } satisfies TimerStep
  if (kind === 'event') {
    const matches = chance(random, 0.5) ? { matches: `event.for == "${id}"` } : {}
    return { ...base, kind, topic: 'desk.told', look_back_ms: 0, timeout_ms: 10_000, ...matches } satisfies EventStep
  }
  return { ...base, ...runOf(random, shape) }
}

function whenOf(random: Random, shape: RandomShape, needs: readonly string[]): { when?: string } {
  if (chance(random, shape.broken)) return { when: 'inputs.missing.more' }
  if (chance(random, shape.broken)) return { when: '1 + 1' }
  const [first] = needs
  if (first === undefined || chance(random, 0.6)) return {}
  return {
    when: `steps.${first}.status ${pick(random, ['==', '!='])} "${pick(random, ['succeeded', 'skipped', 'failed'])}"`,
  }
}

function runOf(
  random: Random,
  shape: RandomShape,
): Pick<RunStep, 'kind' | 'uses' | 'with' | 'gate' | 'timeout_ms' | 'for_each' | 'compensate'> {
  const uses = nameOf(pick(random, shape.templates))
  const items = pick(random, ['[]', '[1]', '[1, 2, 3]', '[1, 2, 3, 4, 5]'])
  const list = chance(random, shape.broken) ? pick(random, ['inputs.missing.more', '1']) : items
  const text: JsonObject = chance(random, shape.broken) ? { text: `\${{ inputs.missing.more }}` } : { text: 'hello' }
  return {
    kind: 'run',
    uses,
    with: text,
    gate: pick(random, shape.gates),
    timeout_ms: 60_000,
    ...(chance(random, 0.3) && { for_each: { items: list, parallel: pick(random, [1, 2, 3]) } }),
    ...(chance(random, 0.5) && { compensate: nameOf('desk/act') }),
  }
}

export function nameOf(text: string): RunStep['uses'] {
  const [pack = '', template = ''] = text.split('/')
  return { pack, template }
}
