import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { effectsAt, startCanary } from '#test/support/canary.ts'
import { looksSound } from '#test/support/console-looks.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { queueConsole } from '#test/support/queue-console.ts'
import { approvalForm, gateRow, openQueue, parkPost } from '#test/support/queue-page.ts'

const STORM = 30
/** how a page learns what others do */
const NEWS = /\/(approvals|stream)(\?|$)/

const { world, visitors, ann, bob } = queueConsole({
  ann: { roles: ['operator'] },
  bob: { roles: ['approver'] },
})

const line = (page: Page, text: string) => page.getByRole('table').getByRole('row').filter({ hasText: text })
const says = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()

/** What a page sends as answers. */
function answersOf(page: Page) {
  const sent: { key: string; body: { decision: string; gate_id: string; plan_hash: string; note?: string } }[] = []
  page.on('request', (request) => {
    if (!request.url().endsWith('/resume')) return
    sent.push({ key: request.headers()['idempotency-key'] ?? '', body: request.postDataJSON() })
  })
  return sent
}

describe('a group of equal gates', needs('chromium'), () => {
  test('answers a storm by one confirmation, each gate by its own plan, and says what became of each', async () => {
    const [target, elsewhere] = [await startCanary(), await startCanary()]
    try {
      await world.connectTo(target.url)
      const ids = await Promise.all(
        Array.from({ length: STORM }, (_, n) =>
          world.start('shown/through', { inputs: { path: `/storm-${String(n).padStart(2, '0')}` } }),
        ),
      )
      await Promise.all(ids.map((id) => world.waits(id)))
      const [kept = '', decided = '', changed = ''] = ids
      const page = await openQueue(visitors, bob)
      const sent = answersOf(page)
      const group = gateRow(page, `${STORM} equal gates`)
      await group.focus()
      await page.keyboard.press('Enter')
      await page.getByText('They differ, so none is chosen beforehand').waitFor()
      expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
      await page.getByRole('button', { name: 'Choose all' }).click()
      await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(STORM)
      await page.route(NEWS, () => {})

      // what nobody has says this page
      expect((await world.answer(decided, ann, { decision: 'reject' })).status).toBe(200)
      const before = await gateOf(changed)
      await world.connectTo(elsewhere.url)
      expect((await world.answer(changed, ann, { decision: 'approve' })).status).toBe(200)
      await expect
        .poll(async () => [before.plan_hash, undefined].includes((await gateOf(changed)).plan_hash), PATIENCE)
        .toBe(false)
      await world.connectTo(target.url)

      // one stays for later
      await line(page, '/storm-00').getByRole('link').focus()
      await page.keyboard.press('x')
      await page.getByText(`${STORM - 1} of ${STORM} chosen`).waitFor()
      await page.keyboard.press('A')
      await approvalForm(page)
        .getByText(`You approve ${STORM - 1} gates`)
        .waitFor()
      await approvalForm(page)
        .getByText(/^and \d+ more: scroll the list$/)
        .waitFor()
      await looksSound(page, 'gate-group', true)
      await page.keyboard.type('the deploy of 14:05')
      await page.keyboard.press('Enter')
      await says(page, `${STORM - 3} approved, 1 decided by somebody else, 1 with a changed plan.`)

      const begun = gateRow(page, `2 of ${STORM} equal gates wait`)
      await begun.getByText(`${STORM - 3} approved, 1 decided by somebody else, 1 with a changed plan.`).waitFor()
      await line(page, '/storm-01').getByText('ann@example.test: rejected, through api').waitFor()
      await line(page, '/storm-02').getByText('Its plan has changed since it was shown').waitFor()
      await line(page, '/storm-03').getByText('approved').waitFor()
      await line(page, '/storm-00').getByText('waits', { exact: true }).waitFor()
      for (const id of ids.slice(3)) expect(await world.statusOf(id)).toBe('succeeded')
      expect(effectsAt(target).sort()).toEqual(ids.slice(3).map((_, n) => `/storm-${String(n + 3).padStart(2, '0')}`))
      expect(elsewhere.requests).toEqual([])
      expect((await gateOf(kept)).decisions).toEqual([])
      expect((await gateOf(changed)).decisions).toEqual([])

      // each by its own gate, plan and key, and never anything that was not shown
      const answered = sent.filter(({ body }) => body.decision === 'approve')
      for (const member of ['gate_id', 'plan_hash'] as const)
        expect(new Set(answered.map(({ body }) => body[member])).size).toBe(STORM - 1)
      expect(answered.filter(({ body }) => body.note !== 'the deploy of 14:05')).toEqual([])
      expect(answered.map(({ body }) => body.plan_hash)).toContain(before.plan_hash)

      // the one with another plan is answered by itself, with what has changed
      await page.unroute(NEWS)
      await line(page, '/storm-02').getByRole('link', { name: '/storm-02' }).click()
      await page.getByText('the plan has changed since it was approved').waitFor()
      for (const id of [kept, changed]) await world.answer(id, ann, { decision: 'reject' })
    } finally {
      await Promise.all([target.stop(), elsewhere.stop()])
    }
  })

  test('tries again what failed: a lost answer as the same one', async () => {
    const ids = await Promise.all(['lost-a', 'lost-b', 'lost-c'].map((name) => parkPost(world, name)))
    const page = await openQueue(visitors, bob)
    const sent = answersOf(page)
    await gateRow(page, '3 equal gates').click()
    await page.route(`**/${ids[1]}/resume`, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Choose all' }).click()
    await page.getByRole('button', { name: 'Reject the chosen' }).click()
    await page.getByRole('button', { name: 'Reject 3' }).click()
    await says(page, '2 rejected, 1 refused.')
    await line(page, '/lost-b').getByText('Refused: The API does not answer.').waitFor()
    await page.unroute(`**/${ids[1]}/resume`)
    await page.getByRole('button', { name: 'Try again (1)' }).click()
    await says(page, '3 rejected.')
    const [first, again] = sent.filter(
      ({ body }) => sent.filter((each) => each.body.gate_id === body.gate_id).length > 1,
    )
    expect(again).toEqual(first)
    expect(new Set(sent.map(({ key }) => key)).size).toBe(3)
    for (const id of ids) expect(await world.statusOf(id)).toBe('rejected')
  })

  test('keeps a gate that more urgent ones push to the next page, and says when it is really gone', async () => {
    const ids = await Promise.all(['/off-0', '/off-1', '/off-2', '/off-3'].map((path) => parkPost(world, path)))
    const [pushed = '', gone = ''] = ids
    const page = await openQueue(visitors, bob)
    await gateRow(page, '4 equal gates').click()
    await line(page, '/off-1').getByText('waits', { exact: true }).waitFor()
    // as if 200 others were in front of both
    await page.route(/\/approvals\?/, async (route) => {
      const answer = await route.fetch()
      const gates = ((await answer.json()) as { run_id: string }[]).filter(
        ({ run_id }) => ![pushed, gone].includes(run_id),
      )
      await route.fulfill({
        response: answer,
        json: gates,
        headers: { ...answer.headers(), link: '</approvals?cursor=next>; rel="next"' },
      })
    })
    await world.answer(gone, ann, { decision: 'reject' })
    await line(page, '/off-1').getByText('waits no longer').waitFor()
    await gateRow(page, '3 of 4 equal gates wait').getByText('1 closed elsewhere.').waitFor()
    expect(await line(page, '/off-0').getByText('waits', { exact: true }).count()).toBe(1)
    for (const id of ids.filter((each) => each !== gone)) await world.answer(id, ann, { decision: 'reject' })
  })

  test('is chosen beforehand where its gates are the same, and leads to each by a link of its own', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => parkPost(world, 'the-same')))
    const page = await openQueue(visitors, bob)
    await gateRow(page, '3 equal gates').click()
    await page.getByText('No difference is shown between them, so all are chosen beforehand.').waitFor()
    await page.getByText('3 of 3 chosen').waitFor()
    const link = page.getByRole('table').getByRole('link', { name: '/the-same' }).nth(1)
    const address = (await link.getAttribute('href')) ?? ''
    expect(address).toMatch(/[?&]gate=gate_/)
    const other = await visitors.open(bob, address)
    await other.getByRole('heading', { name: 'Identifiers' }).waitFor()
    await other.close()
    await link.click()
    await page.getByRole('heading', { name: 'Identifiers' }).waitFor()
    await page.getByText('3 of 3 chosen').waitFor()
    await link.click()
    await page.getByRole('heading', { name: 'Identifiers' }).waitFor({ state: 'detached' })
    await Promise.all(ids.map((id) => world.answer(id, ann, { decision: 'reject' })))
  })

  test('is approved in production only where each gate was confirmed by itself', async () => {
    const names = ['live-a', 'live-b', 'live-c']
    const ids = await Promise.all(names.map((name) => parkPost(world, name, { environment: 'live' })))
    const page = await openQueue(visitors, bob)
    await gateRow(page, '3 equal gates').click()
    await page.getByText('0 of 3 chosen').waitFor()
    await page.getByRole('button', { name: 'Choose all' }).click()
    await page.keyboard.press('A')
    await says(page, 'choose by itself what you approve')
    await page.getByText('0 of 3 chosen').waitFor()
    for (const name of names.slice(0, 2))
      await page.getByRole('checkbox', { name: new RegExp(`^Yes, do it: POST .*/${name}$`) }).click()
    await page.keyboard.press('A')
    const form = approvalForm(page)
    await form.getByText('Yes, do these 2.').waitFor()
    await page.keyboard.press('Enter')
    expect(await form.isVisible()).toBe(true)
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await says(page, '2 approved.')
    for (const [place, name] of names.slice(0, 2).entries()) {
      await line(page, `/${name}`).getByText('succeeded').waitFor()
      const its = line(page, `/${name}`).getByRole('link', { name: 'The run' })
      expect(await its.getAttribute('href')).toContain(`/runs/${ids[place]}`)
    }
    await page.getByRole('button', { name: 'Choose all' }).click()
    await page.keyboard.press('R')
    await page.keyboard.press('Enter')
    await says(page, '2 approved, 1 rejected.')
    await gateRow(page, '3 gates, none waits any longer').getByText('2 approved, 1 rejected.').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    const ends = await Promise.all(ids.map((id) => world.statusOf(id)))
    expect(ends).toEqual(['succeeded', 'succeeded', 'rejected'])
  })

  test('is sound on a wide screen and on a phone, light and dark, and never chooses what is not yours', async () => {
    const ids = await Promise.all(
      ['eye-a', 'eye-b', 'eye-c'].map((name) => parkPost(world, name, { environment: 'dba' })),
    )
    const page = await openQueue(visitors, bob)
    await gateRow(page, '3 equal gates').click()
    await line(page, '/eye-a').getByText('you may only reject it').waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
    const { gate_id } = await gateOf(ids[0] ?? '')
    await world.service.call('POST', `/approvals/${gate_id}/acknowledge`, undefined, ann.headers)
    const looks = line(page, '/eye-a').getByText('ann@example.test is looking at it')
    await looks.waitFor()
    expect((await looks.boundingBox())?.height, 'on one line').toBeLessThan(30)
    await page.getByRole('button', { name: 'Choose all' }).click()
    await page.getByText('2 of 3 chosen').waitFor()
    await page.keyboard.press('A')
    await says(page, 'No chosen gate takes this answer from you.')
    await looksSound(page)
    await Promise.all(ids.map((id) => world.answer(id, ann, { decision: 'reject' })))
  })
})

async function gateOf(run_id: string) {
  const path = `/runs/${run_id}/pending-approval`
  const { body } = await world.service.call<{ gate_id: string; plan_hash?: string; decisions: unknown[] }>(
    'GET',
    path,
    undefined,
    ann.headers,
  )
  return body
}
