import { describe, expect, it, vi } from 'vitest'
import type { NotifySettings } from '#core/environment/environment.ts'
import { createMagicLinks } from '#store/gates/magic-links.ts'
import { createConnectionNotices } from '#store/notices/connection-notices.ts'
import { createGateNotices } from '#store/notices/gate-notices.ts'
import { createHaltNotices } from '#store/notices/halt-notices.ts'
import { createNoticeDeliveries } from '#store/notices/notice-deliveries.ts'
import { createNoticeDigests } from '#store/notices/notice-digests.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createNoticeLoop } from '#workers/loops/notices.ts'
import { admitTestRun, parkTestRun } from '../support/test-runs.ts'

const database = testDatabase()
const api = testApi(database)

async function park(view: object): Promise<string> {
  return await parkTestRun(api, await admitTestRun(api), { view: { ...view } })
}

async function resolve(gateId: string): Promise<void> {
  await database.db`
    update gates set status = 'rejected', resolved_at = now(), resolution = '{"by": "usr_first"}' where id = ${gateId}`
}

/** A vote that an account has given in the name of a person. */
async function answerFor(person: string, gateId: string): Promise<void> {
  await database.db`
    insert into gate_decisions (gate_id, decision_id, decided_by, decision, channel, asserted, auth, via)
    values (${gateId}, ${`dec_${person}`}, ${person}, 'approve', 'api', false, 'jwt', 'usr_bot')`
}

const noted = async (gateId: string) =>
  (await database.db<{ kind: string }[]>`select kind from gate_notices where gate_id = ${gateId} order by id`).map(
    ({ kind }) => kind,
  )

describe('the outbox of gates', () => {
  it('has a row for every gate that opens with channels, and one when it is resolved', async () => {
    const gate = await park({ channels: ['mail'] })
    expect(await noted(gate)).toEqual(['opened'])
    await resolve(gate)
    expect(await noted(gate)).toEqual(['opened', 'resolved'])
  })

  it('has one for a gate that only escalates', async () => {
    expect(await noted(await park({ channels: [], sla: { escalate_to: ['boss'] } }))).toEqual(['opened'])
  })

  it('has none where nobody is to be told', async () => {
    for (const view of [{}, { channels: [] }, { channels: null }, { channels: 'mail' }, { sla: {} }]) {
      const gate = await park(view)
      await resolve(gate)
      expect(await noted(gate)).toEqual([])
    }
  })

  it('is written in the transaction of the gate: where that fails, there is nothing to tell', async () => {
    const gate = await park({ channels: ['mail'] })
    const rolledBack = database.db.begin(async (tx) => {
      await tx`update gates set status = 'rejected', resolved_at = now(), resolution = '{}' where id = ${gate}`
      throw new Error('not now')
    })
    await expect(rolledBack).rejects.toThrow('not now')
    expect(await noted(gate)).toEqual(['opened'])
  })
})

type About = { gate_id: string } | { run_id: string } | { halt_id: string; notice: number } | string

function idOf(about: About): string {
  if (typeof about === 'string') return about
  if ('halt_id' in about) return `${about.halt_id} ${about.notice}`
  return 'gate_id' in about ? about.gate_id : about.run_id
}

