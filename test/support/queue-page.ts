import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Visitors } from './console-visitors.ts'
import type { Member } from './identity.ts'
import type { QueueWorld } from './queue-world.ts'

/** What data may say that should not happen. */
export const QUEUE_HOSTILE = '"><img src=x onerror="window.hit=1"></pre><script>window.hit=1</script>\u202egnp.exe'

/** A gate in the queue, by what its line says. */
export const gateRow = (page: Page, text: string | RegExp) =>
  page.getByRole('list', { name: 'Waiting for an answer' }).getByRole('button', { name: text })

export const approvalForm = (page: Page) => page.getByRole('form', { name: 'You approve' })

/** The page of the queue in a browser of this person. */
export async function openQueue(
  visitors: Visitors,
  who: Member,
  at: { path?: string } & BrowserContextOptions = {},
): Promise<Page> {
  const { path = '/console/gates', ...options } = at
  const page = await visitors.open(who, path, options)
  await page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor()
  return page
}

/** A run that waits for an answer before it posts to an address of this name. */
export async function parkPost(world: QueueWorld, name: string, body: object = {}): Promise<string> {
  const id = await world.post(name, { environment: 'plain', ...body })
  await world.waits(id)
  return id
}
