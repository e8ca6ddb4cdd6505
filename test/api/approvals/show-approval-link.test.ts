import { beforeEach, describe, expect, it } from 'vitest'
import { gateNoticesWorkflowId } from '#core/notify/contract.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { LINKS } from '#test/support/link-refusals.ts'
import { JSON_ANSWER, openLinkWorld } from '#test/support/link-world.ts'
import { createTestBrowser, sendTestLink } from '#test/support/magic-link.ts'
import { itRefuses } from '#test/support/refused-operation.ts'

/** What looks at links before people do. */
const SCANNERS: Record<string, string>[] = [
  { 'user-agent': 'Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0; Microsoft Outlook 16)' },
  { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
  { 'user-agent': 'facebookexternalhit/1.1' },
  { 'user-agent': 'Mozilla/5.0 SkypeUriPreview Preview/0.5' },
  { 'user-agent': 'Barracuda Sentinel (EE)' },
  { 'user-agent': 'Mozilla/5.0 (Proofpoint URL Defense)' },
  { 'user-agent': 'TelegramBot (like TwitterBot)' },
  { 'user-agent': 'WhatsApp/2.23' },
  { 'user-agent': 'curl/8.0', purpose: 'prefetch' },
  { 'user-agent': 'Mozilla/5.0', 'sec-purpose': 'prefetch;prerender' },
  { 'user-agent': 'Mozilla/5.0', 'x-moz': 'prefetch' },
]

const world = fileFixture(openLinkWorld)
beforeEach(() => world.reset())

itRefuses('showApprovalLink', () => world, [
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

describe('following a link', () => {
  it('shows exactly what is to be decided, as a page that runs and loads nothing', async () => {
    const { path, gate_id, code } = await sendTestLink(world.api)
    const { response, html } = await createTestBrowser(world.api).open(path)
    expect(response.status).toBe(200)
    expect(html).toContain('POST http://127.0.0.1:8080/restart')
    expect(html).toContain(`sha256:${'a'.repeat(64)}`)
    expect(html).not.toMatch(/<script|\son\w+=|src=|href=|\schecked/)
    expect(html).not.toContain(code)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-robots-tag')).toContain('noindex')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    const [cookie = ''] = response.headers.getSetCookie()
    expect(cookie).toMatch(/; Path=\/triggers\/approve; HttpOnly; SameSite=Strict$/)
    expect((await world.linkRow(gate_id))?.views).toBe(1)
  })

  it('answers a program with JSON', async () => {
    const { path, run_id } = await sendTestLink(world.api)
    const body = await (await world.api.get(path, JSON_ANSWER)).json()
    expect(body).toMatchObject({
      state: 'open',
      template: 'incident/service-recovery',
      login_required: false,
      details: { run_id, step: 'act' },
    })
  })

  it('decides nothing by GET or HEAD, however often and by whomever, and is good afterwards', async () => {
    const link = await sendTestLink(world.api)
    for (let round = 0; round < 100; round += 1) {
      const headers = SCANNERS[round % SCANNERS.length] ?? {}
      const query = ['', '&decision=approve', '&decision=reject&code=ABCDEF', '&approve=1'][round % 4]
      const method = round % 3 === 0 ? 'HEAD' : 'GET'
      const response = await world.api.app.request(`${link.path}${query}`, { method, headers })
      expect(response.status).toBe(200)
    }
    expect(world.decided).toEqual([])
    expect((await world.linkRow(link.gate_id))?.views).toBe(100)
    await world.approve(link)
    expect(world.decided).toHaveLength(1)
  })

  it('decides nothing by a HEAD that carries what a confirmed GET carries', async () => {
    const link = await sendTestLink(world.api)
    const { nonce } = (await (await world.api.get(link.path, JSON_ANSWER)).json()) as { nonce: string }
    const headers = { ...JSON_ANSWER, 'x-svc-confirm': nonce, 'x-svc-code': link.code }
    expect((await world.api.app.request(`${link.path}&decision=approve`, { method: 'HEAD', headers })).status).toBe(200)
    expect(world.decided).toEqual([])
  })

  it('keeps the token out of the log', async () => {
    const link = await sendTestLink(world.api)
    world.api.lines.length = 0
    await world.api.get(link.path)
    const token = link.path.split('token=')[1] ?? ''
    expect(JSON.stringify(world.api.lines)).toContain('/triggers/approve/{workflow_id}')
    expect(JSON.stringify(world.api.lines)).not.toContain(token.slice(0, 20))
  })

  it('shows above the answer what others say of the gate, and what its run retries', async () => {
    const { path, run_id, gate_id } = await sendTestLink(world.api)
    const failed = { step: 'Restart', message: '409 <b>needs force</b>' }
    await world.database.db`
      update runs set provenance = provenance || ${world.database.db.json({ retry_of: 'run_1', failed })} where id = ${run_id}`
    expect((await world.api.post(`/approvals/${gate_id}/comments`, { text: 'do NOT <i>restart</i>' })).status).toBe(200)
    const { html } = await createTestBrowser(world.api).open(path)
    expect(html).toContain('Retry of a run that failed at the step Restart: 409 &lt;b&gt;needs force&lt;/b&gt;')
    expect(html).toMatch(/<h2>Comments<\/h2><ul><li><strong>.+<\/strong>: do NOT &lt;i&gt;restart&lt;\/i&gt;/)
    expect(html.indexOf('Comments')).toBeLessThan(html.indexOf('Your decision'))
    const retry = { run_id: 'run_1', text: 'Retry of a run that failed at the step Restart: 409 <b>needs force</b>' }
    const waiting = (await (await world.api.get('/approvals')).json()) as { gate_id: string }[]
    expect(waiting.find((gate) => gate.gate_id === gate_id)).toMatchObject({ retry })
    expect(await (await world.api.get(`/runs/${run_id}/pending-approval`)).json()).toMatchObject({ retry })
    const view = await (await world.api.get(path, JSON_ANSWER)).json()
    expect(view).toMatchObject({ remarks: { acknowledged: [], comments: [{ text: 'do NOT <i>restart</i>' }] } })
  })

  it('escapes what comes from outside', async () => {
    const gate = { view: { plan: { summary: '<script>alert(1)</script>', command: '"><img src=x>' }, operation: {} } }
    const { path } = await sendTestLink(world.api, { gate })
    const { html } = await createTestBrowser(world.api).open(path)
    expect(html).toContain('&lt;script&gt;')
    expect(html).not.toMatch(/<script|<img/)
  })
})

describe('a link that leads nowhere', () => {
  it('is a page for people and a refusal for programs, which tell neither what it was', async () => {
    const { path } = await sendTestLink(world.api)
    const spoilt = path.slice(0, -4)
    const page = await world.api.get(spoilt, { accept: 'text/html,*/*' })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('This link leads nowhere')
    const refusal = await world.api.get(spoilt, { accept: 'application/json' })
    expect([refusal.status, refusal.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  })
})

describe('the address of a link', () => {
  it('is that of the action workflow of its gate, also under its workspace', async () => {
    const link = await sendTestLink(world.api)
    expect(link.path.startsWith(`/triggers/approve/${gateNoticesWorkflowId(link.gate_id)}?token=`)).toBe(true)
    const own = await world.api.get(`/workspaces/ws_00000000000000000000000000${link.path}`)
    expect(own.headers.getSetCookie()[0]).toContain('Path=/workspaces/ws_00000000000000000000000000/triggers/approve;')
    expect((await world.api.get(`/workspaces/ws_11111111111111111111111111${link.path}`)).status).toBe(404)
  })
})
