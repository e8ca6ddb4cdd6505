import type { Page } from 'playwright-core'
import { vi } from 'vitest'
import { PATIENCE } from './patience.ts'

/** What has the focus of somebody who uses the keyboard alone. */
const focused = (page: Page) => page.evaluate<string>("document.activeElement?.innerText ?? ''")

/** Goes from one thing to the next until the one of this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if ((await focused(page)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no Tab leads to ${name}`)
}

/**
 * Answers what the keys stand on: approves, or rejects where nobody may approve. Says what was done, in the page's own words; nothing where
 * the list has changed meanwhile, and the keys stand on none of it any more.
 */
async function answerOne(page: Page): Promise<string | undefined> {
  const form = page.getByRole('form', { name: /^You (approve|reject)$/ })
  const moved = form.or(page.locator('body:not(:has(li button:focus))')).first()
  let row = ''
  // a key that comes while the list is drawn again is lost
  await vi.waitFor(async () => {
    row = await focused(page)
    // it has become one of a group
    if (/^\d+ equal gates/.test(row)) return
    if (!(await moved.isVisible())) await page.keyboard.press(row.includes('nobody may approve') ? 'r' : 'a')
    await moved.waitFor({ timeout: 5_000 })
  }, PATIENCE)
  if (!(await form.isVisible())) return undefined
  const asked = await form.innerText()
  if (asked.includes('Yes, do it.')) {
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
  }
  if (asked.includes('Note (required)')) await page.keyboard.type('looked at it')
  const [, summary = ''] = /You (?:approve|reject): (.*)/.exec(asked) ?? []
  await page.keyboard.press('Enter')
  const refused = form.getByRole('alert')
  // while the form is there, a key is a letter of its note
  await refused.or(page.locator('body:not(:has(li form))')).first().waitFor()
  if (await refused.isVisible()) throw new Error(`refused: ${await refused.innerText()}\n${row}`)
  return await page.getByRole('status').filter({ hasText: summary }).innerText()
}

/** Answers a group by one confirmation, and says of each gate what became of it. */
async function answerGroup(page: Page): Promise<string[]> {
  await page.keyboard.press('Enter')
  const rows = page
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.getByRole('link') })
  await rows.first().waitFor()
  const section = page.locator('li section', { has: page.getByRole('table') })
  const asked = await section.innerText()
  if (asked.includes('confirmed by itself') || asked.includes('none is chosen beforehand'))
    for (let count = await rows.count(); count > 0; count--) {
      await page.keyboard.press('j')
      await page.keyboard.press('x')
    }
  await page.keyboard.press(asked.includes('nobody may approve') ? 'R' : 'A')
  const form = page.getByRole('form', { name: /^You (approve|reject)$/ })
  await form.waitFor()
  const text = await form.innerText()
  if (text.includes('Yes, do these')) {
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
  }
  if (text.includes('Note (required)')) await page.keyboard.type('looked at it')
  await page.keyboard.press('Enter')
  await form.waitFor({ state: 'detached' })
  const done = await rows.allInnerTexts()
  await page.keyboard.press('Escape')
  await section.waitFor({ state: 'detached' })
  return done
}

/** Clears whatever waits for the person at this keyboard, from what is to be seen alone. */
export async function clearQueue(page: Page): Promise<string[]> {
  const done: string[] = []
  const nothing = page.getByText('Nothing waits for you.', { exact: true })
  for (;;) {
    await nothing.or(page.locator('li button')).first().waitFor()
    if (await nothing.isVisible()) return done
    const isOnRow = (await page.locator('li button:focus').count()) > 0
    if (isOnRow && /^\d+ equal gates/.test(await focused(page))) {
      done.push(...(await answerGroup(page)))
      continue
    }
    const answered = isOnRow ? await answerOne(page) : undefined
    if (answered !== undefined) done.push(answered)
    else await page.keyboard.press('j')
  }
}
