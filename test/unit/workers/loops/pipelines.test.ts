import { afterEach, beforeEach, expect, test } from 'vitest'
import { poll } from '#platform/embedded/processes.ts'
import type { PipelineWake } from '#store/pipelines/pipeline-wakes.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createGatheredUpdates, type GatheredUpdates } from '#workers/loops/gathered-updates.ts'
import { createPipelineLoop } from '#workers/loops/pipelines.ts'

const WORKSPACE = 'ws_1'

/** What has happened, in order. */
let log: string[]
let rows: { id: string; pipeline_id: string }[]
let queued: Set<string>
let evaluate: (id: string) => Promise<boolean>
let waking: (id: string) => boolean
let onUpdate: () => void
let gathered: GatheredUpdates
let loop: ReturnType<typeof createPipelineLoop>
let isLeading: boolean
/** how often it was asked who leads while another one did */
let asked: number

beforeEach(() => {
  log = []
  rows = []
  isLeading = true
  asked = 0
  queued = new Set()
  evaluate = async () => false
  waking = () => true
  gathered = createGatheredUpdates(() => performance.now())
  loop = createPipelineLoop({
    pipelines: {
      wakes: async (_limit, except) => wakesOf(rows.filter(({ pipeline_id }) => !except.includes(pipeline_id))),
      forgetWakes: async (ids) => {
        rows = rows.filter(({ id }) => !ids.includes(id))
        log.push(`forgot ${ids.join()}`)
      },
      unstarted: async () => [],
      findStarts: async (ids) =>
        ids.map((id) => ({ pipeline_id: id, workspace_id: WORKSPACE, name: id, environment: 'x' })),
      waitingForEvents: async () => [],
      overdue: async () => [],
    },
    bus: { head: async () => ({ last_id: 0, topics: 0, redrive: false }), topicsBetween: async () => [] },
    workflows: {
      begin: async ({ pipeline_id }) => void log.push(`begin ${pipeline_id}`),
      restart: async () => undefined,
      async wake(id) {
        log.push(`wake ${id}`)
        return waking(id)
      },
    },
    async evaluate({ pipeline_id }) {
      log.push(`look ${pipeline_id}`)
      return await evaluate(pipeline_id)
    },
    gathered,
    async listen(onUpdates) {
      onUpdate = onUpdates
      return async () => undefined
    },
    leading() {
      asked += isLeading ? 0 : 1
      return isLeading
    },
    evaluation_ms: 200,
    log: { info: () => undefined, warn: () => undefined },
  })
})
afterEach(() => loop.stop())

function wakesOf(of: typeof rows): PipelineWake[] {
  const ids = [...new Set(of.map(({ pipeline_id }) => pipeline_id))]
  return ids.map((pipeline_id) => ({
    ...{ pipeline_id, workspace_id: WORKSPACE, begun: !queued.has(pipeline_id) },
    ids: of.filter((row) => row.pipeline_id === pipeline_id).map(({ id }) => id),
  }))
}

const happened = (what: string) => poll(() => log.includes(what), PATIENCE.timeout)

/** Starts the loop and has it look at `pl_1`, so that its workflow is known to be up to date. */
async function startKnowing(): Promise<void> {
  const [given, look] = [rows, evaluate]
  rows = [{ id: '0', pipeline_id: 'pl_1' }]
  evaluate = async () => false
  await loop.start()
  await happened('forgot 0')
  rows = given
  evaluate = look
  log = []
  onUpdate()
}

test('updates are done only after a look; what came later is looked at again, and the workflow need not know', async () => {
  rows = [{ id: '1', pipeline_id: 'pl_1' }]
  evaluate = async () => {
    if (log.length === 1) rows.push({ id: '2', pipeline_id: 'pl_1' })
    expect(rows.map(({ id }) => id)).toContain('2')
    return false
  }
  await startKnowing()
  await happened('forgot 2')
  expect(log).toEqual(['look pl_1', 'forgot 1', 'look pl_1', 'forgot 2'])
})

test('a workflow is told what concerns it, and is started where there is none', async () => {
  rows = [{ id: '1', pipeline_id: 'pl_1' }]
  evaluate = async () => true
  waking = () => false
  await loop.start()
  await happened('forgot 1')
  expect(log).toEqual(['look pl_1', 'wake pl_1', 'begin pl_1', 'forgot 1'])
})

test('a workflow that could not be told is told after the next look, no matter what comes of that', async () => {
  rows = [{ id: '1', pipeline_id: 'pl_1' }]
  evaluate = async () => log.length === 1
  waking = () => {
    if (log.length === 2) throw new Error('away')
    return true
  }
  await loop.start()
  await happened('wake pl_1')
  onUpdate()
  await happened('forgot 1')
  expect(log).toEqual(['look pl_1', 'wake pl_1', 'look pl_1', 'wake pl_1', 'forgot 1'])
})

