import type { BrowserContext, Page } from 'playwright-core'
import { TestRunner } from 'vitest'
import { PATIENCE } from './patience.ts'

/** A page of the console, and everything on it that must not be: errors, refusals of its policy, requests to anybody but its own server. */
export interface WatchedPage {
  page: Page
  faults: string[]
}

/** Opens a part of the page of a run by its tab. */
export const openPart = (page: Page, name: string): Promise<void> =>
  page
    .getByRole('navigation', { name: 'Parts of this page' })
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .click()

export async function watchPage(context: BrowserContext, origin: string): Promise<WatchedPage> {
  context.setDefaultTimeout(PATIENCE.timeout)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => void faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // a refusal of the API is an answer that the page shows
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) faults.push(message.text())
  })
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.request().method()} ${response.url()}`)
  })
  const close = context.close.bind(context)
  context.close = async (options) => {
    if (TestRunner.getCurrentTest()?.result?.state === 'fail') await showPage(page, refused)
    await close(options)
  }
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) faults.push(`asked ${url}`)
  })
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI)
  })`)
  return { page, faults }
}

/** Prints what a page showed when its test failed. */
async function showPage(page: Page, refused: string[]): Promise<void> {
  const text = await page.locator('body').ariaSnapshot({ timeout: 5_000 })
  console.log([page.url(), ...refused, text].join('\n'))
}
