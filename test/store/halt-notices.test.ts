import { beforeEach, describe, expect, it } from 'vitest'
import { createAnnounceHalt, createPlanHalt } from '#activities/notify/announce-halt.ts'
import type { NoticeDeps } from '#activities/notify/deps.ts'
import type { Environment } from '#core/environment/environment.ts'
import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { HaltNotice, SendResult } from '#core/notify/types.ts'
import { type EmailSettings, email } from '#platform/notify/kinds/email.ts'
import { createNoticeGates } from '#services/approvals/notice-gates.ts'
import { createHaltRefusals } from '#store/halt-refusals.ts'
import { createEndViews } from '#store/notices/end-views.ts'
import { createHaltNotices } from '#store/notices/halt-notices.ts'
import { createNoticeDeliveries } from '#store/notices/notice-deliveries.ts'
import { createNoticeViews } from '#store/notices/notice-views.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { haltNoticeDeps } from '#test/support/halt-notice-deps.ts'
import { OTHER, openHaltWorld } from '#test/support/halt-world.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { addUser, bearer } from '#test/support/users.ts'

const MAIL: EmailSettings = {
  ...{ name: 'mail', kind: 'email', smtp: 'smtp://mail.example.test', from: 'svc@example.test' },
  to: ['a@example.test', 'b@example.test'],
}
const CHANNELS = new Map(
  [
    MAIL,
    { ...MAIL, name: 'boss', to: ['boss@example.test', 'a@example.test'] },
    { ...MAIL, name: 'away', to: ['c@example.test'] },
  ].map((settings) => [settings.name, email.open(settings)]),
)
const environment = (name: string, workspaces: string[], channels: string[], escalate_to: string[] = []) =>
  ({ name, workspaces, approval: { channels, escalate_to } }) as unknown as Environment
const ENVIRONMENTS = [
  environment('development', ['default'], ['mail', 'no-such-channel'], ['boss']),
  environment('staging', ['other'], ['away']),
]

const world = fileFixture(openHaltWorld)
let sent: { to: string; notice: HaltNotice; previous: JsonObject | undefined }[] = []
let answers: SendResult[] = []
beforeEach(async () => {
  await world.liftAll()
  await world.database.db`update halts set notice_due_at = null`
  sent = []
  answers = []
})

function activities() {
  const { db } = world.database
  const deps: NoticeDeps = {
    claims: createRecordDeps(db),
    gates: createNoticeGates(createNoticeViews(db), createRecordDeps(db)),
    ends: createEndViews(db),
    settings: () => undefined,
    deliveries: createNoticeDeliveries(db),
    ...haltNoticeDeps(db),
    environments: () => ENVIRONMENTS,
    channels: { get: (name) => CHANNELS.get(name) },
    send: async (_channel, { address: to, notice, previous }) => {
      sent.push({ to, notice: notice as HaltNotice, previous })
      return answers.shift() ?? { ok: true, reference: { message_id: notice.id } }
    },
    issueLink: undefined,
    linksAllowed: () => true,
    open: false,
    public_url: 'http://svc.test',
    clock: Date.now,
    log: { warn: () => undefined },
  }
  return { planHalt: createPlanHalt(deps), announceHalt: createAnnounceHalt(deps) }
}

/** As the loop and the workflow do: tells everything that is due about one halt, and answers what was sent. */
async function tellDue(halt_id: string) {
  const before = sent.length
  const notices = createHaltNotices(world.database.db)
  for (const { due_at, ...input } of (await notices.takeDue(100)).filter((each) => each.halt_id === halt_id)) {
    const planned = await activities().planHalt(input)
    await notices.markHanded({ ...input, due_at })
    for (const { notice_id } of planned) await activities().announceHalt({ ...input, notice_id })
  }
  return sent.slice(before)
}

const set = async (headers: Record<string, string>, scope: object = {}) =>
  HaltRecord.parse(await (await world.set(headers, scope)).json())
const start = async (headers: Record<string, string>, reason: string) => {
  const body = { inputs: { url: 'http://127.0.0.1:1' }, reason }
  expect((await world.api.post('/packs/incident/service-recovery/run', body, headers)).status).toBe(423)
}
const dueIn = async (id: string): Promise<number | null> => {
  const [row] = await world.database.db<{ s: number | null }[]>`
    select extract(epoch from notice_due_at - now())::float8 as s from halts where id = ${id}`
  return row?.s ?? null
}
const makeDue = (id: string) => world.database.db`update halts set notice_due_at = now() where id = ${id}`
const ada = async (roles: string[], workspaces: string[]) =>
  await bearer(world.api.deps, await addUser(world.api.deps, { roles, workspaces, display_name: 'Ada' }))

