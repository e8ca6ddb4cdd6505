import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { poll } from '#platform/embedded/processes.ts'
import { closes, parks, yields } from '#test/support/scripted-activities.ts'
import { EVENT, type ScriptedRun, type ScriptedRuns, startScriptedRuns } from '#test/support/scripted-runs.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

const TIMES = 3
const LIVES = [
  'approved-by-update',
  'approved-by-signal',
  'rejected-by-update',
  'cancelled-while-parked',
  'cancelled-while-running',
  'expired-by-ttl',
  'near-after-approval',
]

let runs: ScriptedRuns

beforeAll(async () => {
  runs = await startScriptedRuns(inject('temporal_address'), { cached: 0 })
})
afterAll(() => runs.stop())

/** As when several people answer in the same instant. */
const ATONCE: Scenario = {
  name: 'decided-at-once',
  legs: [parks(), yields, closes],
  async play(run) {
    await run.parked()
    await Promise.allSettled(['usr_1', 'usr_2', 'usr_3', 'usr_4'].map((by) => run.decide('approve', by)))
  },
  ends: 'succeeded',
}

// one after the other: a worker without a cache has room for one run at a time
test.each(LIVES)('%s: replayed at every workflow task, it does the same', async (name) => {
  const life = SCENARIOS.find((scenario) => scenario.name === name)
  for (let time = 0; time < TIMES; time += 1) await live(life ?? unknown(name), time)
})

test('decided by several at once: replayed at every workflow task, it does the same', async () => {
  for (let time = 0; time < TIMES; time += 1) await live(ATONCE, time)
})

async function live(scenario: Scenario, time: number): Promise<void> {
  const { name, legs, play, ends, near = false } = scenario
  const run = await runs.start(`uncached-${name}-${time}`, legs, near ? { near } : {})
  // a workflow task that cannot be replayed is tried again without end
  const stuck = untilTaskFails(run)
  await Promise.race([play?.(run), stuck.there])
  const ended = await Promise.race([run.result(), stuck.there])
  stuck.stop()
  await stuck.there
  expect(ended).toEqual({ status: ends })
  expect(await taskFailures(run)).toEqual([])
}

function untilTaskFails(run: ScriptedRun): { there: Promise<string[]>; stop(): void } {
  let stopped = false
  const failed = async () => {
    const found = await taskFailures(run)
    return found.length > 0 || stopped ? found : undefined
  }
  return {
    there: poll(failed, 20_000).then((found) => found ?? []),
    stop: () => {
      stopped = true
    },
  }
}

function unknown(name: string): never {
  throw new Error(`there is no scenario ${name}`)
}

async function taskFailures(run: ScriptedRun): Promise<string[]> {
  return (await run.events())
    .filter(({ eventType }) => eventType === EVENT.WORKFLOW_TASK_FAILED)
    .map(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? 'without a reason')
}
