import { beforeEach, describe, expect, it } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { LINKS } from '#test/support/link-refusals.ts'
import { JSON_ANSWER, openLinkWorld } from '#test/support/link-world.ts'
import { createTestBrowser, issueTestLink, sendTestLink } from '#test/support/magic-link.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'

const world = fileFixture(openLinkWorld)
beforeEach(() => world.reset())

itRefuses('decideApprovalLink', () => world, [
  [501, 'not_configured', LINKS.withoutKey],
  [422, 'decision_required', LINKS.undecided],
  [409, 'gate_resolved', LINKS.decided],
  [409, 'run_not_awaiting', LINKS.cancelled],
  [409, 'plan_changed', LINKS.changed],
  [403, 'approver_not_allowed', LINKS.ofAnotherRole],
  [403, 'self_approval', LINKS.ofTheRequester],
  [422, 'note_required', LINKS.withoutNote],
  [403, 'frozen', LINKS.frozen],
  [409, 'workspace_archived', LINKS.archived],
  [409, 'conflict', LINKS.used],
])

describe('deciding through a link', () => {
  it('takes the code of the message, however it is written', async () => {
    const link = await sendTestLink(world.api)
    const code = ` ${link.code.slice(0, 3)}-${link.code.slice(3).toLowerCase()} `
    const { response, html } = await world.approve(link, { code, note: 'looks right' })
    expect([response.status, html]).toEqual([
      200,
      expect.stringMatching(/You have approved: POST .*<a href="..\/..\/workspaces\/.*\/runs\//s),
    ])
    expect(world.decided).toMatchObject([
      {
        gate_id: link.gate_id,
        kind: 'approve',
        by: 'oncall@example.test',
        channel: 'magic_link',
        note: 'looks right',
        roles: [],
        asserted: true,
      },
    ])
    expect((await world.linkRow(link.gate_id))?.used_at).not.toBeNull()
  })

  it('asks a person to confirm what acts in production, and keeps what they have typed', async () => {
    const run = await admitTestRun(world.api, { environment_class: 'production' })
    const gate = await parkTestRun(world.api, run)
    const { path, code } = await issueTestLink(world.api, gate)
    const browser = createTestBrowser(world.api)
    const { nonce, html } = await browser.open(path)
    expect(html).toContain('Yes, do it in development (production).')
    const answer = { nonce, decision: 'approve', code, note: 'looks right' }
    const refused = await browser.submit(path, answer)
    expect(refused.response.status).toBe(422)
    expect(refused.html).toContain('Tick “Yes, do it”')
    for (const kept of ['value="approve" required checked', `value="${code}" required`, '>looks right</textarea>'])
      expect(refused.html).toContain(kept)
    expect([world.decided, await world.refusals(gate)]).toEqual([[], ['decision_required']])
    const next = /name="nonce" value="([^"]*)"/.exec(refused.html)?.[1] ?? ''
    const { response } = await browser.submit(path, { ...answer, nonce: next, sure: '1' })
    expect([response.status, world.decided]).toMatchObject([200, [{ kind: 'approve', note: 'looks right' }]])
  })

  it('asks neither a rejection nor a program to confirm', async () => {
    for (const decision of ['reject', 'approve']) {
      const run = await admitTestRun(world.api, { environment_class: 'production' })
      const { path, code } = await issueTestLink(world.api, await parkTestRun(world.api, run))
      const browser = createTestBrowser(world.api)
      const { nonce } = await browser.open(path)
      const headers = decision === 'approve' ? JSON_ANSWER : {}
      expect((await browser.submit(path, { nonce, decision, code }, headers)).response.status).toBe(200)
    }
  })

  it('takes a rejection as well', async () => {
    const link = await sendTestLink(world.api)
    await world.approve(link, { decision: 'reject' })
    expect(world.decided).toMatchObject([{ kind: 'reject' }])
  })

  it('happens once: a second answer is refused, also of two at the same time', async () => {
    const link = await sendTestLink(world.api)
    const answers = await Promise.all([
      world.approve(link),
      world.approve(link),
      world.approve(link, { decision: 'reject' }),
    ])
    expect(answers.map(({ response }) => response.status).sort()).toEqual([200, 409, 409])
    expect((await world.approve(link)).response.status).toBe(409)
    expect(world.decided).toHaveLength(1)
    const refusals = await world.refusals(link.gate_id)
    expect(refusals).toHaveLength(3)
    // of those at the same time each met the decision under way or its end
    for (const code of refusals.slice(0, 2)) expect(['conflict', 'gate_resolved']).toContain(code)
    expect(refusals[2]).toBe('gate_resolved')
  })

  it('is good again when nothing was decided with it', async () => {
    const link = await sendTestLink(world.api)
    const away = Object.assign(new Error('away'), { code: 14, details: 'UNAVAILABLE' })
    for (const failure of [away, new DomainError('dependency_unavailable', 'away')]) {
      world.failure = failure
      expect((await world.approve(link)).response.status).toBe(503)
    }
    world.failure = undefined
    expect(await world.refusals(link.gate_id)).toEqual([])
    expect((await world.approve(link)).response.status).toBe(200)
  })

  it('takes a choice: a missing one is never an approval', async () => {
    const link = await sendTestLink(world.api)
    for (const decision of ['', 'maybe']) {
      expect((await world.approve(link, { decision })).response.status).toBe(422)
    }
    expect(world.decided).toEqual([])
  })

  it('takes the nonce of the page together with the cookie of the same browser', async () => {
    const link = await sendTestLink(world.api)
    const mine = createTestBrowser(world.api)
    const theirs = createTestBrowser(world.api)
    const { nonce } = await mine.open(link.path)
    const fields = { decision: 'approve', code: link.code }
    expect((await theirs.submit(link.path, { ...fields, nonce })).response.status).toBe(403)
    await theirs.open(link.path)
    expect((await theirs.submit(link.path, { ...fields, nonce })).response.status).toBe(403)
    expect((await mine.submit(link.path, fields)).response.status).toBe(403)
    expect((await mine.submit(link.path, { ...fields, nonce: `x${nonce}` })).response.status).toBe(403)
    expect(world.decided).toEqual([])
    expect((await mine.submit(link.path, { ...fields, nonce })).response.status).toBe(200)
  })

  it('works where the link was forwarded to, for anyone who has the code too', async () => {
    const link = await sendTestLink(world.api)
    const browser = createTestBrowser(world.api)
    const { nonce, response } = await browser.open(link.path)
    expect(response.status).toBe(200)
    expect((await browser.submit(link.path, { nonce, decision: 'approve' })).response.status).toBe(403)
    expect((await browser.submit(link.path, { nonce, decision: 'approve', code: link.code })).response.status).toBe(200)
  })

  it('ends after five wrong codes; what cannot be a code does not count', async () => {
    const link = await sendTestLink(world.api)
    const wrong = link.code === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA'
    for (const code of ['', 'test', 'test@example.test', 'aaaaaaaaaaaa']) {
      expect((await world.approve(link, { code })).response.status).toBe(403)
    }
    expect((await world.linkRow(link.gate_id))?.wrong_codes).toBe(0)
    const tries = await Promise.all(Array.from({ length: 8 }, () => world.approve(link, { code: wrong })))
    expect(tries.map(({ response }) => response.status)).toEqual(Array.from({ length: 8 }, () => 403))
    expect((await world.linkRow(link.gate_id))?.wrong_codes).toBe(5)
    const right = await world.approve(link)
    expect([right.response.status, right.html]).toEqual([403, expect.stringContaining('Too many wrong codes')])
    expect(world.decided).toEqual([])
    expect(await world.refusals(link.gate_id)).toHaveLength(13)
  })

  it('takes the code of this very link: that of another gate is a wrong one', async () => {
    const [link, other] = [await sendTestLink(world.api), await sendTestLink(world.api)]
    expect(other.code).not.toBe(link.code)
    expect((await world.approve(link, { code: other.code })).response.status).toBe(403)
    expect([world.decided, (await world.linkRow(link.gate_id))?.wrong_codes]).toEqual([[], 1])
    expect((await world.approve(link)).response.status).toBe(200)
  })

  it('is about one plan: another one is refused as a page that says so', async () => {
    const link = await sendTestLink(world.api, { plan_hash: `sha256:${'b'.repeat(64)}` })
    expect((await createTestBrowser(world.api).open(link.path)).html).toContain(
      'plan has changed since this link was sent',
    )
    const { response, html } = await world.approve(link)
    expect([response.status, html]).toEqual([409, expect.stringContaining('plan has changed since this link was sent')])
    expect([world.decided, await world.refusals(link.gate_id)]).toEqual([[], ['plan_changed']])
  })

  it('is about one gate: the next gate of the run is not decided by the link of the last', async () => {
    const run_id = await admitTestRun(world.api)
    const gate_id = await parkTestRun(world.api, run_id)
    const link = { run_id, gate_id, ...(await issueTestLink(world.api, gate_id)) }
    await world.resolve(gate_id)
    await parkTestRun(world.api, run_id, { step_id: 'evidence' })
    const { response, html } = await world.approve(link)
    expect([response.status, html]).toEqual([409, expect.stringContaining('Already decided by usr_first')])
    expect([world.decided, await world.refusals(gate_id)]).toEqual([[], ['gate_resolved']])
  })

  it('is shown, not refused, when it is decided already', async () => {
    const link = await sendTestLink(world.api)
    await world.resolve(link.gate_id)
    const { response, html } = await createTestBrowser(world.api).open(link.path)
    expect([response.status, html]).toEqual([
      200,
      expect.stringMatching(/Already decided by usr_first at \d\d:\d\d UTC: approved/),
    ])
    expect(html).not.toContain('<form')
  })

  it('comes from the page itself while nobody has to sign in: its browser hides the origin, another site cannot', async () => {
    const link = await sendTestLink(world.api)
    const { nonce } = (await (await world.api.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
    const send = (site: string) =>
      world.api.post(
        link.path,
        { decision: 'approve', code: link.code },
        { origin: 'null', 'sec-fetch-site': site, 'x-svc-confirm': nonce },
      )
    expect((await send('cross-site')).status).toBe(403)
    expect((await send('same-site')).status).toBe(403)
    expect(world.decided).toEqual([])
    expect((await send('same-origin')).status).toBe(200)
  })

  it('says to programs what went wrong in problem documents', async () => {
    const link = await sendTestLink(world.api)
    const response = await world.api.post(link.path, { decision: 'approve', code: link.code }, JSON_ANSWER)
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'forbidden' }])
  })
})

