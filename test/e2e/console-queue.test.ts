import { describe, expect, test, vi } from 'vitest'
import { effectsAt, startCanary } from '#test/support/canary.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { queueConsole } from '#test/support/queue-console.ts'
import { clearQueue, tabTo } from '#test/support/queue-keys.ts'
import { approvalForm, gateRow, openQueue, parkPost, QUEUE_HOSTILE } from '#test/support/queue-page.ts'

/** `SVC_STORM=50` is a queue of a bad day; the small one has each kind twice. */
const GATES = Number(process.env['SVC_STORM'] ?? 20)
const KINDS = ['plain', 'pair', 'dba', 'security', 'noted', 'thaw', 'soon', 'live', 'exact', 'old'] as const
/** how a page learns what others do; one that gets no answer has learned nothing since */
const NEWS = /\/(approvals|pending-approval|stream)(\?|$)/

const { world, visitors, ann, bob } = queueConsole({
  ann: { roles: ['operator'], approval_roles: ['dba'] },
  bob: { roles: ['approver'], approval_roles: ['security'] },
})

describe('the queue of gates', needs('chromium'), () => {
  test('is cleared by keyboard alone by two people, no matter what its gates ask for', async () => {
    const runs = Array.from({ length: GATES }, (_, n) => ({ n, kind: KINDS[n % KINDS.length] ?? 'plain' }))
    const ids = await Promise.all(
      runs.map(({ n, kind }) =>
        world.post(
          `${kind}-${n}`,
          kind === 'exact' ? { environment: 'plain', profile: 'exact' } : { environment: kind },
        ),
      ),
    )
    await Promise.all(ids.map((id) => world.waits(id)))
    await world.freeze('thaw')
    const page = await openQueue(visitors, ann)
    const thaws = runs.filter(({ kind }) => kind === 'thaw').length
    // three and more equal gates are one line
    const frozen = thaws < 3 ? thaws : 1
    await vi.waitFor(
      async () => expect(await page.getByText('nobody may approve it before then').count()).toBe(frozen),
      PATIENCE,
    )
    const began = Date.now()

    // what nobody will answer any more
    await tabTo(page, 'Dismiss stale gates…')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Dismiss stale gates' }).waitFor()
    await page.keyboard.type('0')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('0')
    for (const text of ['', 'old', 'left over from last week']) {
      await page.keyboard.press('Tab')
      await page.keyboard.type(text)
    }
    await page.keyboard.press('Enter')
    const stale = runs.filter(({ kind }) => kind === 'old').length
    const act = stale === 1 ? 'Dismiss this 1 gate' : `Dismiss these ${stale} gates`
    await page.getByRole('button', { name: act }).waitFor()
    await tabTo(page, act)
    await page.keyboard.press('Enter')
    await page.getByText(/gates? (was|were) dismissed\./).waitFor()
    await page.keyboard.press('Escape')

    await page.keyboard.press('m')
    const remaining = await clearQueue(page)
    const other = await openQueue(visitors, bob, { path: '/console/gates?awaiting_me=true' })
    const after = await clearQueue(other)
    const took_s = (Date.now() - began) / 1_000
    await other.keyboard.press('m')
    await other.getByText('Nothing waits for an answer.', { exact: true }).waitFor()
    process.stdout.write(
      `${GATES} gates: ${stale} dismissed, ${remaining.length + after.length} answers by two people in ${took_s.toFixed(1)} s\n`,
    )
    const pairs = runs.filter(({ kind }) => kind === 'pair').length
    expect(remaining.length + after.length).toBe(GATES - stale + pairs)
    expect(remaining.filter((each) => each.includes('counts, 1 of 2'))).toHaveLength(pairs)
    expect(took_s).toBeLessThan(300)

    const ends = { thaw: 'rejected', old: 'expired' } as Partial<Record<string, string>>
    for (const [place, { kind }] of runs.entries())
      expect([kind, await world.statusOf(ids[place] ?? '')]).toEqual([kind, ends[kind] ?? 'succeeded'])
    const acted = effectsAt(world.target)
      .map((url) => url.slice(1))
      .sort()
    const approved = runs.filter(({ kind }) => ends[kind] === undefined)
    expect(acted).toEqual(approved.map(({ kind, n }) => `${kind}-${n}`).sort())
  }, 600_000)

  test('takes away what is decided elsewhere, and says who was first to the one who looked at it', async () => {
    const [looked, other] = [await parkPost(world, 'looked-at'), await parkPost(world, 'in-passing')]
    const page = await openQueue(visitors, bob)
    await gateRow(page, 'looked-at').click()
    await page.getByText('May the step “act” run?').waitFor()
    await world.answer(other, ann, { decision: 'reject' })
    await gateRow(page, 'in-passing').waitFor({ state: 'detached' })
    await world.answer(looked, ann, { decision: 'approve', note: QUEUE_HOSTILE })
    const gone = page.getByRole('alert').filter({ hasText: 'This gate is closed' })
    await gone.getByText(`ann@example.test: approved, through api`).waitFor()
    expect(await gone.innerText()).toContain('<script>window.hit=1</script>\\u{202e}gnp.exe')
    const its = gone.getByRole('link', { name: 'Open the run' })
    expect(await its.getAttribute('href')).toContain(`/runs/${looked}`)
    await page.keyboard.press('Escape')
    await gateRow(page, 'looked-at').waitFor({ state: 'detached' })
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })

  test('counts down to the end of a gate, and says that nobody answered in time', async () => {
    const page = await openQueue(visitors, bob)
    await parkPost(world, 'in-a-hurry', { environment: 'brief' })
    await gateRow(page, 'in-a-hurry').click()
    await gateRow(page, /expires in 1?[0-9] seconds?/).waitFor()
    const gone = page.getByRole('alert').filter({ hasText: 'This gate is closed' })
    await gone.getByText('It was closed without an answer').waitFor()
    await gone.getByText('Reason of the status: ttl').waitFor()
    await tabTo(page, 'Close (Esc)')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing waits for an answer.').waitFor()
  })

  test('says who was first to anyone who answers second', async () => {
    const id = await parkPost(world, 'one-gate')
    const [first, second] = [await openQueue(visitors, ann), await openQueue(visitors, bob)]
    for (const page of [first, second]) {
      await gateRow(page, 'one-gate').focus()
      await page.keyboard.press('a')
      await approvalForm(page).waitFor()
    }
    await second.route(NEWS, () => {})
    await first.keyboard.press('Enter')
    await first.getByRole('status').filter({ hasText: 'Approved: POST' }).waitFor()
    await second.keyboard.press('Enter')
    const refused = approvalForm(second).getByRole('alert')
    await refused.getByText('Another decision was recorded first. Yours was not applied.').waitFor()
    await refused.getByText('ann@example.test: approved, through console').waitFor()
    expect(await world.statusOf(id)).toBe('succeeded')
    expect(world.target.requests.filter(({ url }) => url === '/one-gate')).toHaveLength(1)
  })

  test('shows nothing as done before the API has said so, and sends an answer that was lost only once', async () => {
    const id = await parkPost(world, 'lost-answer')
    const page = await openQueue(visitors, ann)
    await gateRow(page, 'lost-answer').focus()
    await page.keyboard.press('a')
    await approvalForm(page).waitFor()
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(NEWS, () => {})
    // the API takes it, and the way back breaks
    await page.route('**/resume', async (route) => {
      await held
      await route.fetch()
      await route.abort()
    })
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sending…' }).waitFor()
    expect(await page.getByRole('status').allInnerTexts()).not.toContain('Approved: POST')
    answer()
    await page.getByText('No answer came, so it is not known whether it was done.').waitFor()
    await page.unroute('**/resume')
    await tabTo(page, 'Approve')
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Approved: POST' }).waitFor()
    expect(await world.statusOf(id)).toBe('succeeded')
    expect(world.target.requests.filter(({ url }) => url === '/lost-answer')).toHaveLength(1)
  })

  test('asks again when the plan changes under the eyes of anyone who approves it', async () => {
    const [before, after] = [await startCanary(), await startCanary()]
    try {
      await world.connectTo(before.url)
      const id = await world.start('shown/through', { inputs: {} })
      await world.waits(id)
      const page = await openQueue(visitors, bob)
      await gateRow(page, `${before.url}/restart`).focus()
      await page.keyboard.press('a')
      await approvalForm(page).waitFor()
      await page.keyboard.type('seen on the dashboard')
      await world.connectTo(after.url)
      expect((await world.answer(id, ann, { decision: 'approve' })).status).toBe(200)
      const changed = page.getByRole('alert').filter({ hasText: 'This has changed while you looked at it' })
      await changed.waitFor()
      await expect.poll(() => changed.innerText()).toContain('ann@example.test: approved')
      expect(await changed.innerText()).toContain(new URL(before.url).host)
      expect(await changed.innerText()).toContain(new URL(after.url).host)
      expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
      await page.keyboard.press('Enter')
      expect([before.connections(), after.connections()]).toEqual([0, 0])
      await tabTo(page, 'I have seen the change')
      await page.keyboard.press('Enter')
      await page.getByText('the plan has changed since it was approved').waitFor()
      await page.keyboard.press('a')
      expect(await approvalForm(page).getByLabel('Note').inputValue()).toBe('seen on the dashboard')
      await page.keyboard.press('Enter')
      await page.getByRole('status').filter({ hasText: 'Approved:' }).waitFor()
      expect(await world.statusOf(id)).toBe('succeeded')
      expect([before.requests.length, after.requests.length]).toEqual([0, 1])
    } finally {
      await Promise.all([before.stop(), after.stop()])
    }
  })
})