describe('a halt', () => {
  it('is announced when it is set, to everybody whom the environments of its workspace name, once each', async () => {
    const operator = await ada(['operator'], [DEFAULT_WORKSPACE_ID])
    const { id } = await set(operator, { workspace: DEFAULT_WORKSPACE_ID })
    const messages = await tellDue(id)
    expect(messages.map(({ to }) => to).sort()).toEqual(['a@example.test', 'b@example.test', 'boss@example.test'])
    expect(messages[0]?.notice).toMatchObject({
      kind: 'svc.halt.set',
      workspace_id: DEFAULT_WORKSPACE_ID,
      halt: { id, set_by: 'Ada', covers: expect.stringMatching(/^workspace /), refused: { starts: 0 } },
      links: { console: `http://svc.test/console/admin?part=halts&name=${id}` },
    })
    expect(await tellDue(id)).toEqual([])
    const deliveries = (await (await world.api.get('/deliveries?limit=3', operator)).json()) as object[]
    expect(deliveries).toMatchObject(Array(3).fill({ halt_id: id, kind: 'halt_set', state: 'delivered' }))
  })

  it('of all workspaces is announced in each, once for each recipient, without the name of who set it', async () => {
    const { id } = await set(await ada(['owner'], ['*']))
    const messages = await tellDue(id)
    expect(messages.map(({ to }) => to).sort()).toEqual([
      'a@example.test',
      'b@example.test',
      'boss@example.test',
      'c@example.test',
    ])
    expect(JSON.stringify(messages)).not.toContain('Ada')
    expect(messages[0]?.notice.halt).toMatchObject({
      set_by: 'an administrator of all workspaces',
      covers: 'everything',
      may_lift: ['an owner or admin of all workspaces'],
    })
  })

  it('of all workspaces that names somebody is announced only where they are known', async () => {
    const eve = await addUser(world.api.deps, { roles: ['operator'], workspaces: [OTHER] })
    const { id } = await set(await ada(['owner'], ['*']), { requester: eve.id })
    expect((await tellDue(id)).map(({ to }) => to)).toEqual(['c@example.test'])
    expect((await world.lift(id, await ada(['owner'], ['*']))).status).toBe(204)
    expect((await tellDue(id)).map(({ to }) => to)).toEqual(['c@example.test'])
  })

  it('of an environment without channels is announced to nobody', async () => {
    const { id } = await set(await ada(['owner'], ['*']), { environment: 'production' })
    expect(await tellDue(id)).toEqual([])
  })

  it('that is lifted is told in the same thread; what the lift has overtaken is not told any more', async () => {
    const admin = await ada(['admin'], [DEFAULT_WORKSPACE_ID])
    const scope = { workspace: DEFAULT_WORKSPACE_ID }
    const { id } = await set(admin, scope)
    const [first] = await tellDue(id)
    expect((await world.lift(id, admin)).status).toBe(204)
    const [lifted] = await tellDue(id)
    expect(lifted).toMatchObject({
      notice: { kind: 'svc.halt.lifted', halt: { lifted: { by: 'Ada' } } },
      previous: { message_id: first?.notice.id },
    })
    expect(await tellDue(id)).toEqual([])

    const quick = await set(admin, scope)
    const [input] = (await createHaltNotices(world.database.db).takeDue(100)).filter(
      (each) => each.halt_id === quick.id,
    )
    const { due_at = '', ...claim } = input ?? { halt_id: '', notice: 0 }
    const planned = await activities().planHalt(claim)
    // the lift comes before the message is handed on, and is due by itself
    await world.lift(quick.id, admin)
    await createHaltNotices(world.database.db).markHanded({ ...claim, due_at })
    for (const { notice_id } of planned)
      expect(await activities().announceHalt({ ...claim, notice_id })).toEqual({ status: 'skipped' })
    expect((await tellDue(quick.id)).map(({ notice }) => notice.kind)).toEqual(Array(3).fill('svc.halt.lifted'))
  })
})

