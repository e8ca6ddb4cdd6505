import type { Page } from 'playwright-core'
import { vi } from 'vitest'
import { PATIENCE } from './patience.ts'

/** Presses `g` and the key of a page until that is there: on a slow machine the second key may come too late, or both too early. */
export async function goTo(page: Page, key: string, title: string): Promise<void> {
  const heading = page.getByRole('heading', { name: title, exact: true })
  await vi.waitFor(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await heading.waitFor({ timeout: 2_000 })
  }, PATIENCE)
}
