import { describe, expect, test } from 'vitest'
import { signOut } from '#test/support/console-visitors.ts'
import { needs } from '#test/support/programs/needs.ts'
import { queueConsole } from '#test/support/queue-console.ts'
import { approvalForm, gateRow, openQueue, parkPost } from '#test/support/queue-page.ts'

const { world, visitors, ann, bob } = queueConsole({
  ann: { roles: ['operator'] },
  bob: { roles: ['approver'] },
})

/** Where a run stands, and who has answered its gate. */
async function stateOf(id: string) {
  const { body } = await world.service.call<{ status: string; gates: { decisions?: object[] }[] }>(
    ...(['GET', `/runs/${id}`, undefined, world.people.owner.headers] as const),
  )
  return { status: body.status, answers: body.gates.flatMap(({ decisions = [] }) => decisions) }
}
const WAITS = { status: 'awaiting_approval', answers: [] }

describe('a page of the console that changes while somebody reads it', needs('chromium'), () => {
  test('goes on with nothing in the name of anyone who signs in in another tab', async () => {
    const id = await parkPost(world, 'begun-by-ann')
    const other = await visitors.open(bob, '/console/runs')
    const page = await openQueue(visitors, ann)
    await gateRow(page, 'begun-by-ann').focus()
    await page.keyboard.press('a')
    await approvalForm(page).waitFor()
    await page.keyboard.type('words of ann')
    await page.context().addCookies(await other.context().cookies())
    await page.getByRole('status').filter({ hasText: 'Somebody else has signed in in this browser.' }).waitFor()
    await page.getByText('bob@example.test').waitFor()
    await page.keyboard.press('Enter')
    await gateRow(page, 'begun-by-ann').waitFor()
    expect(await approvalForm(page).count()).toBe(0)
    expect(await page.content()).not.toContain('words of ann')
    expect(await stateOf(id)).toEqual(WAITS)
    await world.answer(id, ann, { decision: 'reject' })
  })

  test('takes the rest of a note for no keys when the gate goes that it was written for', async () => {
    const [looked, next] = [await parkPost(world, 'looked-at'), await parkPost(world, 'never-looked-at')]
    const page = await openQueue(visitors, bob)
    await gateRow(page, 'looked-at').first().focus()
    await page.keyboard.press('a')
    await approvalForm(page).waitFor()
    await page.keyboard.type('this was ')
    await world.answer(looked, ann, { decision: 'reject' })
    const gone = page.getByRole('alert').filter({ hasText: 'This gate is closed' })
    await gone.waitFor()
    // as commands: only mine, go to the runs, approve the first gate
    await page.keyboard.type('m')
    await page.keyboard.type('ade by hand, go right')
    expect(await gone.count(), 'the page is where it was').toBe(1)
    expect(await approvalForm(page).count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/console/gates')
    await page.keyboard.press('Enter')
    expect(await stateOf(next)).toEqual(WAITS)
    // leaves the answer, then the gate
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key)
    await gone.waitFor({ state: 'detached' })
    await gateRow(page, 'never-looked-at').focus()
    await page.keyboard.press('a')
    await approvalForm(page).waitFor()
    await world.answer(next, ann, { decision: 'reject' })
  })

  test('leaves nothing of what was read in the browser once its reader has signed out', async () => {
    const dee = await world.people.add('dee', { roles: ['viewer'] })
    const id = await parkPost(world, 'read-by-dee')
    const page = await openQueue(visitors, dee)
    await gateRow(page, 'read-by-dee').waitFor()
    await signOut(page)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const kept = `fetch('/approvals?limit=200', { cache: 'only-if-cached', mode: 'same-origin' })
      .then((answer) => answer.text(), () => 'nothing is kept')`
    expect(await page.evaluate(kept)).not.toContain(id)
    expect(await page.content()).not.toContain(id)
    await world.answer(id, ann, { decision: 'reject' })
  })

  test('gives back no role that somebody else took away while its form was open', async () => {
    const cid = await world.people.add('cid', { roles: ['operator'] })
    const page = await visitors.open(world.people.owner, '/console/admin?part=users')
    await page.getByRole('button', { name: 'Change cid@example.test' }).click()
    const edit = page.getByRole('region', { name: 'Change cid@example.test' })
    await edit.getByRole('checkbox', { name: 'approver' }).check()
    const roles = async () => {
      const { body } = await world.service.call<{ id: string; roles: string[] }[]>(
        ...(['GET', '/admin/users', undefined, world.people.owner.headers] as const),
      )
      return body.find((user) => user.id === cid.id)?.roles
    }
    await world.service.call('PATCH', `/admin/users/${cid.id}`, { roles: ['viewer'] }, world.people.owner.headers)
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.getByText('Somebody else has changed it in the meantime; nothing was saved.').waitFor()
    expect(await roles()).toEqual(['viewer'])
    await edit.getByRole('button', { name: 'Show it as it is now' }).click()
    await expect.poll(() => edit.getByRole('checkbox', { name: 'operator' }).isChecked()).toBe(false)
    await edit.getByRole('checkbox', { name: 'approver' }).check()
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    expect((await roles())?.toSorted()).toEqual(['approver', 'viewer'])
  })
})
