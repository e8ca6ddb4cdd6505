import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe finds on the page as it stands that is serious or worse, or outside of any landmark, in a line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<{ impact: string; id: string; targets: string[] }[]>(
    `axe.run(document).then(({ violations }) => violations.map(({ impact, id, nodes }) =>
       ({ impact, id, targets: nodes.map(({ target }) => target.join(' ')) })))`,
  )
  return found
    .filter(({ impact, id }) => impact === 'serious' || impact === 'critical' || id === 'region')
    .map(({ impact, id, targets }) => `${impact} ${id}: ${targets.slice(0, 3).join(', ')}`)
}
