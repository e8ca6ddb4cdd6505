import { Agent, request } from 'node:http'
import type { AlertReply } from './recovery.ts'

/** One request of an alerting tool: a single alert of one service. */
export interface StormAlert {
  service: string
  /** tells it from the others of its fingerprint */
  member: string
  /** what its sender calls it; repeated until it is answered, and with `repeats` also afterwards */
  key?: string
  repeats?: number
}

export interface StormAnswer {
  alert: StormAlert
  status: number
  /** answers with the stored first answer, to a repeat */
  replayed: boolean
  result?: AlertReply['results'][number]
}

export interface Storm {
  /** every answer that was not `busy`, in the order they came */
  answers: readonly StormAnswer[]
  /** attempts that found nobody, or nobody who answered */
  unanswered(): number
  /** sends them from all connections at once; `onAnswer` is told how many of these have been answered */
  send(alerts: readonly StormAlert[], onAnswer?: (answered: number) => void): Promise<void>
  close(): void
}

export interface StormTarget {
  url: string
  /** the service that the alerts speak of */
  acts_on: string
  connections: number
}

/** Starts a run that waits for somebody, about the address that the alert names. */
export const STORM_RULES = `- name: fold-storm
  on: alert
  match: { source: alertmanager, symptom: FoldStorm }
  run: crash/gated
  inputs: { url: "\${{ alert.annotations.url }}" }
`

const RETRY_MS = 50
const PATIENCE_MS = 40_000

/** The fingerprint of a storm's alerts. */
export const stormFingerprint = (service: string): string => `alertmanager|${service}|foldstorm`

/** Every service once at least, the first of them in 30 % of all, the others in turn. */
export function stormOrder(alerts: number, services: number): string[] {
  const hot = Math.floor(alerts * 0.3)
  return Array.from({ length: alerts }, (_, n) => {
    const spread = (n * 7_919) % alerts
    return `storm-${spread < hot ? 0 : (spread - hot) % services}`
  })
}

/** A sender that never gives up while nobody is there: what is refused is repeated with the same key until it is answered. */
export function openStorm(target: StormTarget): Storm {
  const agent = new Agent({ keepAlive: true, maxSockets: target.connections })
  const answers: StormAnswer[] = []
  let unanswered = 0

  async function deliver(alert: StormAlert): Promise<StormAnswer> {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const answer = await post(agent, target, alert).catch(() => undefined)
      if (answer !== undefined && answer.status !== 409) return answer
      if (answer === undefined) unanswered += 1
      // what has no id may have been taken: its sender cannot ask again
      if (answer === undefined && alert.key === undefined) return { alert, status: 0, replayed: false }
      if (Date.now() > deadline) throw new Error(`never answered: ${alert.key} (${answer?.status ?? 'nobody there'})`)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  return {
    answers,
    unanswered: () => unanswered,
    async send(alerts, onAnswer) {
      let next = 0
      let answered = 0
      const sender = async () => {
        for (let alert = alerts[next++]; alert !== undefined; alert = alerts[next++]) {
          for (let left = alert.repeats ?? 0; left >= 0; left -= 1) answers.push(await deliver(alert))
          answered += 1
          onAnswer?.(answered)
        }
      }
      await Promise.all(Array.from({ length: target.connections }, sender))
    },
    close: () => agent.destroy(),
  }
}

function bodyOf({ service, member }: StormAlert, actsOn: string): string {
  const alert = {
    status: 'firing',
    labels: { alertname: 'FoldStorm', service, severity: 'critical' },
    annotations: { summary: `${service} is in a storm`, url: actsOn },
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    fingerprint: member,
  }
  return JSON.stringify({ version: '4', groupKey: '{}:{}', receiver: 'svc', status: 'firing', alerts: [alert] })
}

function post(agent: Agent, target: StormTarget, alert: StormAlert): Promise<StormAnswer> {
  const body = bodyOf(alert, target.acts_on)
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(alert.key !== undefined && { 'idempotency-key': alert.key }),
    }
    const sending = request(`${target.url}/triggers/alert`, { agent, method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { results } = JSON.parse(Buffer.concat(chunks).toString()) as Partial<AlertReply>
        const result = results?.[0]
        const replayed = response.headers['idempotent-replayed'] === 'true'
        resolve({ alert, status: response.statusCode ?? 0, replayed, ...(result !== undefined && { result }) })
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}
