import { beforeEach, describe, expect, test } from 'vitest'
import { createAnnounceConnection, createPlanConnection } from '#activities/notify/announce-connection.ts'
import type { NoticeDeps } from '#activities/notify/deps.ts'
import { addressOf } from '#core/connection/kind-schema.ts'
import type { Environment } from '#core/environment/environment.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { noticeMessage } from '#core/notify/message.ts'
import type { ConnectionNotice } from '#core/notify/types.ts'
import { email } from '#platform/notify/kinds/email.ts'
import type { ProviderFailure, ProviderTokens } from '#platform/oauth/oauth-client.ts'
import { createNoticeGates } from '#services/approvals/notice-gates.ts'
import { openConnection } from '#services/connections/open-connection.ts'
import type { TokenPorts } from '#services/connections/refresh-tokens.ts'
import { createConnectionStore } from '#store/connections/connections.ts'
import { createConnectionNotices } from '#store/notices/connection-notices.ts'
import { createEndViews } from '#store/notices/end-views.ts'
import { createNoticeDeliveries } from '#store/notices/notice-deliveries.ts'
import { createNoticeViews } from '#store/notices/notice-views.ts'
import {
  auditOfConnection,
  authorizedConnection,
  boxOf,
  CALLBACK,
  openPorts,
} from '#test/support/authorized-connection.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { haltNoticeDeps } from '#test/support/halt-notice-deps.ts'
import { CLIENT_SECRET, startOauthProvider } from '#test/support/oauth-provider.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { ids } from '#test/support/run-drafts.ts'

const [ANN = '', BOB = '', EVE = '', JOE = '', KIM = ''] = Array.from({ length: 5 }, () => ids.next('user'))

const database = testDatabase()
const provider = fileFixture(() => startOauthProvider({ redirect_uri: CALLBACK }))
const box = boxOf('the key of this test; 32 bytes and more')
const mail = email.open({
  ...{ name: 'mail', kind: 'email', smtp: 'smtp://mail.example.test', from: 'svc@example.test' },
  to: ['oncall@example.test'],
})
/** such as a conversation, in which nobody is addressed by their mail address */
const chat = { ...mail, name: 'chat', addresses: ['#ops'], reaches_people: false }

let channels: string[]
let sent: { to: string; notice: ConnectionNotice }[]
beforeEach(async () => {
  channels = ['chat', 'mail']
  sent = []
  await database.db`delete from connections`
  await database.db`update users set status = 'disabled'`
  await user(ANN, 'ann@example.test')
  await user(BOB, 'bob@example.test')
})

const user = (id: string, address: string, roles = ['owner'], workspaces = ['*']) => database.db`
  insert into users (id, account_id, email, roles, workspaces, status, password_hash)
  values (${id}, 'acc_local', ${address}, ${roles}, ${workspaces}, 'active', '$argon2id$none')
  on conflict (id) do update set status = 'active'`

function activities() {
  const { db } = database
  const named = { mail, chat } as Record<string, NoticeDeps['channels'] extends { get(n: string): infer C } ? C : never>
  const deps: NoticeDeps = {
    ...{ claims: createRecordDeps(db), gates: createNoticeGates(createNoticeViews(db), createRecordDeps(db)) },
    ...{ ends: createEndViews(db), settings: () => undefined, deliveries: createNoticeDeliveries(db) },
    ...haltNoticeDeps(db),
    environments: () => [
      { name: 'development', approval: { channels, escalate_to: [] }, connections: {} } as unknown as Environment,
    ],
    channels: { get: (name) => named[name] },
    send: async (_channel, { address: to, notice }) => {
      sent.push({ to, notice: notice as ConnectionNotice })
      return { ok: true }
    },
    ...{ issueLink: undefined, linksAllowed: () => true, open: false, public_url: 'http://svc.test' },
    ...{ clock: Date.now, log: { warn: () => undefined } },
  }
  return { plan: createPlanConnection(deps), announce: createAnnounceConnection(deps) }
}

/** As the loop and the workflow do; answers whom it told what. */
async function tellDue(): Promise<string[][]> {
  const before = sent.length
  const notices = createConnectionNotices(database.db)
  for (const due of await notices.takeDue(100)) {
    const planned = await activities().plan(due)
    await notices.markHanded(due)
    for (const { notice_id } of planned) await activities().announce({ ...due, notice_id })
  }
  return sent.slice(before).map(({ to, notice }) => [to, notice.kind])
}

