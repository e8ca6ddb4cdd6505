import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { DefaultLogger, makeTelemetryFilterString, type ReplayWorkerOptions, Runtime, Worker } from '@temporalio/worker'
import { beforeAll, describe, expect, test } from 'vitest'
import { firingIdOf } from '#test/support/scripted-runs.ts'
import { prepareWorkflowBundle } from '#workers/workflow-bundle.ts'
import { END_SCENARIOS } from './end-scenarios.ts'
import { FIRING_SCENARIOS } from './firing-scenarios.ts'
import { GATE_NOTICE_SCENARIOS } from './gate-notice-scenarios.ts'
import { CONNECTION_SCENARIOS, DIGEST_SCENARIOS, HALT_SCENARIOS } from './halt-scenarios.ts'
import { PIPELINE_SCENARIOS } from './pipeline-scenarios.ts'
import { REMOTE_JOB_SCENARIOS } from './remote-job-scenarios.ts'
import { SCENARIOS } from './scenarios.ts'

const FOLDER = new URL('./histories/', import.meta.url)
const SUFFIX = '.generated.json'
const LIVES = [
  ...[
    ...SCENARIOS,
    ...GATE_NOTICE_SCENARIOS,
    ...END_SCENARIOS,
    ...HALT_SCENARIOS,
    ...DIGEST_SCENARIOS,
    ...CONNECTION_SCENARIOS,
    ...FIRING_SCENARIOS,
    ...REMOTE_JOB_SCENARIOS,
  ],
  ...PIPELINE_SCENARIOS,
]
const NAMES = LIVES.map(({ name }) => name)
/** What a firing does depends on the id of its workflow. */
const IDS = new Map(FIRING_SCENARIOS.map(({ name }) => [name, firingIdOf(name)]))
const idOf = (name: string) => IDS.get(name) ?? name

beforeAll(() => {
  // what is expected to fail says so at length
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  })
})

describe('recorded histories', () => {
  test('every scenario has one', async () => {
    expect(await recorded()).toEqual(NAMES.toSorted())
  })

  test('replay with the workflow of today', async () => {
    const outcomes = await replay({ workflowBundle: { codePath: await prepareWorkflowBundle() } })
    expect(outcomes).toEqual(NAMES.map((name) => ({ workflow_id: idOf(name), error: undefined })))
  })

  test('do not replay with a workflow that acts in another order', async () => {
    const drifted = fileURLToPath(new URL('./drifted-workflows.ts', import.meta.url))
    const outcomes = await replay({ workflowsPath: drifted })
    expect(outcomes.map(({ error }) => error)).toEqual(NAMES.map(() => 'DeterminismViolationError'))
  })
})

interface Replayed {
  workflow_id: string
  error: string | undefined
}

async function recorded(): Promise<string[]> {
  return (await readdir(FOLDER)).map((file) => file.slice(0, -SUFFIX.length)).sort()
}

async function replay(options: ReplayWorkerOptions): Promise<Replayed[]> {
  const outcomes: Replayed[] = []
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories()))
    outcomes.push({ workflow_id: workflowId, error: error?.name })
  return outcomes
}

async function* histories() {
  for (const name of NAMES) {
    const history: unknown = JSON.parse(await readFile(new URL(`${name}${SUFFIX}`, FOLDER), 'utf8'))
    yield { workflowId: idOf(name), history }
  }
}
