import type { ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDb } from '#store/db.ts'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { killHard } from '#test/support/crash-service.ts'
import { type CrashStack, crashPorts, startCrashStack } from '#test/support/crash-stack.ts'
import { type EffectTarget, startEffectTarget } from '#test/support/effect-target.ts'
import { createTestHome } from '#test/support/embedded.ts'
import { expectGoesOn, PLACES, standAtPlaces } from '#test/support/pipeline-places.ts'
import { PIPELINE_PACK, type PipelineService, startPipelineService } from '#test/support/pipeline-service.ts'
import { publish } from '#test/support/publish.ts'

let target: EffectTarget

beforeAll(async () => {
  target = await startEffectTarget()
})
afterAll(() => target.stop())

describe('the worker and the API are killed while pipelines wait and act', () => {
  let world: PipelineService
  let api: ChildProcess
  let worker: ChildProcess

  beforeAll(async () => {
    world = await startPipelineService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: { SVC_BUS: 'postgres', SVC_LANE_BACKGROUND: '10' },
      pipelines: PLACES,
      workers: 0,
      api: false,
    })
    api = await world.startApi()
    worker = await world.startWorker()
  })
  afterAll(() => world.stop())

  test('each ends as its definition says, with each effect once', async () => {
    const { ids, letGo } = await standAtPlaces(world, target)
    await Promise.all([killHard(worker), killHard(api)])
    // what comes meanwhile is found when somebody is there again
    await publish(world.database.db, 'places.told', ['now'])
    letGo()
    worker = await world.startWorker()
    api = await world.startApi()
    // once more in the middle of it
    await killHard(worker)
    worker = await world.startWorker()
    await expectGoesOn(world, target, ids)
    const runs = await world.database.db<{ id: string }[]>`select id from runs where pipeline_id is not null`
    for (const { id } of runs) await proveRunRecord(world.database.db, id)
    await proveAudit(world.database.db, world.home)
  })

  test('a step whose wait is on record receives an event that was published before anybody looked', async () => {
    const begun = await world.begin('event', { url: `${target.url}/again` })
    await world.step(begun, 'heard', 'waiting_event')
    await killHard(worker)
    // as when it died between the record of the wait and the first look at the log
    await world.database
      .db`update pipeline_steps set after_id = null where pipeline_id = ${begun} and step_id = 'heard'`
    await publish(world.database.db, 'places.told', ['again'])
    worker = await world.startWorker()
    expect((await world.ends(begun, 60_000)).status).toBe('succeeded')
  })
})

describe('Temporal is killed, and then everything at once', () => {
  let home: Awaited<ReturnType<typeof createTestHome>>
  let content: string
  let ports: Record<string, string>
  let stack: CrashStack

  beforeAll(async () => {
    content = await mkdtemp(join(tmpdir(), 'svc-pipelines-'))
    const bundle = `apiVersion: svc/v1\npipelines:\n${PLACES.replaceAll(/^(?=.)/gm, '  ')}`
    for (const [path, text] of Object.entries({ ...PIPELINE_PACK, 'bundles/desk/pipeline.yaml': bundle })) {
      await mkdir(dirname(join(content, path)), { recursive: true })
      await writeFile(join(content, path), text)
    }
    home = await createTestHome()
    const env = { SVC_PACKS_DIR: content, SVC_PIPELINES_DIR: join(content, 'bundles'), SVC_BUS: 'postgres' }
    ports = { ...(await crashPorts()), ...env, SVC_LANE_BACKGROUND: '10' }
    stack = await startCrashStack(home.home, ports)
  })
  afterAll(async () => {
    await stack.stop()
    await home.remove()
    await rm(content, { recursive: true })
  })

  async function tell(): Promise<void> {
    const db = createDb(await stack.databaseUrl(), { max: 1 })
    await publish(db, 'places.told', ['now'])
    await db.end()
  }

  test.each([
    ['Temporal', () => stack.killTemporal()],
    [
      'everything',
      async () => {
        await stack.killEverything()
        stack = await startCrashStack(home.home, ports)
      },
    ],
  ])(
    '%s: each ends as its definition says, with each effect once',
    async (_what, kill) => {
      target.calls.length = 0
      const { ids, letGo } = await standAtPlaces(stack, target)
      await kill()
      letGo()
      await stack.healthy()
      await tell()
      await expectGoesOn(stack, target, ids)
    },
    240_000,
  )
})
