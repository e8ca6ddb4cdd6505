import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Advanced, advancePipeline } from '#core/pipeline/advance.ts'
import type { AdvanceFacts, ChildRecord, PipelineSnapshot, StartFact } from '#core/pipeline/snapshot.ts'
import {
  isPipelineEnd,
  isStepEnd,
  PIPELINE_STEP_TRANSITIONS,
  PIPELINE_TRANSITIONS,
} from '#core/pipeline/transitions.ts'
import { isTerminal, RUN_TRANSITIONS, type RunStatus } from '#core/run/status.ts'
import { type Transitions, transitionsOf } from '#core/transitions.ts'
import { changesOf } from '#services/pipelines/changes.ts'
import { withLeftOut } from '#test/support/left-out.ts'
import { PipelineWorld } from '#test/support/pipeline-world.ts'
import { ANY_SHAPE, chance, pick, type Random, randomPipeline } from '#test/support/random-pipeline.ts'
import { seededRandom } from '#test/support/seeded-random.ts'

const LIVES = Number(process.env['SVC_PIPELINE_LIVES'] ?? 1_500)
const MAX_MOVES = 40
/** a world without changes comes to its end in fewer looks than that */
const MAX_LOOKS = 200

/** Every way that was taken, in all lives. */
const taken = { pipelines: new Set<string>(), steps: new Set<string>() }

const isOpenChild = ({ status }: ChildRecord) => status === 'starting' || (status !== 'refused' && !isTerminal(status))

function lawsOf(world: PipelineWorld, where: string): PipelineWorld {
  world.onLook = (before, facts, answer) => {
    note(taken.pipelines, before.status, answer.at.status)
    for (const [index, { state }] of before.steps.entries())
      note(taken.steps, state, answer.at.steps[index]?.state ?? '')
    const again = advancePipeline(world.definition, answer.at, facts)
    if (!isDeepStrictEqual(again, answer)) expect(again, `${where}: asked again`).toEqual(answer)
    if (isPipelineEnd(answer.at.status)) expectOver(answer.at, where)
    expectLimits(world, before, answer.at, where)
    expectOrder(world, answer.at, where)
    expectNoneNeeded(world, { before, facts, answer }, where)
  }
  return world
}

/** Outputs that nothing asks for change nothing: what is written without them is the same. */
function expectNoneNeeded(
  { definition }: PipelineWorld,
  { before, facts, answer }: { before: PipelineSnapshot; facts: AdvanceFacts; answer: Advanced },
  where: string,
): void {
  const fresh = answer.at.children.slice(before.children.length).map(({ run_id }) => run_id)
  const changesWith = (known: string[]): ReturnType<typeof changesOf> => {
    const lean = withLeftOut(before, known)
    const ids = fresh.values()
    const { at, missing } = advancePipeline(definition, lean, { ...facts, nextRunId: () => ids.next().value ?? '' })
    holds(!missing.some((id) => known.includes(id)), `${where}: outputs are asked for twice`)
    return missing.length === 0 ? changesOf(lean, at, 1) : changesWith([...known, ...missing])
  }
  holds(isDeepStrictEqual(changesWith([]), changesOf(before, answer.at, 1)), `${where}: outputs that were left out`)
}

function holds(is: boolean, law: string): void {
  if (!is) expect.fail(law)
}

function note(ways: Set<string>, from: string, to: string): void {
  if (from !== to) ways.add(`${from} → ${to}`)
}

function expectOver(at: PipelineSnapshot, where: string): void {
  holds(
    at.steps.every(({ state }) => isStepEnd(state)),
    `${where}: open steps`,
  )
  holds(!at.children.some(isOpenChild), `${where}: open runs`)
}

/** No more at once than a list allows, no run twice, none of a step that has not begun, and nothing new once it does not go on. */
function expectLimits(
  { definition }: PipelineWorld,
  before: PipelineSnapshot,
  at: PipelineSnapshot,
  where: string,
): void {
  const keys = at.children.map(({ step_id, index, role }) => `${step_id}/${role}/${index}`)
  holds(new Set(keys).size === keys.length, `${where}: a run twice`)
  const known = new Set(before.children.map(({ run_id }) => run_id))
  for (const step of definition.steps) {
    const runs = at.children.filter(({ step_id, role }) => step_id === step.id && role === 'run')
    const parallel = step.kind === 'run' ? (step.for_each?.parallel ?? 1) : 0
    holds(runs.filter(isOpenChild).length <= parallel, `${where}: ${step.id} at once`)
    const fresh = runs.filter(({ run_id }) => !known.has(run_id))
    holds(before.closing === null || fresh.length === 0, `${where}: begun although it does not go on`)
    const record = at.steps.find(({ id }) => id === step.id)
    const hasBegun = record?.state !== 'skipped' && record?.started_at_ms !== null
    holds(hasBegun || runs.length === 0, `${where}: a run of ${step.id}, which has not begun`)
  }
}

