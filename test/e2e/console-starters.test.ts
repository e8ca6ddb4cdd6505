import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { looksSound, PICTURES } from '#test/support/console-looks.ts'
import { openVisitors, type Visitors } from '#test/support/console-visitors.ts'
import { AUTH_ENV, createIdentities, type Identities, type Member } from '#test/support/identity.ts'
import { deployment, HOOK } from '#test/support/ingress.ts'
import { needs } from '#test/support/programs/needs.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { signers } from '#test/support/webhook-signers.ts'

const HOSTILE = '"><img src=x onerror="window.hit=1"></pre><script>window.hit=1</script>'
/** what people and senders wrote; pictures are for people too */
const WRITTEN = PICTURES ? 'Looks again when a run has failed' : HOSTILE
const SECRET = 'the secret of a repository'
const SKILL = `---
name: look-again
description: '${WRITTEN}'
run: sre/service-recovery
on: [run.failed]
cron: 0 6 * * *
inputs: { url: "http://127.0.0.1:9/" }
---
Look again.
`

let service: TestService
let visitors: Visitors
let people: Identities
let operator: Member
let viewer: Member

async function deliver(body: string, secret = SECRET): Promise<Record<string, string>> {
  const signed = signers.github({ body: Buffer.from(body), secret, at_s: 0, id: randomUUID() })
  const headers = { 'content-type': 'application/json', 'x-github-event': 'deployment_status', ...signed }
  const answer = await fetch(`${service.url}${HOOK}`, { method: 'POST', headers, body })
  return (await answer.json()) as Record<string, string>
}

describe('what starts runs, in the console', needs('chromium'), () => {
  beforeAll(async () => {
    service = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: { ...AUTH_ENV, SVC_GITHUB_WEBHOOK_SECRET: SECRET },
      workers: 0,
      files: { 'skills/look-again/SKILL.md': SKILL },
    })
    people = await createIdentities(service)
    operator = await people.add('operator', { roles: ['operator'] })
    viewer = await people.add('viewer', { roles: ['viewer'] })
    visitors = await openVisitors(service)
  })
  afterAll(async () => {
    await visitors?.close()
    await service?.stop()
  })
  afterEach(async () => expect(await visitors.leave()).toEqual([]))

  test('shows what happened to a signed delivery at each stage, and why it ended', async () => {
    const page = await visitors.open(operator, '/console/triggers?part=deliveries')
    await page.getByText('No signed delivery is on record.').waitFor()
    const started = await deliver(deployment({ service: 'shop' }))
    const suppressed = await deliver(deployment({ service: 'shop', state: 'pending' }))
    const name = PICTURES ? 'shop' : HOSTILE
    const half = await deliver(JSON.stringify({ deployment_status: { state: 'failure' }, [name]: name }))
    await deliver(deployment({ service: 'forged' }), 'not the secret')
    const stages = (id = '') => page.getByRole('list', { name: `Stages of ${id}` }).getByRole('listitem')
    await stages(half['delivery_id']).first().waitFor()
    expect(await stages(started['delivery_id']).allInnerTexts()).toEqual([
      'Received: passed',
      'Signature: passed',
      'Replay window: not checked Its scheme signs no time.',
      'First of its kind: passed',
      'Condition: passed',
      'Parsed: passed',
      'Rule: passed (deployment-failed)',
      'Run: passed',
    ])
    const [condition, ...after] = (await stages(suppressed['delivery_id']).allInnerTexts()).slice(4)
    expect(condition).toMatch(/^Condition: ended here \(its `when` is not true: /)
    expect(after).toEqual(['Parsed: not reached', 'Rule: not reached', 'Run: not reached'])
    expect((await stages(half['delivery_id']).allInnerTexts())[5]).toMatch(/^Parsed: ended here \(service: /)
    const table = page.getByRole('table', { name: 'Signed deliveries' })
    expect(await table.getByRole('row').count(), 'nothing of what was forged').toBe(4)
    await looksSound(page, 'deliveries', true)
    await table.getByRole('link', { name: started['run_id'] ?? '' }).click()
    await page.waitForURL(`**/console/runs/${started['run_id']}`)
  })

  test('lists skills with what they start and in whose name, and keeps deliveries from a viewer', async () => {
    await service.database.db`
      insert into skill_firings (skill, workspace_id, event_key, message_id, topic, run_id, outcome, reason, settled_at)
      values ('overlay/look-again', 'ws_00000000000000000000000000', 'one', '1', 'run.failed', 'run_1', 'denied', ${WRITTEN}, now())`
    const page = await visitors.open(viewer, '/console/triggers?part=skills')
    const row = page.getByRole('table', { name: 'Skills' }).getByRole('row').filter({ hasText: 'overlay/look-again' })
    await row.getByText('sre/service-recovery').waitFor()
    for (const text of [
      'run.failed',
      'skill:overlay/look-again',
      'by the schedule overlay.look-again',
      'denied',
      WRITTEN,
    ])
      expect(await row.innerText()).toContain(text)
    await looksSound(page)
    expect(await page.getByRole('link', { name: 'Signed deliveries' }).count()).toBe(0)
    await page.goto(`${service.url}/console/triggers?part=deliveries`)
    await page.getByRole('heading', { name: 'Schedules' }).waitFor()
  })
})
