import { mkdirSync, writeFileSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvalPage } from '#api/pages/approval-page.ts'
import { noticeMessage } from '#core/notify/message.ts'
import { mailBody } from '#platform/notify/mail-body.ts'
import { slackMessage } from '#platform/notify/slack-blocks.ts'
import { demoNotice } from '#test/support/demo-notice.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { slackPicture } from '#test/support/slack-picture.ts'

const IMAGES = new URL('../../docs/images/', import.meta.url)
const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 760, height: 900 }

const notice = demoNotice()

function demoPage({ command = notice.command ?? null, code = false } = {}): string {
  const { run_id, environment, risk, summary, because, requested_by } = notice
  const approvals = { have: 1, need: 2, by: ['Bob Example'], missing: 1, missing_text: '1 more approval' }
  return approvalPage(
    {
      ...{
        state: 'open',
        workspace: 'Default',
        template: notice.template,
        login_required: !code,
        nonce: 'n',
        halts: [],
      },
      ...(code ? { tries_left: 5 } : { signed_in_as: 'Ann Example' }),
      details: {
        severity: notice.alert?.severity ?? null,
        ...{ run_id, environment, risk, summary, because, requested_by, reason: null, connection: null, shaped_by: [] },
        ...{ gate_id: notice.gate_id ?? '', step: 'act', operator: 'http.request@1', targets: [`${summary.slice(5)}`] },
        ...{ plan_hash: notice.plan_hash ?? '', expires_at: notice.expires_at ?? '', note_needed: 'reject' },
        command,
        models: null,
        environment_class: 'production',
        needs_confirmation: true,
        approvals,
        message: noticeMessage(notice),
      },
    },
    { can_sign_in: true },
  )
}

let browser: Browser

/** `UPDATE_PICTURES=1` makes the pictures of the documentation again. */
describe('what people see, in a browser', needs('chromium'), () => {
  beforeAll(async () => {
    const { command, env } = programOf('chromium')
    browser = await chromium.launch({
      executablePath: command,
      args: ['--no-sandbox', '--disable-gpu'],
      env: { ...process.env, ...env },
    })
  })
  afterAll(() => browser?.close())

  test.each([
    ['mail-phone', () => mailBody(notice).html, PHONE, 'light'],
    ['mail-desktop', () => mailBody(notice).html, DESKTOP, 'light'],
    ['slack-phone', () => slackPicture(slackMessage('chat', notice)), PHONE, 'light'],
    ['slack-desktop', () => slackPicture(slackMessage('chat', notice)), DESKTOP, 'light'],
    ['approval-phone', demoPage, PHONE, 'dark'],
    ['approval-desktop', demoPage, DESKTOP, 'light'],
  ] as const)(
    '%s is readable: nothing is wider than the window, and its first line stands on the first screen',
    async (name, html, viewport, colorScheme) => {
      const page = await (await browser.newContext({ viewport, colorScheme })).newPage()
      await page.setContent(html())
      const title = page.getByText('restart needs approval, answer by 14:05 UTC (in 55 min)').first()
      const box = await title.boundingBox()
      expect((box?.y ?? 1e6) + (box?.height ?? 0)).toBeLessThan(viewport.height / 2)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
      if (process.env['UPDATE_PICTURES'] === '1') {
        mkdirSync(IMAGES, { recursive: true })
        writeFileSync(new URL(`${name}.png`, IMAGES), await page.screenshot({ fullPage: true }))
      }
      await page.context().close()
    },
  )

  test('asks and is answered on the first screen of a phone, with targets that a finger finds', async () => {
    const page = await (await browser.newContext({ viewport: PHONE })).newPage()
    await page.setContent(demoPage())
    const send = await page.getByRole('button', { name: 'Send the decision' }).boundingBox()
    expect((send?.y ?? 1e6) + (send?.height ?? 0)).toBeLessThanOrEqual(PHONE.height)
    for (const target of [page.locator('.choices label').first(), page.getByRole('button'), page.getByRole('textbox')])
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    expect(await page.getByText(notice.plan_hash ?? '').isVisible(), 'identifiers are folded').toBe(false)
    await page.context().close()
  })

  test.each([360, 390])(
    'keeps the answer on the first screen of %i px, however long the operation is',
    async (width) => {
      const page = await (
        await browser.newContext({ viewport: { width, height: PHONE.height }, javaScriptEnabled: false })
      ).newPage()
      await page.setContent(demoPage({ command: 'GET /a/long/line/of/a/request\n'.repeat(60), code: true }))
      const choices = [page.getByRole('radio', { name: 'Approve' }), page.getByRole('radio', { name: 'Reject' })]
      const send = page.getByRole('button', { name: 'Send the decision' })
      for (const target of [...choices, send]) {
        const box = await target.boundingBox()
        expect((box?.y ?? 1e6) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.height)
      }
      await page.getByLabel('Approve').check()
      await send.click()
      // the browser leads to the code that is missing, above what is pinned
      const code = page.getByLabel(/^Code/)
      await expect.poll(async () => (await code.boundingBox())?.y ?? 1e6).toBeLessThan(PHONE.height)
      const [field, bar] = [await code.boundingBox(), await page.locator('.answer').boundingBox()]
      expect((field?.y ?? 1e6) + (field?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
      // and the end of the page is readable above it
      await page.getByText('Who asked, who may answer').click()
      await page.keyboard.press('End')
      const end = async () => await page.locator('td').last().boundingBox()
      await expect.poll(async () => ((await end())?.y ?? 1e6) + ((await end())?.height ?? 0)).toBeLessThan(bar?.y ?? 0)
      await page.context().close()
    },
  )

  test('what is typed on the page is readable in the dark', async () => {
    const page = await (await browser.newContext({ viewport: PHONE, colorScheme: 'dark' })).newPage()
    await page.setContent(demoPage())
    const [ink, paper] = (await page.evaluate(
      `(() => { const { color, backgroundColor } = getComputedStyle(document.querySelector('textarea')); return [color, backgroundColor] })()`,
    )) as [string, string]
    expect(contrast(ink, paper)).toBeGreaterThan(7)
    await page.context().close()
  })
})

/** WCAG 2.2, contrast ratio. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(rgb: string): number {
  const [r = 0, g = 0, b = 0] = [...rgb.matchAll(/\d+/g)].map(([value]) => {
    const part = Number(value) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
