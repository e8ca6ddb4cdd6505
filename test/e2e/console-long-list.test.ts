import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { AUTH_ENV, createIdentities } from '#test/support/identity.ts'
import { writeManyRuns } from '#test/support/many-runs.ts'
import { needs } from '#test/support/programs/needs.ts'
import { framesWhileScrolling } from '#test/support/scroll-frames.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

/** `CONSOLE_RUNS=143000` shows a hundred thousand to the workspace, which has seven of ten. */
const WRITTEN = Number(process.env['CONSOLE_RUNS'] ?? 8_000)
const LISTED = Math.floor((WRITTEN * 7) / 10)
/** far more than a screen shows, and far less than there are */
const MAX_ROWS = 120
// of some 20 for the 13 rows that come with each of these frames
const MAX_CPU_MS_A_FRAME = 60
/** of the page in kB a run, in memory: what is not looked at is data and nothing drawn */
const MAX_KB_A_RUN = 16
const PATIENCE_MS = 90_000 + LISTED * 20

let service: TestService
let visitors: Visitors

const box = (page: Page) => page.getByRole('region', { name: 'Runs', exact: true })
const rows = (page: Page) => page.getByRole('table', { name: 'Runs' }).locator('tbody tr[aria-rowindex]')

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return Math.round(usedSize / 1_000)
}

describe('a long list of runs', needs('chromium'), () => {
  beforeAll(async () => {
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: AUTH_ENV,
      workers: 0,
    })
    await writeManyRuns(service.database.owner_url, { to: WRITTEN })
    visitors = await openVisitors(service)
  }, PATIENCE_MS)
  afterAll(async () => {
    await visitors?.close()
    await service?.stop()
  })

  test(
    'is scrolled to its end and back, every page of it, with few rows drawn',
    async () => {
      const { owner } = await createIdentities(service)
      const page = await visitors.open(owner, '/console/runs')
      await rows(page).first().waitFor()
      const before_kb = await heapOf(page)
      const began = Date.now()
      // to the end as fast as it comes, as somebody who holds the End key
      const end = await page.evaluate<{ rows: number; listed: number }>(`new Promise((resolve) => {
        const box = document.querySelector('section[aria-label="Runs"]')
        const table = box.querySelector('table')
        let most = 0
        const look = () => {
          most = Math.max(most, table.querySelectorAll('tbody tr[aria-rowindex]').length)
          const listed = Number(table.getAttribute('aria-rowcount')) - 1
          if (listed >= ${LISTED}) return resolve({ rows: most, listed })
          box.scrollTop = box.scrollHeight
          requestAnimationFrame(look)
        }
        look()
      })`)
      const took_s = (Date.now() - began) / 1_000
      expect(end.listed).toBe(LISTED)
      expect(end.rows).toBeLessThan(MAX_ROWS)
      await box(page).evaluate((frame: { scrollTop: number; scrollHeight: number }) => {
        frame.scrollTop = frame.scrollHeight
      })
      await page.locator(`a[href*="run_${'0'.repeat(25)}1"]`).waitFor()
      expect(await rows(page).count()).toBeLessThan(MAX_ROWS)
      const kb_a_run = ((await heapOf(page)) - before_kb) / LISTED
      expect(kb_a_run).toBeLessThan(MAX_KB_A_RUN)

      const frames = await framesWhileScrolling(page, 'Runs')
      expect(frames.rows).toBeLessThan(MAX_ROWS)
      expect(frames.scrolled).toBeGreaterThan(LISTED * 30)
      expect(frames.cpu_ms).toBeLessThan(MAX_CPU_MS_A_FRAME)
      await page.getByRole('table', { name: 'Runs' }).locator('tbody tr[aria-rowindex="2"]').waitFor()
      process.stderr.write(
        `${LISTED} runs: all loaded in ${took_s.toFixed(1)} s, ${kb_a_run.toFixed(1)} kB a run, ${JSON.stringify(frames)}\n`,
      )
      expect(await visitors.leave()).toEqual([])
    },
    PATIENCE_MS,
  )
})
