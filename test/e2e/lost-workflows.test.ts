import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { LANES } from '#core/contract.ts'
import { poll } from '#platform/embedded/processes.ts'
import { createEngine } from '#test/attack/engine.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

/** What the docs promise is within seconds, and a busy machine. */
const SECONDS = 15_000
/** A person is told what to look for: after a restore the record may be older than what was done. */
const LOST = expect.stringMatching(
  /Step act \(http\.request: POST .*\/restart\) waited for an approval.*may have acted all the same/,
)

let service: TestService
let demo: DemoService
let engine: ReturnType<typeof createEngine>

beforeAll(async () => {
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  service = await startTestService({ postgres_url, temporal_address })
  demo = await startDemoService()
  engine = createEngine(service.temporal.connection, service.namespace)
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})

async function start(): Promise<string> {
  await fetch(`${demo.url}/fault`, { method: 'POST' })
  const body = { inputs: { url: demo.url } }
  return (await service.call<{ id: string }>('POST', '/packs/sre/service-recovery/run', body)).body.id
}

const parked = (id: string) =>
  service.until<RunBody & { lane: string; workspace_id: string }>(
    ...([`/runs/${id}`, (run: RunBody) => run.status === 'awaiting_approval'] as const),
  )

interface Problem {
  code?: string
}

/** Decides until the run has ended; answers with all that was said before. */
async function decideMeanwhile(id: string): Promise<(string | undefined)[]> {
  const answers: (string | undefined)[] = []
  for (let status = 'awaiting_approval'; status === 'awaiting_approval'; ) {
    const { body } = await service.call<Problem>('POST', `/runs/${id}/resume`, { decision: 'reject' })
    const run = await service.call<RunBody>('GET', `/runs/${id}`)
    status = run.body.status
    if (status === 'awaiting_approval') answers.push(body.code)
  }
  return answers
}

describe('a run whose workflow is not there any more', () => {
  test.concurrent.each<[string, (run: { id: string; lane: string }) => Promise<unknown>]>([
    ['was deleted', (run) => engine.remove(run.id)],
    ['is of another type', (run) => squat(run, 'elsewhereV1', run.lane)],
    ['is of an earlier type', (run) => squat(run, 'runV1', run.lane)],
    ['is on a queue of others', (run) => squat(run, 'runV2', 'elsewhere')],
  ])(
    'because it %s ends within seconds, and meanwhile nobody is told that its gate is resolved',
    async (_how, lose) => {
      const id = await start()
      const { lane } = await parked(id)
      await lose({ id, lane })
      const began = Date.now()
      const [answers, run] = await Promise.all([decideMeanwhile(id), ended(service, id, 3 * SECONDS)])
      expect(run).toMatchObject({ status: 'failed', error: { code: 'engine_lost', step: 'act', message: LOST } })
      expect(Date.now() - began).toBeLessThan(SECONDS)
      expect(answers.filter((code) => code !== 'dependency_unavailable')).toEqual([])
    },
    60_000,
  )

  test('because it was sent elsewhere before its first leg ends within seconds', async () => {
    const gone = goesElsewhere()
    const ids: string[] = []
    const oneIsGone = async () => {
      ids.push(await start())
      return gone.ids.length > 0
    }
    expect(await poll(oneIsGone, 40_000, 100)).toBe(true)
    await gone.stop()
    for (const id of gone.ids.filter((each) => ids.includes(each)))
      expect(await ended(service, id, SECONDS)).toMatchObject({ status: 'failed', error: { code: 'engine_lost' } })
  })
})

describe('a leg that a worker of somebody else has answered', () => {
  test('holds a run up for seconds at most, and people decide it', async () => {
    const gate_id = `gate_${'0'.repeat(26)}`
    const forged: unknown[] = [
      null,
      { kind: 'parked', gate_id, step: 'act', wait_ms: 10 ** 12 },
      { kind: 'parked', gate_id, step: 'act', wait_ms: 'soon' },
      { kind: 'delayed', delay_ms: 10 ** 9, reason: 'forged' },
    ]
    const answered = new Set<string>()
    const ids: string[] = []
    const answering = answerLegs(forged, answered)
    const allUsed = async () => {
      ids.push(await start())
      return forged.length === 0
    }
    expect(await poll(allUsed, PATIENCE.timeout, 100)).toBe(true)
    await answering
    const stolen = ids.filter((id) => answered.has(id))
    expect(stolen.length).toBeGreaterThan(0)
    // the first that is approved heals what all of them found broken
    await Promise.all(stolen.map(parked))
    await Promise.all(
      stolen.map(async (id) => {
        const approved = await service.call<object>('POST', `/runs/${id}/resume`, { decision: 'approve' })
        expect(approved.body).toMatchObject({ resolved: true })
        expect(await ended(service, id, SECONDS)).toMatchObject({ status: 'succeeded' })
      }),
    )
  })
})

const squat = ({ id }: { id: string }, type: string, queue: string) =>
  engine.start({ type, id, queue, args: [{}], conflict: TERMINATE_EXISTING })
const TERMINATE_EXISTING = 3
/** often enough to be served beside our own workers */
const POLLED = Array.from({ length: 6 }, () => LANES).flat()

/** Polls for legs beside our workers, and answers those that it gets. */
async function answerLegs(forged: unknown[], answered: Set<string>): Promise<void> {
  const poll = async (lane: string) => {
    while (forged.length > 0) {
      const task = await engine.pollActivity(lane).catch(() => undefined)
      if (!task?.taskToken?.length || forged.length === 0) continue
      answered.add(task.workflowExecution?.workflowId ?? '')
      await engine.answerActivity(task.taskToken, forged.shift())
    }
  }
  await Promise.all(POLLED.map(poll))
}

/** Polls for workflow tasks beside our workers, and has the first workflow that it gets go on as another. */
function goesElsewhere() {
  const ids: string[] = []
  const poll = async (lane: string) => {
    while (ids.length === 0) {
      const task = await engine.pollWorkflow(lane).catch(() => undefined)
      if (!task?.taskToken?.length || ids.length > 0) continue
      await engine.answerWorkflow(task.taskToken, [
        {
          commandType: 10,
          continueAsNewWorkflowExecutionCommandAttributes: {
            workflowType: { name: 'elsewhereV1' },
            taskQueue: { name: 'elsewhere' },
          },
        },
      ])
      ids.push(task.workflowExecution?.workflowId ?? '')
    }
  }
  const polling = Promise.all(POLLED.map(poll))
  return { ids, stop: () => polling }
}
