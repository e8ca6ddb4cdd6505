import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { looksSound, PICTURES } from '#test/support/console-looks.ts'
import { expectHarmless, openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { goTo } from '#test/support/go-to.ts'
import { AUTH_ENV, createIdentities, type Identities, type Member } from '#test/support/identity.ts'
import { type PipelineService, startPipelineService } from '#test/support/pipeline-service.ts'
import { needs } from '#test/support/programs/needs.ts'

const HOSTILE = '"><img src=x onerror="window.hit=1"><script>window.hit=1</script>'

const PIPELINES = `
release:
  title: Release a version
  description: Waits for somebody, then notes it on both sides.
  inputs: { type: object, required: [version], properties: { version: { type: string, title: Version, minLength: 2 } } }
  steps:
    - { id: look, title: Look at it, uses: desk/note, with: { text: "\${{ inputs.version }}" }, timeout: 1m }
    - { id: go, title: Somebody lets it go on, uses: desk/note, needs: [look], gate: manual, timeout: 1h }
    - { id: quiet, title: A quiet hour, schedule: 1h, needs: [look] }
    - { id: left, title: The left side, uses: desk/note, needs: [go], timeout: 1m }
    - { id: right, title: The right side, uses: desk/note, needs: [go], timeout: 1m }
    - { id: join, title: Both together, uses: desk/note, needs: [left, right, quiet], timeout: 1m }
`

let world: PipelineService
let visitors: Visitors
let people: Identities
let owner: Member
let viewer: Member

describe('pipelines in the console', needs('chromium'), () => {
  beforeAll(async () => {
    world = await startPipelineService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: { ...AUTH_ENV, SVC_BUS: 'postgres' },
      pipelines: PIPELINES,
    })
    people = await createIdentities(world)
    owner = people.owner
    viewer = await people.add('viewer', { roles: ['viewer'] })
    visitors = await openVisitors(world)
  })
  afterAll(async () => {
    await visitors?.close()
    await world?.stop()
  })
  afterEach(async () => expect(await visitors.leave()).toEqual([]))

  test('one is started from a form, let go on by hand, and cancelled', async () => {
    const page = await visitors.open(owner, '/console/runs')
    await goTo(page, 'l', 'Pipelines')
    await page.getByRole('link', { name: 'Start a pipeline' }).click()
    const release = page.getByRole('region', { name: 'release' })
    await release.getByRole('button', { name: 'Start release' }).click()
    await page.getByLabel('Version*').fill('1')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('alert').getByText('version').waitFor()
    expect((await world.call<unknown[]>('GET', '/pipelines', undefined, owner.headers)).body).toEqual([])
    await page.getByLabel('Version*').fill('2026.11')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('heading', { name: /Release a version (running|blocked)/ }).waitFor()
    const found = page
      .getByRole('dialog', { name: 'Search or jump to' })
      .getByRole('option', { name: /^release ?Pipeline/ })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /a pipeline/ }).fill('release')
    await found.waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Advance' }).click()
    await page.getByLabel('Note').fill('looked at')
    await page.getByRole('form').getByRole('button', { name: 'Advance' }).click()
    const left = page.getByRole('listitem').filter({ hasText: 'The left side' }).first()
    await left.getByText('succeeded').first().waitFor()
    await page.getByText('looked at').first().waitFor()
    await page.getByText(/^Advanced by .+: looked at$/).waitFor()
    if (PICTURES) await page.evaluate('window.scrollTo(0, 0)')
    await looksSound(page, PICTURES ? 'pipeline' : undefined)

    await page.getByRole('button', { name: 'Cancel the pipeline' }).click()
    await page.getByLabel('Reason').fill('superseded')
    await page.getByRole('button', { name: 'Yes, cancel it' }).click()
    await page.getByRole('heading', { name: 'Release a version cancelled' }).waitFor()
    await page.getByText('it has ended').waitFor()
    await page.goto(`${world.url}/console/pipelines`)
    await page.getByRole('row', { name: /release/ }).waitFor()
    await looksSound(page, PICTURES ? 'pipelines' : undefined)
  })

  test('a viewer sees it all and is offered nothing that would be refused', async () => {
    const started = await world.call<{ pipeline_id: string }>(
      'POST',
      '/pipelines/run',
      { bundle_path: 'desk', inputs: { version: HOSTILE }, reason: HOSTILE },
      owner.headers,
    )
    const id = started.body.pipeline_id
    const page = await visitors.open(viewer, `/console/pipelines/${id}`)
    await page.getByText('when somebody advances it').waitFor()
    await expectHarmless(page)
    for (const name of ['Advance', 'Cancel the pipeline'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await page.goto(`${world.url}/console/pipelines`)
    await page
      .getByRole('row', { name: /release/ })
      .first()
      .waitFor()
    expect(await page.getByRole('link', { name: 'Start a pipeline' }).count()).toBe(0)
  })
})
