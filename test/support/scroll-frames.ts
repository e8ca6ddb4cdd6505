import type { Page } from 'playwright-core'

export interface Frames {
  count: number
  /** processor time of the page's thread, for one frame of `count` on average */
  cpu_ms: number
  p50_ms: number
  p99_ms: number
  /** most rows of the table that stood in the page at once */
  rows: number
  /** in pixels */
  scrolled: number
}

/**
 * Scrolls a table from its end to its beginning, a screen in every third frame or so, and tells what the frames took.
 * The times between them are to be read: on a machine that others use they say how busy it is. What a page costs is its
 * processor time.
 */
export async function framesWhileScrolling(page: Page, label: string): Promise<Frames> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taskSeconds = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ??
    Number.NaN
  const before_s = await taskSeconds()
  const frames = await page.evaluate<Omit<Frames, 'cpu_ms'>>(`new Promise((resolve) => {
    const box = document.querySelector('section[aria-label=${JSON.stringify(label)}]')
    box.scrollTop = box.scrollHeight
    const from = box.scrollTop
    const step = Math.max(120, from / 400)
    const times = []
    let rows = 0
    let last = performance.now()
    const frame = (now) => {
      times.push(now - last)
      last = now
      rows = Math.max(rows, box.querySelectorAll('tbody tr').length)
      box.scrollTop -= step
      if (box.scrollTop > 0) return requestAnimationFrame(frame)
      times.sort((one, other) => one - other)
      const at = (share) => Math.round(times[Math.floor((times.length - 1) * share)] * 10) / 10
      resolve({ count: times.length, p50_ms: at(0.5), p99_ms: at(0.99), rows, scrolled: from })
    }
    requestAnimationFrame(frame)
  })`)
  const cpu_ms = ((await taskSeconds()) - before_s) * 1_000
  await session.detach()
  return { ...frames, cpu_ms: Math.round((cpu_ms / frames.count) * 10) / 10 }
}