const authorized = (changes: Partial<ProviderTokens> = {}, by = ANN) =>
  authorizedConnection({ db: database.db, box, provider }, { changes, by })

/** A refresh that comes to this. */
async function refreshes(id: string, answer: ProviderFailure | ProviderTokens): Promise<void> {
  await database.db`update connection_grants set refresh_at = now() where connection_id = ${id}`
  const oauth: TokenPorts['oauth'] = { refresh: async () => answer }
  const ports = { ...openPorts(database.db, box), oauth }
  await openConnection(ports, { stored: id, kind: 'http', id: 'api', workspaceId: DEFAULT_WORKSPACE_ID })
}
/** What ends `failed`: the provider is asked again. */
async function isGivenTheSecret(id: string): Promise<void> {
  const store = createConnectionStore(database.db)
  const before = await store.find(id)
  if (before === undefined) throw new Error('there is no such connection')
  const version = before.version + 1
  const secret = await box.seal({ id, version, address: addressOf(before) }, CLIENT_SECRET)
  const [audit, dropped] = [
    auditOfConnection('connection.updated', id),
    auditOfConnection('connection.authorization_dropped', id),
  ]
  await store.change(before, { ...before, version, secret, keeps_authorization: true }, { audit, dropped })
}
const REFUSED: ProviderFailure = {
  failure: 'invalid_grant',
  detail: 'the provider no longer accepts what was authorised',
}
const LOST: ProviderFailure = { failure: 'lost', detail: 'the answer of the provider was lost' }
const AWAY: ProviderFailure = { failure: 'unavailable', detail: 'the provider answers 503' }
const DAY_S = 86_400

