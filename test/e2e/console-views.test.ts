import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { looksSound } from '#test/support/console-looks.ts'
import { needs } from '#test/support/programs/needs.ts'
import { queueConsole } from '#test/support/queue-console.ts'
import { openQueue, parkPost } from '#test/support/queue-page.ts'

const { world, visitors, ann, bob } = queueConsole({
  ann: { roles: ['operator'] },
  bob: { roles: ['approver'] },
})

const views = (page: Page) => page.getByRole('region', { name: 'Saved views' })

async function keep(page: Page, name: string, by = 'Save this view'): Promise<void> {
  await views(page).getByRole('button', { name: by }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await views(page).getByRole('button', { name, exact: true, pressed: true }).waitFor()
}

describe('saved views', needs('chromium'), () => {
  test('are kept by name for one person, on each of their devices, renamed, replaced and deleted', async () => {
    await parkPost(world, 'of-the-view', { environment: 'live' })
    const page = await openQueue(visitors, bob, { path: '/console/gates?environment=live&risk=medium' })
    await keep(page, 'live ones')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL((url) => !url.searchParams.has('environment'))

    for (const name of ['a first one with a long name', 'a second one with a long name']) {
      await page.goto(`${world.service.url}/console/gates?environment=${name.split(' ')[1]}`)
      await keep(page, name)
    }
    const phone = await openQueue(visitors, bob, { viewport: { width: 390, height: 800 } })
    await views(phone).getByRole('button', { name: 'live ones' }).click()
    await phone.waitForURL((url) => url.searchParams.get('environment') === 'live')
    const open = await views(phone).getByRole('button', { name: 'live ones', exact: true }).boundingBox()
    expect((open?.x ?? 1e6) + (open?.width ?? 0), 'the open one is in sight').toBeLessThan(390)
    await keep(phone, 'production', 'Rename this view')
    expect(await views(phone).getByRole('button', { name: 'live ones' }).count()).toBe(0)
    await looksSound(phone)

    // the same name again is the same view with other filters
    await phone.getByRole('button', { name: 'Remove the filter Risk' }).click()
    await phone.waitForURL((url) => !url.searchParams.has('risk'))
    await keep(phone, 'production')
    await page.reload()
    await views(page).getByRole('button', { name: 'production' }).click()
    await page.waitForURL((url) => url.searchParams.get('environment') === 'live' && !url.searchParams.has('risk'))
    await views(page).getByRole('button', { name: 'Delete the view production' }).click()
    await views(page).getByRole('button', { name: 'production', exact: true }).waitFor({ state: 'detached' })
    const other = await openQueue(visitors, ann, { path: '/console/gates' })
    expect(await views(other).count()).toBe(0)
  })

  test('are there on Runs as well, by themselves', async () => {
    const page = await visitors.open(bob, '/console/runs?status=failed')
    await keep(page, 'failed')
    await page.goto(`${world.service.url}/console/gates?risk=high`)
    await views(page).getByRole('button', { name: 'Save this view' }).waitFor()
    expect(await views(page).getByRole('button', { name: 'failed' }).count()).toBe(0)
    await page.goto(`${world.service.url}/console/runs`)
    await views(page).getByRole('button', { name: 'failed' }).click()
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed')
  })
})