test('so is one of which this process knows nothing: the one who looked before may be gone', async () => {
  rows = [{ id: '1', pipeline_id: 'pl_1' }]
  await startKnowing()
  await happened('forgot 1')
  expect(log).toEqual(['look pl_1', 'forgot 1'])
  // another one leads for a while; that this process has looked for a workflow meanwhile says nothing of what the other one told
  isLeading = false
  onUpdate()
  await poll(() => asked > 0, PATIENCE.timeout)
  gathered.evaluated('pl_1', { count: 1, ends: false })
  isLeading = true
  rows = [{ id: '2', pipeline_id: 'pl_1' }]
  onUpdate()
  await happened('forgot 2')
  expect(log.slice(2)).toEqual(['look pl_1', 'wake pl_1', 'forgot 2'])
})

test('a look that hangs is left to the workflow, and neither holds up later updates nor the end of the process', async () => {
  rows = [{ id: '1', pipeline_id: 'pl_1' }]
  evaluate = () => new Promise(() => undefined)
  await loop.start()
  await happened('forgot 1')
  rows = [{ id: '2', pipeline_id: 'pl_1' }]
  onUpdate()
  await happened('forgot 2')
  expect(log).toEqual(['look pl_1', 'wake pl_1', 'forgot 1', 'look pl_1', 'wake pl_1', 'forgot 2'])
  await loop.stop()
})

test('after a look that failed the workflow looks', async () => {
  rows = [{ id: '1', pipeline_id: 'pl_1' }]
  evaluate = async () => {
    throw new Error('away')
  }
  await loop.start()
  await happened('forgot 1')
  expect(log).toEqual(['look pl_1', 'wake pl_1', 'forgot 1'])
})

test('updates stay pending as long as their workflow cannot be told', async () => {
  rows = [
    { id: '1', pipeline_id: 'pl_1' },
    { id: '2', pipeline_id: 'pl_2' },
  ]
  queued = new Set(['pl_1', 'pl_2'])
  waking = (id) => {
    if (id === 'pl_1' && log.filter((each) => each === 'wake pl_1').length === 1) throw new Error('away')
    return true
  }
  await loop.start()
  await happened('forgot 2')
  expect(rows.map(({ id }) => id)).toEqual(['1'])
  onUpdate()
  await happened('forgot 1')
  expect(log.filter((each) => each === 'wake pl_2')).toHaveLength(1)
})

test('one that its workflow has not looked at yet is left to it', async () => {
  rows = [{ id: '1', pipeline_id: 'pl_1' }]
  queued = new Set(['pl_1'])
  await loop.start()
  await happened('forgot 1')
  expect(log).toEqual(['wake pl_1', 'forgot 1'])
})

test('of many at once only a few are looked at here, and the workflows of the others are woken', async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `pl_${index}`)
  for (const id of ids) gathered.evaluated(id, { count: 1, ends: false })
  rows = ids.map((pipeline_id, index) => ({ id: String(index), pipeline_id }))
  let go = () => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  evaluate = async () => {
    await held
    return false
  }
  await loop.start()
  await happened('wake pl_9')
  const kinds = log.map((each) => each.split(' ')[0])
  go()
  await poll(() => rows.length === 0, PATIENCE.timeout)
  expect(kinds.filter((kind) => kind === 'look')).toHaveLength(4)
  expect(kinds.filter((kind) => kind === 'wake')).toHaveLength(6)
})

test('the last look is left to the workflow, which ends with it', async () => {
  gathered.evaluated('pl_1', { count: 1, ends: true })
  rows = [{ id: '1', pipeline_id: 'pl_1' }]
  await loop.start()
  await happened('forgot 1')
  expect(log).toEqual(['wake pl_1', 'forgot 1'])
})

test('updates of which nothing follows wait for others, and not for ever', async () => {
  await startKnowing()
  gathered.evaluated('pl_1', { count: 2, ends: false })
  rows = [{ id: '1', pipeline_id: 'pl_1' }]
  const began = performance.now()
  onUpdate()
  await happened('forgot 1')
  // nobody notifies again: it is the loop that remembers them
  expect(performance.now() - began).toBeGreaterThanOrEqual(200)
  rows = ['2', '3'].map((id) => ({ id, pipeline_id: 'pl_1' }))
  gathered.evaluated('pl_1', { count: 2, ends: false })
  onUpdate()
  await happened('forgot 2,3')
  expect(log).toEqual(['look pl_1', 'forgot 1', 'look pl_1', 'forgot 2,3'])
})