describe('who authorised a connection', () => {
  test('is told once that its authorisation has failed, with what to do, and nothing that is secret', async () => {
    const { row, tokens } = await authorized()
    expect(await tellDue()).toEqual([])
    await refreshes(row.id, REFUSED)
    expect(await tellDue()).toEqual([['ann@example.test', 'svc.connection.failed']])
    expect(await tellDue()).toEqual([])
    const [{ notice } = { notice: undefined }] = sent
    if (notice === undefined) throw new Error('nobody was told')
    expect(notice).toMatchObject({
      connection: { id: row.id, name: row.name, detail: REFUSED.detail },
      links: { console: `http://svc.test/console/admin?part=connections&name=${row.name}` },
    })
    const text = JSON.stringify([notice, noticeMessage(notice)])
    expect(text).toContain(`svc connections authorize ${row.name}`)
    for (const secret of [tokens.access_token, tokens.refresh_token ?? '', CLIENT_SECRET])
      expect(text).not.toContain(secret)
  })

  test('is told when it is unknown, and then that it has failed; a provider that is away is no news', async () => {
    const { row } = await authorized()
    await refreshes(row.id, AWAY)
    expect(await tellDue()).toEqual([])
    await refreshes(row.id, LOST)
    expect(await tellDue()).toEqual([['ann@example.test', 'svc.connection.unknown']])
    await refreshes(row.id, AWAY)
    await refreshes(row.id, LOST)
    expect(await tellDue()).toEqual([])
    await refreshes(row.id, REFUSED)
    expect(await tellDue()).toEqual([['ann@example.test', 'svc.connection.failed']])
  })

  test('is not told what was over before, and is told again when it comes again', async () => {
    const { row, tokens } = await authorized()
    await refreshes(row.id, LOST)
    await refreshes(row.id, tokens)
    expect(await tellDue()).toEqual([])
    await refreshes(row.id, LOST)
    expect(await tellDue()).toEqual([['ann@example.test', 'svc.connection.unknown']])
  })

  test.each([
    ['failed', REFUSED],
    ['unknown', LOST],
  ])(
    'is told once an hour of an authorisation that is %s again and again, the later time of how it is then',
    async (kind, failure) => {
      const { row, tokens } = await authorized()
      const recovers = () => (kind === 'failed' ? isGivenTheSecret(row.id) : refreshes(row.id, tokens))
      const heard: string[][] = []
      for (let flap = 0; flap < 20; flap += 1) {
        await refreshes(row.id, failure)
        heard.push(...(await tellDue()))
        await recovers()
        heard.push(...(await tellDue()))
      }
      expect(heard).toEqual([['ann@example.test', `svc.connection.${kind}`]])
      const anHourLater = () => database.db`
      update connection_grants set notice_due_at = notice_due_at - interval '1 hour',
        failed_notified_at = failed_notified_at - interval '1 hour', unknown_notified_at = unknown_notified_at - interval '1 hour'
      where connection_id = ${row.id}`
      // it is good by then, so that there is nothing to tell
      await anHourLater()
      expect(await tellDue()).toEqual([])
      await refreshes(row.id, failure)
      expect(await tellDue()).toEqual([['ann@example.test', `svc.connection.${kind}`]])
      await recovers()
      await refreshes(row.id, { ...failure, detail: 'the latest reason' })
      expect(await tellDue()).toEqual([])
      await anHourLater()
      expect(await tellDue()).toEqual([['ann@example.test', `svc.connection.${kind}`]])
      expect(sent.at(-1)?.notice.connection.detail).toBe('the latest reason')
    },
  )

  test('is told of another state within the hour, and of the state that it is in when the time has come', async () => {
    const { row, tokens } = await authorized()
    await refreshes(row.id, LOST)
    expect(await tellDue()).toEqual([['ann@example.test', 'svc.connection.unknown']])
    await refreshes(row.id, tokens)
    await refreshes(row.id, LOST)
    expect(await tellDue()).toEqual([])
    await refreshes(row.id, REFUSED)
    expect(await tellDue()).toEqual([['ann@example.test', 'svc.connection.failed']])
    await database.db`update connection_grants set notice_due_at = now() where notice_due_at is not null`
    expect(await tellDue()).toEqual([])
  })

  test('is told a week and a day before a token without refresh ends', async () => {
    const { row } = await authorized({ refresh_token: undefined, expires_in_s: 10 * DAY_S })
    expect(await tellDue()).toEqual([])
    const pass = (days: number) => database.db`
      update connection_grants set notice_due_at = notice_due_at - ${`${days} days`}::interval,
        expires_at = expires_at - ${`${days} days`}::interval where connection_id = ${row.id}`
    await pass(3)
    expect(await tellDue()).toEqual([['ann@example.test', 'svc.connection.ends']])
    await pass(5)
    expect(await tellDue()).toEqual([])
    await pass(1)
    expect(await tellDue()).toEqual([['ann@example.test', 'svc.connection.ends']])
    expect(await tellDue()).toEqual([])
  })

  test('is told once of a token that ends within the day', async () => {
    await authorized({ refresh_token: undefined, expires_in_s: 3_600 })
    expect(await tellDue()).toHaveLength(1)
    expect(await tellDue()).toEqual([])
  })

  test('is not told where they are disabled: then who made it is, or the admins of all workspaces', async () => {
    const { row } = await authorized()
    await database.db`update connections set created_by = ${BOB}`
    await user(EVE, 'eve@example.test', ['admin'])
    await user(JOE, 'joe@example.test', ['admin'], [DEFAULT_WORKSPACE_ID])
    await user(KIM, 'kim@example.test', ['viewer'], [DEFAULT_WORKSPACE_ID])
    await database.db`update users set status = 'disabled' where id = ${ANN}`
    await refreshes(row.id, LOST)
    expect(await tellDue()).toEqual([['bob@example.test', 'svc.connection.unknown']])
    await database.db`update users set status = 'disabled' where id = ${BOB}`
    await refreshes(row.id, REFUSED)
    expect(await tellDue()).toEqual([['eve@example.test', 'svc.connection.failed']])
  })

  test('is told by the conversation of its environment where no channel reaches a person, and by none where there is none', async () => {
    channels = ['chat']
    const { row } = await authorized()
    await refreshes(row.id, LOST)
    expect(await tellDue()).toEqual([['#ops', 'svc.connection.unknown']])
    channels = []
    await refreshes(row.id, REFUSED)
    expect(await tellDue()).toEqual([])
  })

  test('hears nothing of a connection that was deleted or authorised again in the meantime', async () => {
    const { row } = await authorized()
    await refreshes(row.id, REFUSED)
    const [due] = await createConnectionNotices(database.db).takeDue(10)
    if (due === undefined) throw new Error('nothing is due')
    await database.db`delete from connections where id = ${row.id}`
    expect(await activities().plan(due)).toEqual([])
  })
})
