import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousFindings } from './console-axe.ts'
import { expectHarmless } from './console-visitors.ts'

/** Whether the pictures of the documents are taken again; what is on them is for people, and not hostile. */
export const PICTURES = process.env['UPDATE_SCREENSHOTS'] === '1'

/** A page as it looks, wide and light or narrow and dark, free of serious findings and no wider than its screen. */
export async function looksSound(page: Page, picture?: string, small = false): Promise<void> {
  const isTaken = PICTURES && picture !== undefined
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(await seriousFindings(page)).toEqual([])
  await expectHarmless(page)
  if (isTaken) await page.screenshot({ path: `docs/images/console-${picture}.png` })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 375, height: 800 })
  expect(await seriousFindings(page)).toEqual([])
  await expectHarmless(page)
  if (isTaken && small) await page.screenshot({ path: `docs/images/console-${picture}-small.png` })
  await page.setViewportSize({ width: 1280, height: 800 })
}