describe('handing notices on', () => {
  /** The engine as the loop sees it: away until it is told otherwise. */
  async function handAll(options: { away?: boolean; notify?: NotifySettings } = {}): Promise<string[]> {
    const calls: string[] = []
    const call = (what: string) => async (about: About) => {
      if (options.away) throw new Error('the engine is away')
      calls.push(`${what} ${idOf(about)}`)
    }
    const digests = createNoticeDigests(database.db)
    let rounds = 0
    const loop = createNoticeLoop({
      notices: createGateNotices(database.db),
      halts: createHaltNotices(database.db),
      digests: {
        ...digests,
        // the last thing that a round does: a loop that is stopped earlier leaves rows behind
        takeDue(limit) {
          rounds += 1
          return digests.takeDue(limit)
        },
      },
      connections: createConnectionNotices(database.db),
      workflows: {
        start: call('start'),
        gateChanged: call('gate changed'),
        sendEndNotice: call('tell the end of'),
        sendHaltNotice: call('tell of'),
        sendDigest: async () => undefined,
        sendConnectionNotice: async () => undefined,
      },
      notifyOf: () => options.notify,
      leading: () => true,
      log: { warn: () => undefined },
    })
    loop.start()
    await vi.waitFor(() => expect(rounds).toBeGreaterThan(0), PATIENCE)
    await loop.stop()
    return calls
  }

  it('starts and ends what was opened and resolved, in that order and once', async () => {
    await handAll()
    const gate = await park({ channels: ['mail'] })
    expect(await handAll()).toEqual([`start ${gate}`])
    await resolve(gate)
    expect(await handAll()).toEqual([`gate changed ${gate}`])
    expect(await handAll()).toEqual([])
  })

  it('tells of a halt when it is set and when it is lifted, once each, and again where the engine was away', async () => {
    const body = { scope: { environment: 'production' }, reason: 'a drill' }
    const { id } = (await (await api.post('/console/api/halts', body)).json()) as { id: string }
    expect(await handAll({ away: true })).toEqual([])
    await database.db`update halts set notice_due_at = now() where id = ${id}`
    expect(await handAll()).toEqual([`tell of ${id} 0`])
    expect(await handAll()).toEqual([])
    expect((await api.app.request(`/console/api/halts/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await handAll()).toEqual([`tell of ${id} 1`])
    expect(await handAll()).toEqual([])
  })

  it('asks nobody for what was resolved before it was told', async () => {
    const gate = await park({ channels: ['mail'] })
    await resolve(gate)
    expect(await handAll()).toEqual([`gate changed ${gate}`])
  })

  it('has a gate read again that was answered in somebody’s name, also where it was over before it was told', async () => {
    const [open, over] = [await park({ channels: ['mail'] }), await park({ channels: ['mail'] })]
    expect(await handAll()).toEqual([`start ${open}`, `start ${over}`])
    const quick = await park({ channels: ['mail'] })
    for (const gate of [open, quick]) await answerFor('usr_bob', gate)
    await resolve(quick)
    expect(await handAll()).toEqual([
      `start ${open}`,
      `gate changed ${open}`,
      `start ${quick}`,
      `gate changed ${quick}`,
      `gate changed ${quick}`,
    ])
    expect(await handAll()).toEqual([])
    await answerFor('usr_carol', open)
    expect(await handAll()).toEqual([`start ${open}`, `gate changed ${open}`])
    await resolve(open)
    await resolve(over)
    await handAll()
  })

  it('keeps what the engine did not take, and never ends what it did not start', async () => {
    const gate = await park({ channels: ['mail'] })
    expect(await handAll({ away: true })).toEqual([])
    await resolve(gate)
    // the opening waits for its next try, and its end with it
    expect(await handAll()).toEqual([])
    await database.db`update gate_notices set due_at = now() where gate_id = ${gate}`
    expect(await handAll()).toEqual([`gate changed ${gate}`])
    const [row] = await database.db<{ attempts: number }[]>`
      select attempts from gate_notices where gate_id = ${gate} and kind = 'opened'`
    expect(row?.attempts).toBe(1)
  })
})

describe('notices and links', () => {
  async function plan(gate_id: string, channel: string, recipients: string[]): Promise<number[]> {
    const gate = { gate_id, workspace_id: 'ws_00000000000000000000000000' }
    await createNoticeDeliveries(database.db).plan(
      gate,
      'opened',
      recipients.map((recipient) => ({ channel, recipient })),
    )
    const rows = await database.db<
      { id: number }[]
    >`select id from notice_deliveries where gate_id = ${gate_id} order by id`
    return rows.map(({ id }) => id)
  }
  const expires_at = '2099-01-01T00:00:00.000Z'

  it('remember the first message of a recipient, and who was told', async () => {
    const gate_id = await park({ channels: ['chat'] })
    const gate = { gate_id, workspace_id: 'ws_00000000000000000000000000' }
    const deliveries = createNoticeDeliveries(database.db)
    const [opened = 0, away = 0] = await plan(gate_id, 'chat', ['#ops', '#away'])
    await deliveries.plan(gate, 'opened', [{ channel: 'chat', recipient: '#late' }])
    await deliveries.plan(gate, 'reminder', [{ channel: 'chat', recipient: '#ops' }])
    const [reminder] = await deliveries.outstanding(gate_id, ['reminder'])
    await deliveries.record(opened, { ok: false, detail: 'away' })
    expect((await deliveries.find(opened))?.status).toBe('failed')
    await deliveries.record(opened, { ok: true, reference: { ts: '1' } })
    await deliveries.record(opened, { ok: false, detail: 'a late twin' })
    await deliveries.record(reminder?.notice_id ?? 0, { ok: true, reference: { ts: '2' } })
    await deliveries.record(away, { ok: false, detail: 'no' })
    expect(await deliveries.outstanding(gate_id, ['opened'])).toMatchObject([{ notice_id: away }])
    await deliveries.planResolved(gate_id)
    const [resolved, ...others] = await deliveries.outstanding(gate_id, ['resolved'])
    expect(others).toEqual([])
    const row = await deliveries.find(resolved?.notice_id ?? 0)
    expect(row).toMatchObject({ channel: 'chat', recipient: '#ops' })
    expect(row && (await deliveries.reference(gate_id, row))).toEqual({ ts: '1' })
  })

  it('give a recipient one link per gate, no matter what the number of messages', async () => {
    const [first = 0, second = 0] = await plan(await park({ channels: ['mail'] }), 'mail', [
      'a@example.test',
      'b@example.test',
    ])
    const links = createMagicLinks(database.db)
    const issue = (notice_id: number, n: string) => links.issue({ notice_id, expires_at, jti: `lnk_${n.repeat(26)}` })
    const ids = await Promise.all(['1', '2', '3'].map((n) => issue(first, n)))
    expect(new Set(ids).size).toBe(1)
    expect(ids).not.toContain(await issue(second, '4'))
    expect(await issue(2 ** 40, '6')).toBeUndefined()
  })

  it('are used once, and given back when nothing came of it', async () => {
    const [notice_id = 0] = await plan(await park({ channels: ['mail'] }), 'mail', ['a@example.test'])
    const links = createMagicLinks(database.db)
    const jti = (await links.issue({ jti: `lnk_${'5'.repeat(26)}`, notice_id, expires_at })) ?? ''
    const claims = await Promise.all(Array.from({ length: 10 }, () => links.claim(jti, 'approve')))
    expect(claims.filter(Boolean)).toHaveLength(1)
    await links.release(jti, claims.find(Boolean) ?? '')
    expect(await links.claim(jti, 'reject')).toBeTypeOf('string')
    const tries = await Promise.all(Array.from({ length: 10 }, () => links.takeTry(jti, 5)))
    expect(tries.filter((left) => left !== undefined).sort()).toEqual([0, 1, 2, 3, 4])
  })
})