describe('a program that decides in one request', () => {
  it('sends the nonce in a header that neither a link nor a form can set', async () => {
    const link = await sendTestLink(world.api)
    const { nonce } = (await (await world.api.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
    const path = `${link.path}&decision=approve&note=done`
    expect((await world.api.get(path, { ...JSON_ANSWER, 'x-svc-code': link.code })).status).toBe(200)
    expect(
      (await world.api.get(path, { ...JSON_ANSWER, 'x-svc-code': link.code, 'x-svc-confirm': 'x.y' })).status,
    ).toBe(403)
    expect((await world.api.get(path, { ...JSON_ANSWER, 'x-svc-confirm': nonce })).status).toBe(403)
    expect(world.decided).toEqual([])
    const response = await world.api.get(path, { ...JSON_ANSWER, 'x-svc-code': link.code, 'x-svc-confirm': nonce })
    expect([response.status, await response.json()]).toMatchObject([200, { gate_id: link.gate_id, resolved: true }])
    expect(world.decided).toMatchObject([{ kind: 'approve', note: 'done', channel: 'magic_link' }])
  })

  it('needs the nonce of this very link', async () => {
    const link = await sendTestLink(world.api)
    const other = await sendTestLink(world.api)
    const { nonce } = (await (await world.api.get(other.path, JSON_ANSWER)).json()) as { nonce: string }
    const headers = { ...JSON_ANSWER, 'x-svc-code': link.code, 'x-svc-confirm': nonce }
    expect((await world.api.get(`${link.path}&decision=approve`, headers)).status).toBe(403)
    expect(world.decided).toEqual([])
  })
})
