import { describe, expect, test } from 'vitest'
import { startCanary } from '#test/support/canary.ts'
import { seriousFindings } from '#test/support/console-axe.ts'
import { PICTURES } from '#test/support/console-looks.ts'
import { expectHarmless } from '#test/support/console-visitors.ts'
import { needs } from '#test/support/programs/needs.ts'
import { queueConsole } from '#test/support/queue-console.ts'
import { tabTo } from '#test/support/queue-keys.ts'
import { approvalForm, gateRow, openQueue, parkPost, QUEUE_HOSTILE } from '#test/support/queue-page.ts'

const {
  world,
  visitors,
  ann,
  bob,
  onlooker: viewer,
} = queueConsole({
  ann: { roles: ['operator'], approval_roles: ['dba'] },
  bob: { roles: ['approver'], approval_roles: ['security'] },
  onlooker: { roles: ['viewer'] },
})

describe('a gate of the queue, opened', needs('chromium'), () => {
  test('shows alert, command, note and evidence as text, no matter what stands in them', async () => {
    const long = 'x'.repeat(3_000)
    const ill = await startCanary((_request, response) =>
      response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ why: QUEUE_HOSTILE, long })),
    )
    try {
      const labels = {
        alertname: QUEUE_HOSTILE,
        service: `svc ${QUEUE_HOSTILE}`,
        severity: 'critical',
        url: ill.url,
        long,
      }
      const annotations = { summary: QUEUE_HOSTILE, description: long, runbook_url: 'javascript:window.hit=1' }
      const alert = {
        status: 'firing',
        labels,
        annotations,
        startsAt: '2026-01-01T00:00:00Z',
        generatorURL: 'javascript:window.hit=1',
      }
      const group = {
        version: '4',
        groupKey: '{}',
        status: 'firing',
        receiver: 'svc',
        groupLabels: {},
        alerts: [alert],
      }
      const { body } = await world.service.call<{ results: { run_id?: string }[] }>(
        'POST',
        '/triggers/alert',
        {
          ...group,
          truncatedAlerts: 0,
          commonLabels: labels,
          commonAnnotations: annotations,
          externalURL: 'http://am.example.test',
        },
        ann.headers,
      )
      const alerted = body.results[0]?.run_id ?? ''
      await world.waits(alerted)
      const posted = await parkPost(world, 'hostile', {
        inputs: { url: `${world.target.url}/hostile`, note: `${QUEUE_HOSTILE}${long}` },
      })
      const page = await openQueue(visitors, bob, { viewport: { width: 375, height: 800 }, colorScheme: 'dark' })
      await gateRow(page, `${ill.url}/restart`).click()
      await page.getByRole('heading', { name: 'The alert behind it' }).waitFor()
      await page.getByText('Read all of it').click()
      await expect.poll(() => page.getByText('"status": 503').count()).toBeGreaterThan(0)
      expect(await page.locator('main').innerText()).toContain('<script>window.hit=1</script>')
      expect(await page.locator('a[href^="javascript" i]').count()).toBe(0)
      await expectHarmless(page)
      await gateRow(page, '/hostile').click()
      await page.getByRole('heading', { name: 'Exact command' }).click()
      await expect.poll(() => page.locator('main').innerText()).toContain('\\u{202e}gnp.exe')
      await expectHarmless(page)
      for (const id of [alerted, posted]) await world.answer(id, bob, { decision: 'reject' })
    } finally {
      await ill.stop()
    }
  })

  test('offers a viewer no answer, and nobody one that would be refused', async () => {
    const id = await parkPost(world, 'for-the-dba', { environment: 'dba' })
    const page = await openQueue(visitors, viewer)
    await page.getByText('You may look.').waitFor()
    await gateRow(page, 'for-the-dba').focus()
    await page.keyboard.press('a')
    await page.getByText('You cannot approve this').waitFor()
    await page.getByText('1 more approval, from dba').first().waitFor()
    expect(await page.getByRole('button', { name: /^(Approve|Reject|Dismiss)/ }).count()).toBe(0)
    const other = await openQueue(visitors, bob)
    await gateRow(other, 'for-the-dba').click()
    await other.getByRole('button', { name: 'Reject (r)' }).waitFor()
    expect(await other.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
    await other.goto(`${world.service.url}/console/gates?risk=odd`)
    expect(await other.getByRole('alert').innerText()).toContain('risk')
    await world.answer(id, bob, { decision: 'reject' })
  })

  test('shows what an answer should rest on', async () => {
    const id = await parkPost(world, 'rehearse', { environment: 'rehearsed', reason: 'it is slow' })
    const page = await openQueue(visitors, ann, {
      path: '/console/gates?environment=rehearsed&template=shown/post&risk=medium',
    })
    await gateRow(page, 'rehearse').click()
    const shown = page.getByRole('region', { name: 'May the step “act” run?' })
    for (const text of [
      `curl -X POST '${world.target.url}/rehearse'`,
      `would send POST ${world.target.url}/rehearse`,
      'the pack requires approval for this step',
      'rehearsed (overlay, asks for a dry run) rehearsed first',
      '1 target (http)',
      'Nobody has answered yet.',
      'starter@example.test',
      'US dollars for the run',
      'No earlier step has found anything.',
      'loopback',
    ])
      await expect.poll(() => shown.innerText(), { message: text }).toContain(text)
    await world.answer(id, bob, { decision: 'reject' })
  })

  test('says above its buttons that a halt holds what an answer would let go on', async () => {
    const id = await parkPost(world, 'held-back', { environment: 'noted' })
    const halt = { scope: { environment: 'noted' }, reason: 'a drill' }
    const { owner: admin } = world.people
    const set = await world.service.call<{ id: string }>('POST', '/console/api/halts', halt, admin.headers)
    try {
      const page = await openQueue(visitors, ann)
      await gateRow(page, 'held-back').getByText('Halted (a drill)').waitFor()
      await gateRow(page, 'held-back').click()
      const reported = page.getByText(/^Halted by .* \(a drill\): it may be answered/)
      await reported.waitFor()
      const button = page.getByRole('button', { name: 'Close (Esc)' })
      const [above, below] = [await reported.boundingBox(), await button.boundingBox()]
      expect(above?.y).toBeLessThan(below?.y ?? 0)
      await page.getByRole('button', { name: 'Approve (a)' }).click()
      await approvalForm(page).getByLabel('Note (required)').fill('after the drill')
      await page.keyboard.press('Enter')
      const said = page.getByRole('status').filter({ hasText: 'Approved: POST' })
      await said.getByText('It is held by a halt, and goes on when that is lifted.').waitFor()
      expect(await said.innerText()).not.toContain('The run goes on')
    } finally {
      await world.service.call('DELETE', `/console/api/halts/${set.body.id}`, undefined, admin.headers)
    }
    expect(await world.statusOf(id)).toBe('succeeded')
  })

  test('is read by everybody: dark and light, small and wide', async () => {
    const ids = [
      await parkPost(world, 'restart-checkout'),
      await parkPost(world, 'restart-basket', { environment: 'noted' }),
    ]
    ids.push(await parkPost(world, 'restart-search', { environment: 'pair' }))
    const wide = await openQueue(visitors, ann, { viewport: { width: 1_280, height: 900 }, colorScheme: 'light' })
    const small = await openQueue(visitors, ann, { viewport: { width: 375, height: 800 }, colorScheme: 'dark' })
    for (const page of [wide, small]) {
      await gateRow(page, 'restart-basket').focus()
      await page.keyboard.press('a')
      await approvalForm(page).waitFor()
      await page.getByRole('heading', { name: 'Identifiers' }).waitFor()
      expect(await seriousFindings(page)).toEqual([])
      await expectHarmless(page)
    }
    if (PICTURES) {
      await wide.screenshot({ path: 'docs/images/console-gates.png' })
      await small.screenshot({ path: 'docs/images/console-gates-small.png' })
    }
    await wide.keyboard.press('Escape')
    await tabTo(wide, 'Close (Esc)')
    await wide.getByRole('button', { name: 'Dismiss stale gates…' }).click()
    expect(await seriousFindings(wide)).toEqual([])
    for (const id of ids) await world.answer(id, bob, { decision: 'reject', note: 'done' })
  })
})