describe('what a halt refuses', () => {
  it('is one message for all of it, after ten seconds, and the next no earlier than ten minutes later', async () => {
    const operator = await ada(['operator'], [DEFAULT_WORKSPACE_ID])
    const { id } = await set(operator, { workspace: DEFAULT_WORKSPACE_ID })
    // refused before the announcement of the halt is handed over: its text may be without it
    await start(operator, 'checkout answers 503')
    await tellDue(id)
    expect(await dueIn(id)).toBeGreaterThan(5)
    for (const reason of ['second', 'third', 'third']) await start(operator, reason)
    expect(await dueIn(id)).toBeGreaterThan(5)
    expect(await dueIn(id)).toBeLessThan(11)
    expect(await tellDue(id)).toEqual([])
    await makeDue(id)
    const messages = await tellDue(id)
    expect(messages.map(({ to }) => to).sort()).toEqual(['a@example.test', 'b@example.test', 'boss@example.test'])
    expect(messages[0]?.notice).toMatchObject({
      kind: 'svc.halt.refused',
      halt: { refused: { starts: 4, first: 'checkout answers 503' } },
    })
    expect(await dueIn(id)).toBeNull()
    await start(operator, 'later')
    expect(await dueIn(id)).toBeGreaterThan(590)
    expect(await dueIn(id)).toBeLessThan(601)
  })

  it('is told to the readers of a channel as far as it is theirs', async () => {
    const owner = await ada(['owner'], ['*'])
    const { id } = await set(owner)
    await tellDue(id)
    await start(owner, 'of the first')
    await start({ ...owner, 'x-svc-workspace': OTHER }, 'of the other')
    await makeDue(id)
    const messages = await tellDue(id)
    expect(messages.find(({ to }) => to === 'c@example.test')?.notice).toMatchObject({
      workspace_id: OTHER,
      halt: { refused: { starts: 1, first: 'of the other' } },
    })
    expect(messages.find(({ to }) => to === 'a@example.test')?.notice).toMatchObject({
      workspace_id: DEFAULT_WORKSPACE_ID,
      halt: { refused: { starts: 1, first: 'of the first' } },
    })
  })

  it('adds nothing to a halt that is lifted', async () => {
    const operator = await ada(['admin'], [DEFAULT_WORKSPACE_ID])
    const { id } = await set(operator, { workspace: DEFAULT_WORKSPACE_ID })
    await tellDue(id)
    await start(operator, 'one')
    await world.lift(id, operator)
    await tellDue(id)
    await createHaltRefusals(world.database.db).record([])
    expect(await dueIn(id)).toBeNull()
    expect(sent.at(-1)?.notice).toMatchObject({
      kind: 'svc.halt.lifted',
      halt: { refused: { starts: 1, first: 'one' } },
    })
  })
})

describe('a claim of the engine about a halt', () => {
  const refused = { kind: 'unknown_notice' }

  it('sends nothing before its time, nothing of another halt, and nothing about none', async () => {
    const admin = await ada(['admin'], [DEFAULT_WORKSPACE_ID])
    const [one, two] = [
      await set(admin, { workspace: DEFAULT_WORKSPACE_ID }),
      await set(admin, { workspace: DEFAULT_WORKSPACE_ID }),
    ]
    const [{ notice_id } = { notice_id: 0 }] = await activities().planHalt({ halt_id: one.id, notice: 0 })
    await tellDue(one.id)
    sent = []
    // not due, or not yet to come
    for (const notice of [1, 7])
      await expect(activities().planHalt({ halt_id: one.id, notice })).rejects.toMatchObject(refused)
    await expect(activities().planHalt({ halt_id: 'halt_none', notice: 0 })).rejects.toMatchObject(refused)
    await expect(activities().announceHalt({ halt_id: two.id, notice: 0, notice_id })).rejects.toMatchObject(refused)
    // once more what was told
    expect(await activities().planHalt({ halt_id: one.id, notice: 0 })).toEqual([])
    expect(await activities().announceHalt({ halt_id: one.id, notice: 0, notice_id })).toEqual({ status: 'skipped' })
    expect(sent).toEqual([])
  })

  it('is tried again where a channel is away', async () => {
    const { id } = await set(await ada(['admin'], [DEFAULT_WORKSPACE_ID]), { workspace: DEFAULT_WORKSPACE_ID })
    const [{ notice_id } = { notice_id: 0 }] = await activities().planHalt({ halt_id: id, notice: 0 })
    answers = [{ ok: false, retryable: true, detail: 'away' }]
    const claim = { halt_id: id, notice: 0, notice_id }
    await expect(activities().announceHalt(claim)).rejects.toMatchObject({ type: 'not_delivered' })
    expect(await activities().announceHalt(claim)).toEqual({ status: 'delivered' })
  })
})
