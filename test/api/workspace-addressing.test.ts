import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { routes } from '#api/registry.ts'
import { createIds } from '#platform/ids.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { addChunks } from '../support/ask-documents.ts'
import { authorIn } from '../support/authoring.ts'
import { insertEndedJob } from '../support/begin-remote-job.ts'
import { endedPipeline } from '../support/pipeline-place.ts'
import { admitTestRun, finishTestRun, parkTestRun, runDraft } from '../support/test-runs.ts'
import { addressOf, codeOf, openWorkspaceWorld } from '../support/workspace-world.ts'

const STRANGER = 'run_zzzzzzzzzzzzzzzzzzzzzzzzzz'

const world = fileFixture(openWorkspaceWorld)
beforeEach(() => world.as({}))

describe('addressing', () => {
  // figures differ from one moment to the next, and there is no inbox and no model here: the access matrix and the tests of models ask for them
  const elsewhere = ['/metrics', '/triggers/inbox', '/v1/models']
  const reads = routes.filter(
    (route) =>
      route.method === 'get' &&
      !['public', 'signature'].includes(route.auth) &&
      route.scope === 'workspace' &&
      !elsewhere.includes(route.path),
  )
  let run: string
  let home: string
  let other: string
  let parked: string
  let pipeline: string
  const ids = createIds()
  const schedule = ids.next('schedule')
  let corpus: string
  let job: string
  const presets = { config: ids.next('preset'), input: ids.next('preset') }

  beforeAll(async () => {
    ;[home, other] = [(await world.make()).id, (await world.make()).id]
    const report = {
      id: 'art_1',
      name: 'report.md',
      media_type: 'text/markdown',
      size_bytes: 1,
      digest: `sha256:${'e'.repeat(64)}`,
      body_base64: 'eA==',
    }
    run = await admitTestRun(world.api, { workspace_id: home })
    await finishTestRun(world.api, run, {
      step_id: 'act',
      ordinal: 1,
      attempt: 1,
      state: 'succeeded',
      artifacts: [report],
    })
    job = await insertEndedJob(world.api.db, run, home)
    pipeline = await endedPipeline(world.api, { 'x-svc-workspace': home })
    await authorIn(world.api.db, home, presets)
    parked = await admitTestRun(world.api, { workspace_id: home })
    await parkTestRun(world.api, parked)
    corpus = await addChunks(world.api, home, {
      ...{ name: 'runbooks', path: 'database.md' },
      chunks: [{ heading: 'Pool', text: 'Drain the pool first.\n' }],
    })
    await world.api.db`
      insert into schedules (id, workspace_id, name, source, cron, timezone, pack, template, dst, enabled)
      values (${schedule}, ${home}, 'hourly', 'console', '@hourly', 'UTC', 'sre', 'any', '{"gap":"run_at_end","fold":"first"}', false)`
  })

  const idOf = ({ path }: (typeof routes)[number]) => {
    if (path.includes('/config-presets/')) return presets.config
    if (path.includes('/input-presets/')) return presets.input
    if (path.includes('/knowledge/')) return corpus
    if (path.includes('/remote-jobs/')) return job
    if (path.startsWith('/pipelines/')) return pipeline
    return path.includes('pending') ? parked : path.includes('/scheduled/') ? schedule : run
  }
  const pathOf = (route: (typeof routes)[number]) => addressOf(route, idOf(route))

  it.each(reads)('GET $path answers alike by home, header and prefix, and to nobody else', async (route) => {
    const path = pathOf(route)
    world.as({ workspaces: [home] })
    const plain = await world.api.get(path)
    const byHeader = await world.api.get(path, { 'x-svc-workspace': home })
    const byPath = await world.api.get(`/workspaces/${home}${path}`)
    const byBoth = await world.api.get(`/workspaces/${home}${path}`, { 'x-svc-workspace': home })
    expect(plain.status).toBe(200)
    const texts = await Promise.all([plain, byHeader, byPath, byBoth].map((answer) => answer.text()))
    expect(new Set(texts.map(withoutMoment)).size).toBe(1)

    const unknown = 'ws_zzzzzzzzzzzzzzzzzzzzzzzzzz'
    for (const foreign of [other, unknown, 'nonsense']) {
      expect((await world.api.get(`/workspaces/${foreign}${path}`)).status).toBe(404)
      expect((await world.api.get(path, { 'x-svc-workspace': foreign })).status).toBe(404)
      const both = await world.api.get(`/workspaces/${foreign}${path}`, { 'x-svc-workspace': home })
      expect(await codeOf(both)).toEqual([400, 'workspace_conflict'])
    }
  })

  it.each(reads.filter((route) => route.path.includes('{id}')))(
    'GET $path through another workspace is like a run that is not there, also for who may enter both',
    async (route) => {
      const path = pathOf(route)
      const absent = addressOf(route, STRANGER)
      const answers = [
        await world.api.get(`/workspaces/${other}${path}`, { 'x-request-id': 'same-request' }),
        await world.api.get(`/workspaces/${other}${absent}`, { 'x-request-id': 'same-request' }),
      ]
      // a conversation that is nobody's is an empty one (spec 1, ask behaviour 3)
      const absence = route.path === '/ask/thread/{id}' ? 200 : 404
      expect(answers.map((answer) => answer.status)).toEqual([absence, absence])
      const [foreign, unknown] = await Promise.all(answers.map((answer) => answer.text()))
      expect(foreign?.replaceAll(idOf(route), STRANGER)).toBe(unknown)
      expect([...(answers[0]?.headers ?? [])]).toEqual([...(answers[1]?.headers ?? [])])
    },
  )

  it('takes one prefix: what is left names no second workspace', async () => {
    expect((await world.api.get(`/workspaces/${home}/workspaces`)).status).toBe(200)
    expect((await world.api.get(`/workspaces/${home}/workspaces/${other}/runs`)).status).toBe(404)
    expect((await world.send('PATCH', `/workspaces/${home}/workspaces/${other}`, { name: 'Reached' })).status).toBe(200)
    world.as({ workspaces: [home] })
    expect((await world.send('PATCH', `/workspaces/${home}/workspaces/${other}`, { name: 'Not reached' })).status).toBe(
      404,
    )
    expect((await world.api.get(`/workspaces/${home}`)).status).toBe(405)
  })

  it('a caller who may enter several has the first as home, and one who may enter none has nothing', async () => {
    world.as({ workspaces: [other, home] })
    expect((await world.api.get(`/runs/${run}`)).status).toBe(404)
    expect((await world.api.get(`/runs/${run}`, { 'x-svc-workspace': home })).status).toBe(200)
    world.as({ workspaces: [] })
    expect((await world.api.get('/runs')).status).toBe(404)
  })

  it('a run that is admitted through a prefix belongs to that workspace', async () => {
    const draft = runDraft({ workspace_id: other })
    await world.api.runs.admit([draft])
    expect((await world.api.get(`/workspaces/${other}/runs/${draft.id}`)).status).toBe(200)
    expect((await world.api.get(`/runs/${draft.id}`)).status).toBe(404)
  })
})

/** Sums say when they were made, and that their window ends then; evidence says when it was saved, which its digest covers. */
function withoutMoment(text: string): string {
  return text
    .replace(/"window":\{[^}]*\},"generated_at":"[^"]*"/, '')
    .replace(/"exported_at":"[^"]*"(.*)"digest":"[^"]*"\}$/s, '$1')
}
