import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { GOVERNING_NAMES } from '#core/preset/governing-names.ts'
import { WorkflowConfig } from '#core/preset/schema.ts'
import { Run } from '#core/run/schema.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openPresetWorld, PRESETS_SCHEMA, refusedValues } from '#test/support/preset-world.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'

itIsGuarded('putWorkflowConfig')
itRefuses('putWorkflowConfig', sharedWorld, [
  [
    409,
    'conflict',
    async (world, route) => {
      await (await likeItsExample({})(world, route))()
      return overtakenIn('presets')(world, route)
    },
  ],
])

const PATH = '/console/api/workflows/incident/service-recovery/config'
const OTHER = 'ws_0000000000000000000000000b'

const world = fileFixture(openPresetWorld)
beforeAll(() => addWorkspace(world.database, OTHER, 'other'))
beforeEach(() => world.database.db`delete from presets`)

const put = (values: unknown, headers: Record<string, string> = {}) => world.send('PUT', PATH, { values }, headers)

describe('PUT /console/api/workflows/{pack}/{tpl}/config', () => {
  it('fills in what a start does not name, in its workspace alone, with its digest on record', async () => {
    const config = WorkflowConfig.parse(await (await put({ inputs: { url: 'http://a', action: 'rollback' } })).json())
    expect(config).toMatchObject({ version: 1, author: 'usr_local' })
    const started = await world.start({ inputs: { action: 'restart' } })
    const run = Run.parse(await started.json())
    expect(run).toMatchObject({ inputs: { url: 'http://a', action: 'restart' } })
    expect(run.provenance).toMatchObject({ config: { version: 1, digest: config.digest } })
    expect(run.config_preset).toBeUndefined()
    const [admitted] = await auditOf(world.api, run.id)
    expect(admitted).toMatchObject({ action: 'run.admitted', data: { config: { version: 1, digest: config.digest } } })
    expect((await world.start({ inputs: {} }, { 'x-svc-workspace': OTHER })).status).toBe(422)
  })

  it('refuses by type what governs a run, and secrets', async () => {
    for (const knob of GOVERNING_NAMES)
      expect(await refusedValues(await put({ inputs: {}, [knob]: [] }))).toEqual([
        ...[403, 'governance_knob'],
        [`/values/${knob}`],
      ])
    const secret = { inputs: { login: { user: 'ann', password: 'hunter2' } } }
    expect(await refusedValues(await put(secret))).toEqual([403, 'governance_knob', ['/values/inputs/login']])
    expect((await put({ inputs: { login: { user: 'ann' } } })).status).toBe(403)
    expect(await world.database.db`select from presets`).toHaveLength(0)
  })

  it('refuses what the template does not take, and more than it keeps', async () => {
    for (const [values, pointer] of [
      [{ inputs: { action: 'explode' } }, '/values/inputs/action'],
      [{ inputs: { surplus: 1 } }, '/values/inputs/surplus'],
      [{ input: {} }, '/values/input'],
      [{ inputs: [] }, '/values/inputs'],
    ] as const)
      expect(await refusedValues(await put(values))).toEqual([422, 'validation_failed', [pointer]])
    expect(await codeOf(await put({ inputs: { url: 'x'.repeat(66_000) } }))).toEqual([413, 'payload_too_large'])
    expect(await codeOf(await put({ inputs: { url: 'x'.repeat(140_000) } }))).toEqual([413, 'payload_too_large'])
  })

  it('refuses numbers that no store holds, or only at great length', async () => {
    world.takes({ type: 'object', properties: { many: { type: 'array' }, any: {} } })
    const raw = (inputs: string) =>
      world.api.app.request(PATH, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: `{"values":{"inputs":${inputs}}}`,
      })
    const many = (number: string) => `{"many":[${Array(2_000).fill(number).join(',')}]}`
    for (const number of ['1e308', '-1e308', '1e-300'])
      expect(await codeOf(await raw(many(number)))).toEqual([413, 'payload_too_large'])
    expect(await codeOf(await raw('{"any":1e400}'))).toEqual([422, 'validation_failed'])
    expect((await raw(many('1e6'))).status).toBe(200)
    world.takes(PRESETS_SCHEMA)
  })

  it('changes only what was read, and keeps both digests on record', async () => {
    const first = (await world.send('GET', PATH)).headers.get('etag') ?? ''
    const made = await put({ inputs: { url: 'a' } }, { 'if-match': first })
    const { etag } = WorkflowConfig.parse(await made.json())
    expect(made.headers.get('etag')).toBe(etag)
    expect(await codeOf(await put({ inputs: { url: 'b' } }, { 'if-match': first }))).toEqual([412, 'version_conflict'])
    const changed = await put({ inputs: { url: 'b' } }, { 'if-match': etag })
    expect(WorkflowConfig.parse(await changed.json())).toMatchObject({ version: 2, values: { inputs: { url: 'b' } } })
    const [row] = await world.database.db<{ id: string }[]>`select id from presets`
    const records = await auditOf(world.api, row?.id ?? '')
    expect(records).toMatchObject([
      { action: 'workflow_config.updated', actor: { id: 'usr_local' }, data: { before: null, inputs: ['url'] } },
      { action: 'workflow_config.updated', data: { template: 'incident/service-recovery' } },
    ])
    expect(records[1]?.data['before']).toBe(records[0]?.data['after'])
  })

  it('of two at once one is told that it was overtaken', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((url) => put({ inputs: { url } }, { 'if-match': '"0"' })))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => [200, 409, 412].includes(status))).toBe(true)
  })
})
