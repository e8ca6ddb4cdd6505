import pc from 'picocolors'
import type { PendingApproval } from '#core/run/approval-schema.ts'
import { type ApiClient, ApiProblem } from '../api-client.ts'
import type { Run, RunEvent } from '../api-types.ts'
import type { DemoService } from './demo-service.ts'

const DUPLICATES = 5

export interface TourDeps {
  api: ApiClient
  service: DemoService
  say(text: string): void
  /** asks the person at the terminal; `--yes` answers itself */
  ask(pending: PendingApproval): Promise<'approve' | 'reject'>
  /** verifies the whole chain; answers the number of records, or undefined when the log is not on this machine */
  verifyAudit(): Promise<{ records: number; ok: boolean } | undefined>
  temporalUi: string
}

/** The main job, end to end, on a real service with a real fault. Answers whether everything held. */
export async function takeTour(deps: TourDeps): Promise<boolean> {
  const { api, service, say } = deps
  heading(say, 1, 'A service breaks')
  await service.breakIt()
  await showHealth(deps)

  heading(say, 2, `Its alert arrives ${DUPLICATES} times, and one run starts`)
  const { results } = await api.alert(alertmanagerPayload(service.url))
  for (const { outcome, run_id, attached_count } of results)
    say(`   ${outcome.padEnd(9)} ${run_id ?? ''} attached_count=${attached_count ?? 0}`)
  const runId = results.find((result) => result.run_id !== undefined)?.run_id
  if (runId === undefined) throw new Error('no rule matched the alert: is the pack `sre` loaded?')

  heading(say, 3, 'The run collects evidence and stops at a gate')
  const parkedAt = await api.follow(runId, 0, (event) => {
    showEvent(say, event)
    return event.type === 'gate.opened' ? 'enough' : 'go on'
  })
  const pending = await untilPending(api, runId)
  showPending(say, pending)
  const decision = await deps.ask(pending)

  heading(say, 4, `You ${decision}: what was approved is what runs`)
  await api.resume(runId, { decision, plan_hash: pending.plan_hash, note: 'decided in the demo' })
  await api.follow(runId, parkedAt, (event) => {
    showEvent(say, event)
    return 'go on'
  })
  const run = await api.run(runId)
  say(`   run ${pc.bold(run.status)}`)
  const healthy = await showHealth(deps)

  heading(say, 5, 'The record proves it')
  const audit = await deps.verifyAudit()
  if (audit === undefined) say('   the audit log is not on this machine; run `svc lineage` where the service runs')
  else say(`   ${audit.ok ? pc.green('chain ok') : pc.red('chain BROKEN')}: ${audit.records} records verified`)
  showLinks(deps, run)
  return (
    audit?.ok !== false && (decision === 'reject' ? run.status === 'rejected' : run.status === 'succeeded' && healthy)
  )
}

function heading(say: TourDeps['say'], n: number, text: string): void {
  say(`\n${pc.cyan(pc.bold(`${n}. ${text}`))}`)
}

async function showHealth({ service, say }: TourDeps): Promise<boolean> {
  const { status, body } = await service.health()
  say(`   GET ${service.url}/health → ${status === 200 ? pc.green(status) : pc.red(status)} ${JSON.stringify(body)}`)
  return status === 200
}

function showEvent(say: TourDeps['say'], event: RunEvent): void {
  const what = [event.step, summaryOf(event)].filter(Boolean).join(' ')
  say(`   ${pc.dim(String(event.seq).padStart(2))} ${event.type.padEnd(16)} ${what}`)
}

function summaryOf({ type, data }: RunEvent): string {
  if (type === 'policy.decided') return pc.dim(`${data['effect']}, gate ${data['gate'] === true ? 'on' : 'off'}`)
  if (type === 'gate.decision') return pc.dim(`${data['decision']}`)
  if (type === 'step.failed' || type === 'run.failed') return pc.red(`${data['code']}: ${data['message']}`)
  return ''
}

function showPending(say: TourDeps['say'], pending: PendingApproval): void {
  say(`\n   ${pc.bold('To be approved:')} ${pending.plan.summary}`)
  if (pending.plan.command) say(`   ${pc.dim('command')}    ${pending.plan.command}`)
  say(
    `   ${pc.dim('operator')}   ${pending.operation.operator}, risk ${pending.operation.risk}, environment ${pending.operation.environment}`,
  )
  say(`   ${pc.dim('because')}    ${pending.because.join('; ')}`)
  say(`   ${pc.dim('plan hash')}  ${pending.plan_hash}`)
  say(`   ${pc.dim('expires')}    ${pending.expires_at}\n`)
}

/** The event that opens a gate is read a moment before the run is seen to wait. */
async function untilPending(api: ApiClient, runId: string): Promise<PendingApproval> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await api.pendingApproval(runId)
    } catch (error) {
      if (!(error instanceof ApiProblem) || tries >= 20) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

function showLinks({ api, say, temporalUi }: TourDeps, run: Run): void {
  say(`\n${pc.bold('Look closer')}`)
  say(`   run      ${api.url}/runs/${run.id}`)
  say(`   report   ${api.url}/runs/${run.id}/report`)
  say(`   API      ${api.url}/docs`)
  say(`   engine   ${temporalUi}/namespaces/default/workflows/${run.id}`)
  say(`   lineage  npx svc lineage ${run.id}\n`)
}

/** What Alertmanager posts: one group whose alert was delivered several times over. */
function alertmanagerPayload(url: string): object {
  const service = `demo-${new URL(url).port}`
  const labels = { alertname: 'ServiceUnhealthy', service, severity: 'critical', url }
  const alert = {
    status: 'firing',
    labels,
    annotations: { summary: `${service} answers 503` },
    startsAt: new Date().toISOString(),
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