/** One compensation after the other, each of something that acted, in the reverse order of the ends. */
function expectOrder({ definition }: PipelineWorld, at: PipelineSnapshot, where: string): void {
  const undone = at.children.filter(({ role }) => role === 'compensation')
  holds(undone.filter(isOpenChild).length <= 1, `${where}: compensations at once`)
  holds(undone.length === 0 || at.closing?.compensate === true, `${where}: compensations that nobody wants`)
  const ends = undone.map(({ step_id, index }) => {
    const done = at.children.find((each) => each.role === 'run' && each.step_id === step_id && each.index === index)
    holds(done?.acted === true, `${where}: ${step_id} has not acted`)
    return done?.ended_at_ms ?? 0
  })
  const inOrder = ends.every((end, index) => index === 0 || end <= (ends[index - 1] ?? 0))
  holds(inOrder, `${where}: order of compensations`)
  if (!isPipelineEnd(at.status) || at.closing?.compensate !== true) return
  const due = at.children.filter(({ role, acted, step_id }) => {
    const step = definition.steps.find(({ id }) => id === step_id)
    return role === 'run' && acted && step?.kind === 'run' && step.compensate !== undefined
  })
  holds(undone.length === due.length, `${where}: everything is taken back`)
}

/** One thing that may happen. */
function happen(world: PipelineWorld, random: Random): void {
  const what = random()
  const wanted = world.wanted()
  const open = world.open()
  const [first] = wanted
  if (what < 0.3 && first !== undefined) {
    const child = pick(random, [first, ...wanted])
    const way = random()
    if (way < 0.75) world.admit(child.run_id)
    else return void world.look(new Map([[child.run_id, startFact(child, random, world.now_ms)]]))
  } else if (what < 0.7 && open[0] !== undefined) {
    const { run_id, run } = pick(random, [open[0], ...open])
    const next = Object.keys(RUN_TRANSITIONS[run.status]) as RunStatus[]
    if (next[0] !== undefined)
      world.move(run_id, pick(random, [next[0], ...next]), { acted: run.acted || chance(random, 0.5) })
  } else if (what < 0.8) world.later(pick(random, [1, 40, 4_000, 30_000, 70_000]))
  else if (what < 0.88) world.tell({ for: `s${Math.floor(random() * 8)}` })
  else if (what < 0.94) {
    const ready = world.at.steps.find(({ state, advanced }) => state === 'ready' && advanced === null)
    if (ready !== undefined) world.advance(ready.id, chance(random, 0.5) ? { text: 'other' } : {})
  } else if (what < 0.96 && world.at.cancel === null) world.cancel('enough')
  else if (what > 0.985) world.carryOut()
  // some changes come together, before anybody looks
  if (chance(random, 0.75)) world.look()
}

function startFact({ run_id, step_id }: ChildRecord, random: Random, now_ms: number): StartFact {
  if (chance(random, 0.5)) return { kind: 'later', at_ms: now_ms + 15_000, reason: 'frozen' }
  return { kind: 'refused', error: { code: 'policy_denied', message: 'no', step: step_id, run_id } }
}

/** Nothing new comes to it: runs that are wanted start and succeed, nobody answers, and time goes on. */
function comeToAnEnd(world: PipelineWorld, where: string): void {
  for (let look = 0; !world.ended; look += 1) {
    holds(look < MAX_LOOKS, `${where}: ${JSON.stringify(world.at)} does not end`)
    world.carryOut()
    for (const { run_id, run } of world.open())
      world.move(
        run_id,
        run.status === 'queued' ? 'running' : 'succeeded' in RUN_TRANSITIONS[run.status] ? 'succeeded' : 'expired',
      )
    world.look()
    if (world.wake_at_ms !== null) world.now_ms = Math.max(world.now_ms + 1, world.wake_at_ms)
  }
}

function live(seed: number): void {
  const random = seededRandom(seed)
  const world = lawsOf(new PipelineWorld(randomPipeline(random, ANY_SHAPE)), `seed ${seed}`)
  // one that is cancelled before anything has looked at it
  if (chance(random, 0.03)) world.cancel()
  world.look()
  for (let move = 0; move < MAX_MOVES && !world.ended; move += 1) happen(world, random)
  comeToAnEnd(world, `seed ${seed}`)
  const over = world.at
  world.later(1_000_000).look()
  expect(world.at, `seed ${seed}: an end is an end`).toEqual(over)
}

beforeAll(() => {
  for (let seed = 1; seed <= LIVES; seed += 1) live(seed)
})

const waysOf = (table: Transitions<string, never>) =>
  transitionsOf(table)
    .filter(({ from }) => from !== 'none')
    .map(({ from, to }) => `${from} → ${to}`)
    .sort()

describe('whatever happens, every pipeline ends by the rules, and', () => {
  test('a pipeline takes every way of its table, and no other', () => {
    expect([...taken.pipelines].sort()).toEqual(waysOf(PIPELINE_TRANSITIONS))
  })

  test('a step takes every way of its table, and no other', () => {
    expect([...taken.steps].sort()).toEqual(waysOf(PIPELINE_STEP_TRANSITIONS))
  })
})
