import { type Browser, chromium } from 'playwright-core'
import { expect, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import type { EventDraft } from '#core/run/event.ts'
import { createIds } from '#platform/ids.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { watchPage } from './console-browser.ts'
import { AUTH_ENV, createIdentities } from './identity.ts'
import { PATIENCE } from './patience.ts'
import { programOf } from './programs/needs.ts'
import { awaiting } from './recovery.ts'
import { startTestService } from './service.ts'

const PASSWORD = AUTH_ENV.SVC_ADMIN_PASSWORD
const DEVELOPMENT = 'apiVersion: svc/v1\nname: development\nclass: development\negress: [loopback]\n'

/** What data may say that should not happen. */
export const HOSTILE = {
  markup: '<img src=x onerror="window.broken=1"><script>window.broken=1</script>',
  picture: '![pixel](http://pixel.example.test/a.png) [link](javascript:window.broken=1)',
  long: `${'W'.repeat(300)}\u202egnihton`,
}

export type RecordWorld = Awaited<ReturnType<typeof openRecordWorld>>

/** A service whose runs recover a small service, people with different rights, and a browser. */
export async function openRecordWorld(servers: { postgres_url: string; temporal_address: string }) {
  const { command, env } = programOf('chromium')
  const browser: Browser = await chromium.launch({
    executablePath: command,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    env: { ...process.env, ...env },
  })
  const service = await startTestService({
    ...servers,
    env: AUTH_ENV,
    files: { 'environments/development.yaml': DEVELOPMENT },
  })
  const demo: DemoService = await startDemoService()
  const people = await createIdentities(service)
  const operator = await people.add('operator', { roles: ['operator'] })
  const approver = await people.add('approver', { roles: ['approver'] })
  const viewer = await people.add('viewer', { roles: ['viewer'] })
  const built = async () => expect((await fetch(`${service.url}/console`)).status).toBe(200)
  await vi.waitFor(built, PATIENCE)
  const store = createRunStore(service.database.db)
  const ids = createIds()
  const { headers } = people.owner
  let signedIn = 0

  const breakDemo = () => fetch(`${demo.url}/fault`, { method: 'POST' })
  const waits = (id: string) =>
    awaiting({ ...service, until: (path, done, within) => service.until(path, done, within, headers) }, id)

  return {
    ...{ service, demo, browser, people, operator, approver, viewer, waits },

    /** Opens an address of the console as somebody new: nobody may sign in often. */
    async open(
      path: string,
      role: 'viewer' | 'operator' | 'approver',
      options: { base?: string; phone?: boolean; dark?: boolean } = {},
    ) {
      const base = options.base ?? service.url
      signedIn += 1
      const who = await people.add(`somebody-${signedIn}`, { roles: [role] })
      const context = await browser.newContext({
        locale: 'en-GB',
        timezoneId: 'Asia/Tokyo',
        colorScheme: options.dark ? 'dark' : 'light',
        viewport: options.phone ? { width: 375, height: 812 } : { width: 1280, height: 900 },
      })
      const watched = await watchPage(context, new URL(base).origin)
      await watched.page.goto(`${base}${path}`)
      await watched.page.getByLabel('Mail address').fill(who.email)
      await watched.page.getByLabel('Password').fill(PASSWORD)
      await watched.page.getByRole('button', { name: 'Sign in' }).click()
      return watched
    },

    /** A run that an alert started, with a second member, waiting for an approval. */
    async alertRun(name: string): Promise<string> {
      await breakDemo()
      const alert = (instance: string) => ({
        status: 'firing',
        labels: {
          alertname: 'ServiceUnhealthy',
          service: name,
          severity: 'critical',
          url: demo.url,
          instance,
          note: HOSTILE.long,
        },
        annotations: { summary: `${HOSTILE.markup} is ill`, description: HOSTILE.picture },
        startsAt: '2026-01-01T00:00:00Z',
        endsAt: '0001-01-01T00:00:00Z',
        generatorURL: 'javascript:window.broken=1',
        fingerprint: instance,
      })
      const body = { version: '4', status: 'firing', receiver: 'svc', alerts: [alert('one'), alert('two')] }
      const sent = await service.call<{ results: { run_id?: string }[] }>('POST', '/triggers/alert', body, headers)
      const id = sent.body.results[0]?.run_id
      if (id === undefined) throw new Error(`no run started: ${JSON.stringify(sent.body)}`)
      await waits(id)
      return id
    },

    /** A run that the operator started, waiting for an approval. */
    async manualRun(reason: string): Promise<string> {
      await breakDemo()
      const start = { inputs: { url: demo.url }, reason }
      const { body } = await service.call<{ id: string }>(
        'POST',
        '/packs/sre/service-recovery/run',
        start,
        operator.headers,
      )
      await waits(body.id)
      return body.id
    },

    approve: (id: string, note: string) =>
      service.call('POST', `/runs/${id}/resume`, { decision: 'approve', note }, approver.headers),

    /** Writes so many lines into the log of a step, as the product does. */
    async writeEvents(id: string, count: number, message: (n: number) => string): Promise<void> {
      const events = Array.from(
        { length: count },
        (_, n): EventDraft => ({
          key: ids.next('request'),
          type: 'step.log',
          step: 'evidence',
          data: { message: message(n) },
        }),
      )
      for (let from = 0; from < count; from += 500) await store.appendEvents(id, events.slice(from, from + 500))
    },

    /** Puts so many records in line for the chain. */
    async writeRecords(count: number, actor: string): Promise<void> {
      const draft = (n: number) => ({
        id: ids.next('audit'),
        ts: new Date(Date.UTC(2026, 0, 5) + n * 1_000).toISOString(),
        category: 'admin' as const,
        action: 'user.changed',
        workspace_id: 'ws_00000000000000000000000000',
        actor: { type: 'user' as const, id: actor, auth: 'jwt' as const },
        channel: 'api',
        subject: { type: 'user', id: `=usr_${n}` },
        data: { n, said: HOSTILE.markup },
      })
      await store.appendAudit(Array.from({ length: count }, (_, n) => draft(n)))
    },

    async close(): Promise<void> {
      await browser.close()
      await demo.stop()
      await service.stop()
    },
  }
}
