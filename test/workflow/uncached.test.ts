import { expect, inject, test } from 'vitest'
import type { TerminalStatus } from '#core/run/status.ts'
import { poll } from '#platform/embedded/processes.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { closes, parks } from '#test/support/scripted-activities.ts'
import { EVENT, type ScriptedRun, startScriptedRuns } from '#test/support/scripted-runs.ts'
import { PIPELINE_SCENARIOS } from './pipeline-scenarios.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

const TIMES = 2
/** What comes together by chance is tried until it has. */
const TRIES = 4
/** `temporal.api.enums.v1.WorkflowTaskFailedCause` */
const NON_DETERMINISTIC = 24
const LIVES = [
  'approved-by-update',
  'rejected-by-update',
  'cancelled-while-parked',
  'cancelled-while-running',
  'expired-by-ttl',
  'near-after-approval',
]

const runs = fileFixture(() => startScriptedRuns(inject('temporal_address'), { cached: 0 }))

/** An approval, and what else may reach the run in the same workflow task. */
const AT_ONCE: [what: string, ends: TerminalStatus[], act: (run: ScriptedRun) => Promise<unknown>][] = [
  ['a signal', ['succeeded'], (run) => run.signal({ decision: 'approve' })],
  ['a wake', ['succeeded'], (run) => run.wake()],
  ['another answer', ['succeeded', 'rejected'], (run) => run.decide('reject', 'usr_2')],
  ['a cancellation', ['cancelled', 'succeeded'], (run) => run.cancel()],
]

// one after the other: a worker without a cache has room for one run at a time
test.each(LIVES)('%s: replayed at every workflow task, it does the same', async (name) => {
  const life = SCENARIOS.find((scenario) => scenario.name === name)
  for (let time = 0; time < TIMES; time += 1) await live(life ?? unknown(name), time)
})

test.each(AT_ONCE)('an approval and %s at once: replayed, it does the same', async (what, ends, act) => {
  for (let time = 0; time < TRIES; time += 1) {
    const run = await runs.start(`at-once-${what}-${time}`, [parks(), closes])
    const ended = await unlessStuck(run, async () => {
      await run.parked()
      await Promise.allSettled([run.decide('approve', 'usr_1'), act(run)])
    })
    expect(ends).toContain(ended)
  }
})

test('an answer that comes while the execution tells of its gate: replayed, it does the same', async () => {
  for (let time = 0; time < 2 * TRIES; time += 1) {
    let tell = () => {}
    const opened = new Promise<void>((resolve) => (tell = resolve))
    const run = await runs.start(`as-it-opens-${time}`, [parks({ onParked: () => tell() }), closes])
    const ended = await unlessStuck(run, async () => {
      await opened
      await run.decide('approve', 'usr_1')
    })
    expect(ended).toBe('succeeded')
  }
})

test.each(PIPELINE_SCENARIOS)('$name: replayed at every workflow task, it does the same', async (scenario) => {
  const { name, looks, short, play, ends } = scenario
  const pipeline = await runs.startPipeline(`uncached-${name}`, looks, short)
  await play?.(pipeline, runs.pipelines)
  expect(await pipeline.result()).toEqual({ status: ends })
  const causes = (await pipeline.events())
    .filter(({ eventType }) => eventType === EVENT.WORKFLOW_TASK_FAILED)
    .map(({ workflowTaskFailedEventAttributes: why }) => why?.cause)
  expect(causes).not.toContain(NON_DETERMINISTIC)
})

async function live({ name, executions, play, ends, near = false }: Scenario, time: number): Promise<void> {
  const run = await runs.start(`uncached-${name}-${time}`, executions, near ? { near } : {})
  expect(await unlessStuck(run, async () => play?.(run))).toBe(ends)
}

/** How the run ended, or why it cannot be replayed: such a workflow task is tried again without end. */
async function unlessStuck(run: ScriptedRun, play: () => Promise<unknown>): Promise<string> {
  let over = false
  const stuck = poll(async () => (await notReplayed(run)) ?? (over ? 'replayed' : undefined), 20_000, 100)
  const ending = play().then(() => run.result())
  const first = await Promise.race([stuck, ending.then(({ status }) => status)])
  over = true
  const why = await notReplayed(run)
  await stuck
  return why ?? first ?? 'it did not end'
}

function unknown(name: string): never {
  throw new Error(`there is no scenario ${name}`)
}

async function notReplayed(run: ScriptedRun): Promise<string | undefined> {
  // a task that something reached in the meantime fails as well, and is done again
  const failed = (await run.events()).find(
    ({ eventType, workflowTaskFailedEventAttributes: why }) =>
      eventType === EVENT.WORKFLOW_TASK_FAILED && why?.cause === NON_DETERMINISTIC,
  )
  return failed?.workflowTaskFailedEventAttributes?.failure?.message ?? undefined
}
