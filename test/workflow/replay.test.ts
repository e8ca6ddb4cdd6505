import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { DefaultLogger, makeTelemetryFilterString, type ReplayWorkerOptions, Runtime, Worker } from '@temporalio/worker'
import { beforeAll, describe, expect, test } from 'vitest'
import { prepareWorkflowBundle } from '#workers/workflow-bundle.ts'
import { ACTION_SCENARIOS } from './action-scenarios.ts'
import { SCENARIOS } from './scenarios.ts'

const FOLDER = new URL('./histories/', import.meta.url)
const SUFFIX = '.generated.json'
const NAMES = [...SCENARIOS, ...ACTION_SCENARIOS].map(({ name }) => name)

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
    expect(outcomes).toEqual(NAMES.map((name) => ({ name, error: undefined })))
  })

  test('do not replay with a workflow that acts in another order', async () => {
    const drifted = fileURLToPath(new URL('./drifted-workflows.ts', import.meta.url))
    const outcomes = await replay({ workflowsPath: drifted })
    expect(outcomes.map(({ error }) => error)).toEqual(NAMES.map(() => 'DeterminismViolationError'))
  })
})

async function recorded(): Promise<string[]> {
  return (await readdir(FOLDER)).map((file) => file.slice(0, -SUFFIX.length)).sort()
}

async function replay(options: ReplayWorkerOptions): Promise<{ name: string; error: string | undefined }[]> {
  const outcomes: { name: string; error: string | undefined }[] = []
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories()))
    outcomes.push({ name: workflowId, error: error?.name })
  return outcomes
}

async function* histories() {
  for (const name of NAMES) {
    const history: unknown = JSON.parse(await readFile(new URL(`${name}${SUFFIX}`, FOLDER), 'utf8'))
    yield { workflowId: name, history }
  }
}
