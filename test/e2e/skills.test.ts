import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { temporaryFolder } from '#test/unit/platform/packs/pack-folder.ts'

const template = (id: string, step: string) => `apiVersion: svc/v1
id: ${id}
title: A template of the test
risk: low
inputs: { type: object, properties: { run_id: { type: string }, why: { type: string } } }
steps:
  - ${step}
`

const PACK = {
  'watch/pack.yaml': 'apiVersion: svc/v1\nname: watch\nversion: 1.0.0\ntitle: Watch\n',
  'watch/templates/fail.yaml': template('fail', '{ id: stop, operator: core.fail, with: { message: on purpose } }'),
  'watch/templates/note.yaml': template(
    'note',
    '{ id: report, operator: report.render, with: { title: Noted, body: "{{ inputs.why }}" } }',
  ),
  'watch/templates/echo.yaml': template('echo', '{ id: stop, operator: core.fail, with: { message: again } }'),
  'shop/pack.yaml': 'apiVersion: svc/v1\nname: shop\nversion: 1.0.0\ntitle: Shop\ncapabilities: [bus.publish]\n',
  'shop/templates/sell.yaml': template(
    'sell',
    `{ id: say, operator: bus.publish, with: { event: order.created, data: { why: "\${{ inputs.why }}" } } }`,
  ),
  'watch/skills/note-orders/SKILL.md': `---
name: note-orders
description: Notes every order of the shop.
on: [pack.shop.order.created]
run: watch/note
inputs: { run_id: "\${{ event.subject }}", why: "\${{ event.data.why }}" }
---
`,
  'watch/skills/note-failures/SKILL.md': `---
name: note-failures
description: Notes every failed run.
on: [run.failed]
run: watch/note
inputs: { run_id: "\${{ event.data.run_id }}", why: "\${{ event.data.detail.message }}" }
---
`,
}

const ECHO = `---
name: echo
description: Answers failed runs with runs that fail.
on: [run.failed]
run: watch/echo
---
`

let service: TestService
let worker: ChildProcess
const packs = temporaryFolder()

beforeAll(async () => {
  packs.write(PACK)
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_BUS: 'postgres', SVC_PACKS_DIR: packs.root },
    workers: 0,
  })
  worker = await service.startWorker()
})
afterAll(async () => {
  await service.stop()
  packs.remove()
})

async function failed(): Promise<string> {
  const { body, status } = await service.call<RunBody>('POST', '/packs/watch/fail/run', { inputs: {} })
  expect(status).toBe(202)
  expect(await ended(service, body.id)).toMatchObject({ status: 'failed' })
  return body.id
}

interface SkillRun {
  id: string
  status: string
  inputs: JsonObject
  provenance: JsonObject
}

const runsOf = (skill: string) => service.database.db<SkillRun[]>`
  select id, status, inputs, provenance from runs where provenance #>> '{trigger,skill}' = ${skill} order by id`
const about = (runs: SkillRun[], runId: string) => runs.filter(({ inputs }) => inputs['run_id'] === runId)

async function until<Result>(read: () => Promise<Result>, done: (result: Result) => boolean): Promise<Result> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    const result = await read()
    if (done(result)) return result
    if (Date.now() > deadline) throw new Error(`it did not get there: ${JSON.stringify(result)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const notedFor = async (runId: string) => {
  const runs = await until(
    () => runsOf('watch/note-failures'),
    (found) => about(found, runId).length > 0,
  )
  return about(runs, runId)
}
const firings = (outcome: string) =>
  service.database.db<{ skill: string }[]>`select skill from skill_firings where outcome = ${outcome} order by skill`

describe('a skill on failed runs', () => {
  test('starts one run for each, which says what led to it and does its work', async () => {
    const runId = await failed()
    const [note] = await notedFor(runId)
    expect(note).toMatchObject({
      inputs: { run_id: runId, why: 'on purpose' },
      provenance: {
        trigger: { type: 'bus', topic: 'run.failed', skill: 'watch/note-failures', parent_run_id: runId },
        actor: { type: 'system', id: 'skill:watch/note-failures' },
        human_root: { user_id: 'usr_local' },
      },
    })
    expect(await ended(service, note?.id ?? '')).toMatchObject({ status: 'succeeded', lane: 'background' })
  })

  test('starts no second one after a worker died and the log is read again from its beginning', async () => {
    const first = await failed()
    await notedFor(first)
    const gone = once(worker, 'exit')
    worker.kill('SIGKILL')
    await gone
    await service.database.db`update bus_cursors set last_id = 0 where subscriber = 'skill/watch/note-failures'`
    worker = await service.startWorker()
    // it was down meanwhile: what it missed is delivered in order, after everything that is delivered again
    const second = await failed()
    expect(await notedFor(second)).toHaveLength(1)
    expect(about(await runsOf('watch/note-failures'), first)).toHaveLength(1)
  })

  test('starts nothing while it is broken, and makes up for it when it is mended', async () => {
    const home = join(service.home, 'skills', 'note-failures')
    const readLog = () => readFile(join(service.home, 'workers-main.ts.log'), 'utf8')
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'SKILL.md'), '---\nname: note-failures\ndescription: Broken.\non: [run.failed]\n---\n')
    const fault = 'skills/note-failures/SKILL.md:4:1: on needs run: pack/template'
    await service.until<JsonObject>('/healthz?verbose', (health) => JSON.stringify(health).includes(fault))
    await until(readLog, (log) => log.includes(fault))
    const missed = await failed()
    expect(about(await runsOf('watch/note-failures'), missed)).toEqual([])
    await rm(home, { recursive: true })
    expect(await notedFor(missed)).toHaveLength(1)
  })
})

test('a skill of another pack receives what a template publishes, and a dry run publishes nothing', async () => {
  const sell = async (why: string, dry_run: boolean) => {
    const { body, status } = await service.call<RunBody>('POST', '/packs/shop/sell/run', { inputs: { why }, dry_run })
    expect(status).toBe(202)
    expect(await ended(service, body.id)).toMatchObject({ status: 'succeeded' })
    return body.id
  }
  await sell('only tried', true)
  const sold = await sell('sold', false)
  const runs = await until(
    () => runsOf('watch/note-orders'),
    (found) => found.length > 0,
  )
  expect(runs).toMatchObject([
    {
      inputs: { run_id: sold, why: 'sold' },
      provenance: { trigger: { type: 'bus', topic: 'pack.shop.order.created', parent_run_id: sold } },
    },
  ])
  const published = await service.database.db`select run_id from run_events where type = 'step.published'`
  expect(published).toEqual([{ run_id: sold }])
})

test('a skill that its own runs trigger comes to an end after three, on record', async () => {
  const home = join(service.home, 'skills', 'echo')
  await mkdir(home, { recursive: true })
  const before = (await runsOf('overlay/echo')).length
  await writeFile(join(home, 'SKILL.md'), ECHO)
  // a subscription that is new begins now: until it is there, nothing is received
  await until(
    () => service.database.db`select 1 from bus_cursors where subscriber = 'skill/overlay/echo'`,
    (rows) => rows.length === 1,
  )
  await failed()
  await until(
    () => firings('suppressed'),
    (rows) => rows.length > 0,
  )
  expect((await runsOf('overlay/echo')).length - before).toBe(3)
  const [run] = await service.database.db<{ provenance: JsonObject }[]>`
    select provenance from runs where provenance #>> '{trigger,skill}' = 'overlay/echo' order by created_at desc limit 1`
  expect(run?.provenance).toMatchObject({ trigger: { chain: ['overlay/echo', 'overlay/echo', 'overlay/echo'] } })
})
