import { beforeAll, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import {
  ARCHIVED,
  createIngressApi,
  deployment,
  HOOK,
  OTHER,
  order,
  post,
  publish,
  runsOf,
  SECRETS,
  TOPIC,
} from '#test/support/ingress.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { SECRET as TOKEN_SECRET } from '#test/support/users.ts'

const IN_OTHER = { path: `/workspaces/${OTHER}${HOOK}` }
const BY_HEADER = { headers: { 'x-svc-workspace': OTHER } }
const secret = SECRETS.github_other

const database = testDatabase()
const api = fileFixture(() => createIngressApi(database, { secret: TOKEN_SECRET }))
beforeAll(async () => {
  await addWorkspace(database, OTHER, 'other')
  await addWorkspace(database, ARCHIVED, 'archived')
  await database.db`update workspaces set status = 'archived', archived_at = now() where id = ${ARCHIVED}`
})

it('one pack serves several workspaces, each by a secret of its own', async () => {
  expect((await post(api, deployment({ service: 'at-home' }))).status).toBe(202)
  expect((await post(api, deployment({ service: 'by-path' }), { ...IN_OTHER, secret })).status).toBe(202)
  expect((await post(api, deployment({ service: 'by-header' }), { ...BY_HEADER, secret })).status).toBe(202)
  const placeOf = async (service: string) => (await runsOf(database, service)).map((run) => run.workspace_id)
  expect(await placeOf('at-home')).toEqual([DEFAULT_WORKSPACE_ID])
  expect(await placeOf('by-path')).toEqual([OTHER])
  expect(await placeOf('by-header')).toEqual([OTHER])
})

it('a captured delivery opens no other workspace, whether it is addressed by path or by header', async () => {
  const captured = deployment({ service: 'captured' })
  expect((await post(api, captured)).status).toBe(202)
  for (const address of [IN_OTHER, BY_HEADER]) expect((await post(api, captured, address)).status).toBe(401)
  const theirs = deployment({ service: 'theirs' })
  expect((await post(api, theirs, { ...IN_OTHER, secret })).status).toBe(202)
  expect((await post(api, theirs, { secret })).status).toBe(401)
  expect(await runsOf(database, 'captured')).toHaveLength(1)
  expect(await runsOf(database, 'theirs')).toHaveLength(1)
})

it('a topic of SNS belongs to one workspace', async () => {
  const alarm = { Type: 'Notification', Message: '{"AlarmName":"queue"}', TopicArn: `${TOPIC}-of-others` }
  expect((await publish(api, alarm, BY_HEADER)).status).toBe(202)
  expect((await publish(api, alarm)).status).toBe(401)
  expect((await publish(api, { ...alarm, TopicArn: TOPIC }, BY_HEADER)).status).toBe(401)
})

it('a path and a header that disagree are refused', async () => {
  const headers = { 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  const answer = await post(api, deployment({ service: 'x' }), { ...IN_OTHER, headers, secret })
  expect(answer.body.code).toBe('workspace_conflict')
})

it('a workspace without a secret of its own, one that is unknown and what is no id have no ingress: 404', async () => {
  const unknown = 'ws_zzzzzzzzzzzzzzzzzzzzzzzzzz'
  const answers = [
    await order(api, '{}', SECRETS.new, { headers: { 'x-svc-workspace': OTHER } }),
    await post(api, '{}', { path: `/workspaces/${unknown}${HOOK}` }),
    await post(api, '{}', { headers: { 'x-svc-workspace': '../../../etc/hostname' } }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  expect(new Set(answers.map(({ body }) => body.detail)).size).toBe(1)
  expect(api.lines).toContainEqual(
    expect.objectContaining({ fields: expect.objectContaining({ cause: expect.stringContaining('env:NEW__WS_') }) }),
  )
})

it('an archived workspace takes nothing', async () => {
  const path = `/workspaces/${ARCHIVED}${HOOK}`
  expect((await post(api, deployment({ service: 'x' }), { path, secret: SECRETS.archived })).body.code).toBe(
    'workspace_archived',
  )
})
