import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { ChannelTest } from '#core/notify/channel-schema.ts'
import { ChannelsFile } from '#platform/notify/channel-kinds.ts'
import { createTestApi, NO_CHANNELS, type TestApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'
import { startWebhookSink } from '#test/support/webhook-sink.ts'

itIsGuarded('testChannel')

const HOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

describe('POST /console/api/channels/{name}/test', () => {
  let sink: Awaited<ReturnType<typeof startWebhookSink>>
  let api: TestApi
  const test = async (name: string, roles: string[], workspaces = ['*']) =>
    api.app.request(`/console/api/channels/${name}/test`, {
      method: 'POST',
      headers: await bearer(api.deps, await addUser(api.deps, { roles, workspaces })),
    })

  const database = testDatabase()
  beforeAll(async () => {
    sink = await startWebhookSink(HOOK_SECRET)
    const channels = ChannelsFile.parse([
      { name: 'hook', kind: 'webhook', url: sink.url, secret: 'env:HOOK_SECRET' },
      { name: 'closed', kind: 'webhook', url: sink.url, secret: 'env:NOT_SET' },
    ])
    api = await createTestApi(database, {
      secret: SECRET,
      env: { HOOK_SECRET },
      channels: { ...NO_CHANNELS, list: () => channels, get: (name) => channels.find((each) => each.name === name) },
    })
  })
  afterAll(async () => {
    await api?.close()
    await sink?.close()
  })

  it('sends one signed message that says that it is a test, and puts that on record', async () => {
    const answer = await test('hook', ['admin'])
    expect(ChannelTest.parse(await answer.json()).sent).toEqual([
      { ok: true, detail: expect.stringMatching(/^127\.0\.0\.1.* took a test message$/) },
    ])
    expect(sink.received).toHaveLength(1)
    expect(sink.received[0]).toMatchObject({ verified: true, event: { type: 'svc.test' } })
    const records = await database.db<{ draft: object }[]>`
      select draft from audit_outbox where draft ->> 'action' = 'channel.tested'`
    expect(records).toEqual([
      {
        draft: expect.objectContaining({
          category: 'admin',
          subject: { type: 'channel', id: 'hook' },
          data: { kind: 'webhook', recipients: 1 },
        }),
      },
    ])
  })

  it('says what a recipient answered that took nothing, and what keeps a channel closed', async () => {
    sink.answer({ status: 410 })
    const refused = ChannelTest.parse(await (await test('hook', ['owner'])).json())
    expect(refused.sent).toEqual([{ ok: false, detail: expect.stringContaining('410') }])
    const before = sink.received.length
    const closed = ChannelTest.parse(await (await test('closed', ['owner'])).json())
    expect(closed.sent).toEqual([{ ok: false, detail: expect.stringContaining('env:NOT_SET') }])
    expect(sink.received).toHaveLength(before)
  })

  it('takes an admin of all workspaces, and sends nothing for anybody else', async () => {
    const before = sink.received.length
    expect(await codeOf(await test('hook', ['admin'], [DEFAULT_WORKSPACE_ID]))).toEqual([403, 'forbidden'])
    expect(await codeOf(await test('nobody-has-it', ['admin']))).toEqual([404, 'not_found'])
    expect(sink.received).toHaveLength(before)
  })
})
