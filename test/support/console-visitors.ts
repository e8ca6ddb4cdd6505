import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { type WatchedPage, watchPage } from './console-browser.ts'
import { AUTH_ENV, type Member } from './identity.ts'
import { PATIENCE } from './patience.ts'
import { programOf } from './programs/needs.ts'
import type { TestService } from './service.ts'

type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>

/** People with browsers of their own before the console of a service. Each signs in once: sign-ins are counted. */
export async function openVisitors(service: TestService) {
  const { command, env } = programOf('chromium')
  const browser: Browser = await chromium.launch({
    executablePath: command,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    env: { ...process.env, ...env },
  })
  const sessions = new Map<string, Cookies>()
  const watched: WatchedPage[] = []
  await vi.waitFor(async () => expect((await fetch(`${service.url}/console`)).status).toBe(200), PATIENCE)
  return {
    async open(who: Member, path: string, options: BrowserContextOptions = {}): Promise<Page> {
      const known = sessions.get(who.id)
      const page = await visit(path, known, options)
      if (known === undefined) {
        await page.getByLabel('Mail address').fill(who.email)
        await page.getByLabel('Password').fill(AUTH_ENV.SVC_ADMIN_PASSWORD)
        await page.getByRole('button', { name: 'Sign in' }).click()
      }
      await page.getByRole('button', { name: /^Account of / }).waitFor()
      if (known === undefined) sessions.set(who.id, await page.context().cookies())
      return page
    },
    /** somebody whom nobody knows yet */
    openAsStranger: (path: string): Promise<Page> => visit(path),
    /** ends what is open, and answers with everything that should not have been on any page */
    async leave(): Promise<string[]> {
      const all = watched.splice(0)
      await Promise.all(all.map(({ page }) => page.context().close()))
      return all.flatMap(({ faults }) => faults)
    },
    close: () => browser.close(),
  }

  async function visit(path: string, cookies: Cookies = [], options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options })
    const one = await watchPage(context, service.url)
    watched.push(one)
    await context.addCookies(cookies)
    await one.page.goto(`${service.url}${path}`)
    return one.page
  }
}

export type Visitors = Awaited<ReturnType<typeof openVisitors>>

/** Ends the session of this person by the menu of their account. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of / }).click()
  await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
}

/** Nothing of what is shown has run, and the page is no wider than the screen. */
export async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate('window.hit')).toBeUndefined()
  const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  await expect.poll(() => page.evaluate(wider)).toBeLessThanOrEqual(0)
}

/**
 * Presses a button that asks once more, until it asks, and says yes. What loads above a button moves it away between the press and the
 * release of the mouse, and then neither it nor the browser takes that for a click.
 */
export async function agree(within: Page | Locator, ask: Locator, yes: string): Promise<void> {
  const sure = within.getByRole('button', { name: yes })
  await vi.waitFor(async () => {
    if (!(await sure.isVisible())) await ask.click({ timeout: 1_000 })
    await sure.waitFor({ timeout: 1_000 })
  }, PATIENCE)
  await sure.click()
}
