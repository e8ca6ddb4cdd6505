import type { Schema } from '#client/create-client.ts'
import type { ApiClient } from '../client/api-client.ts'
import { pc } from '../views/format.ts'
import { followLog } from '../watch/follow-log.ts'
import { showEvent } from '../watch/report.ts'
import { showPending } from '../watch/show-pending.ts'
import { openGate } from '../watch/watch-run.ts'
import type { DemoService } from './demo-service.ts'
import { askModel, showModelRecords } from './model-chapter.ts'

/** Deliveries of the demo's alert. */
const DUPLICATES = 5

/** Builds a webhook of Alertmanager: one group whose alert was delivered several times. */
export function demoAlert(url: string, now: string): object {
  const service = `demo-${new URL(url).port}`
  const labels = { alertname: 'ServiceUnhealthy', service, severity: 'critical', url }
  const alert = {
    status: 'firing',
    labels,
    annotations: { summary: `${service} answers 503` },
    startsAt: now,
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: `${url}/health`,
    fingerprint: 'demo',
  }
  return {
    version: '4',
    groupKey: `{}:{alertname="ServiceUnhealthy",service="${service}"}`,
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'svc',
    groupLabels: labels,
    commonLabels: labels,
    commonAnnotations: alert.annotations,
    externalURL: 'http://alertmanager.example.test',
    alerts: Array.from({ length: DUPLICATES }, () => alert),
  }
}

export interface TourDeps {
  api: ApiClient
  service: DemoService
  say(text: string): void
  /** asks the user at the terminal; `--yes` answers itself */
  ask(pending: Schema<'PendingApproval'>): Promise<'approve' | 'reject'>
  /** verifies the whole chain; answers the number of records, or undefined when the log is not on this machine */
  verifyAudit(): Promise<{ records: number; ok: boolean } | undefined>
  /** address of the engine's Web UI, if any */
  temporalUi: string | undefined
  /** a model for the tour to call while the run waits; undefined: none */
  model?: string | undefined
}

/** The main job, end to end, on a real service with a real fault. Returns whether everything succeeded. */
export async function takeTour(deps: TourDeps): Promise<boolean> {
  const { api, service, say } = deps
  heading(say, 1, 'A service breaks')
  await service.breakIt()
  await showHealth(deps)

  heading(say, 2, `Its alert arrives ${DUPLICATES} times, and one run starts`)
  const { results } = await api.alert(demoAlert(service.url, new Date().toISOString()))
  for (const { outcome, run_id, attached_count } of results)
    say(`   ${outcome.padEnd(9)} ${run_id ?? ''} attached_count=${attached_count ?? 0}`)
  const runId = results.find((result) => result.run_id !== undefined)?.run_id
  if (runId === undefined) throw new Error('no rule matched the alert: is the pack sre loaded?')

  heading(say, 3, 'The run collects evidence and stops at a gate')
  let gateId = ''
  const parkedAt = await followLog(api.stream, runId, {
    afterSeq: 0,
    onEvent(event) {
      showEvent(say, event)
      gateId = String(event.data['gate_id'] ?? '')
      return event.type === 'gate.opened' ? 'enough' : 'continue'
    },
  })
  const pending = await openGate(api, runId, gateId)
  if (pending === undefined) throw new Error(`another answer has decided the gate of ${runId}`)
  showPending(say, pending)
  const chapter = createCounter(4)
  if (deps.model !== undefined) {
    heading(say, chapter(), 'While it waits, a model is called, and the run pays')
    await askModel(deps, { model: deps.model, runId, summary: pending.plan.summary })
  }
  const decision = await deps.ask(pending)

  heading(say, chapter(), `You ${decision}: what was approved is what runs`)
  await api.resume(runId, { decision, plan_hash: pending.plan_hash, note: 'decided in the demo' })
  await followLog(api.stream, runId, {
    afterSeq: parkedAt,
    onEvent(event) {
      showEvent(say, event)
      return 'continue'
    },
  })
  const run = await api.run(runId)
  say(`   run ${pc.bold(run.status)}`)
  const healthy = await showHealth(deps)

  heading(say, chapter(), 'The record proves it')
  const asked = deps.model === undefined || (await showModelRecords(deps, runId))
  const audit = await deps.verifyAudit()
  if (audit === undefined) say('   the audit log is not on this machine; where the service runs, svc lineage reads it')
  else say(`   ${audit.ok ? pc.green('chain ok') : pc.red('chain BROKEN')}: ${audit.records} records verified`)
  showLinks(deps, run)
  return (
    asked &&
    audit?.ok !== false &&
    (decision === 'reject' ? run.status === 'rejected' : run.status === 'succeeded' && healthy)
  )
}

function createCounter(first: number): () => number {
  let next = first
  return () => next++
}

function heading(say: TourDeps['say'], n: number, text: string): void {
  say(`\n${pc.cyan(pc.bold(`${n}. ${text}`))}`)
}

async function showHealth({ service, say }: TourDeps): Promise<boolean> {
  const { status, body } = await service.health()
  say(`   GET ${service.url}/health → ${status === 200 ? pc.green(status) : pc.red(status)} ${JSON.stringify(body)}`)
  return status === 200
}

function showLinks({ api, say, temporalUi }: TourDeps, run: Schema<'Run'>): void {
  say(`\n${pc.bold('Look closer')}`)
  say(`   run      ${api.url}/runs/${run.id}`)
  say(`   report   ${api.url}/runs/${run.id}/report`)
  say(`   API      ${api.url}/docs`)
  if (temporalUi !== undefined) say(`   engine   ${temporalUi}/namespaces/default/workflows/${run.id}`)
  say(`   lineage  npx svc lineage ${run.id}\n`)
}
