import { beforeAll, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('updateConsolePolicy')
itRefuses('updateConsolePolicy', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_policies')],
])

const DENY = 'name: guard\nrules: [{ effect: deny }]\n'
const ASK = 'name: guard\nrules: [{ effect: require_hitl }]\n'
const reported: string[] = []

const database = testDatabase()
const api = testApi(database)
beforeAll(async () => {
  api.deps.authoring.policy_ports.changed = (workspace) => void reported.push(workspace)
})

const put = (text: string, headers: Record<string, string> = {}) =>
  sendYaml(api, ['PUT', '/ui/api/policies/guard'], text, headers)

it('replaces the text that was read, flags what loosens, and keeps both digests on record', async () => {
  const made = await sendYaml(api, ['POST', '/ui/api/policies'], DENY)
  const first = made.headers.get('etag') ?? ''
  const changed = await put(ASK, { 'if-match': first })
  expect([changed.status, await changed.json()]).toMatchObject([200, { document: ASK, loosens: true }])
  const late = await put(DENY, { 'if-match': first })
  expect(await late.json()).toMatchObject({ code: 'version_conflict', etag: changed.headers.get('etag') })
  const back = await put(DENY, { 'if-match': changed.headers.get('etag') ?? '' })
  expect(await back.json()).toMatchObject({ document: DENY, loosens: false })
  const records = await auditOf(api, `console/${DEFAULT_WORKSPACE_ID}/guard`)
  expect(records.map(({ action, data }) => [action, data['loosens']])).toEqual([
    ['policy.created', false],
    ['policy.updated', true],
    ['policy.updated', false],
  ])
  expect(records[1]?.data['before']).toBe(records[0]?.data['after'])
  expect(records[1]?.data['after']).toBe(records[2]?.data['before'])
  // the process that wrote it judges by it at once
  expect(reported).toEqual([DEFAULT_WORKSPACE_ID, DEFAULT_WORKSPACE_ID, DEFAULT_WORKSPACE_ID])
})

it('keeps its name, and is not replaced by what is broken', async () => {
  for (const text of [DENY.replace('guard', 'other'), DENY.replace('deny', 'denied'), ''])
    expect(await codeOf(await put(text))).toEqual([422, 'validation_failed'])
  expect(await (await api.get('/ui/api/policies/guard')).json()).toMatchObject({ document: DENY })
})

it('lets one of two writers win', async () => {
  const etag = (await api.get('/ui/api/policies/guard')).headers.get('etag') ?? ''
  const texts = Array.from({ length: 8 }, (_, index) => `${ASK}# ${index}\n`)
  const answers = await Promise.all(texts.map((text) => put(text, { 'if-match': etag })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => [409, 412].includes(status))).toHaveLength(7)
})
