import type { Page } from 'playwright-core'

export interface Frames {
  count: number
  p50_ms: number
  p99_ms: number
  longest_ms: number
  /** most rows of the table that stood in the page at once */
  rows: number
  /** in pixels */
  scrolled: number
}

/** Scrolls a table from its end to its beginning, a screen in every third frame or so, and tells how long the frames took. */
export async function framesWhileScrolling(page: Page, label: string): Promise<Frames> {
  return await page.evaluate<Frames>(`new Promise((resolve) => {
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
      resolve({ count: times.length, p50_ms: at(0.5), p99_ms: at(0.99), longest_ms: at(1), rows, scrolled: from })
    }
    requestAnimationFrame(frame)
  })`)
}
