import type { DemoService } from '#cli/demo/demo-server.ts'
import { TERMINAL_STATUSES } from '#core/run/status.ts'
import type { Reply, TestService } from './service.ts'

export interface RunBody {
  id: string
  status: string
  status_reason?: string
  attached_count: number
  error?: { code: string; message: string; step?: string }
  outputs?: Record<string, unknown>
  progress: { steps: { id: string; state: string; attempt: number }[] }
}

export interface AlertReply {
  results: { outcome: string; run_id?: string; attached_count?: number; fingerprint: string }[]
}

/** Posts what Alertmanager would post about a demo service, `times` over in one group. */
export function postAlert(
  service: TestService,
  demo: Pick<DemoService, 'url'>,
  options: { times?: number; status?: 'firing' | 'resolved'; name?: string } = {},
): Promise<Reply<AlertReply>> {
  const labels = {
    alertname: 'ServiceUnhealthy',
    service: options.name ?? `demo-${new URL(demo.url).port}`,
    severity: 'critical',
    url: demo.url,
  }
  const status = options.status ?? 'firing'
  const alert = {
    status,
    labels,
    annotations: { summary: 'answers 503' },
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus.example.test/graph',
    fingerprint: 'c0ffee',
  }
  return service.call('POST', '/triggers/alert', {
    version: '4',
    groupKey: '{}:{}',
    truncatedAlerts: 0,
    status,
    receiver: 'svc',
    groupLabels: {},
    commonLabels: labels,
    commonAnnotations: {},
    externalURL: 'http://alertmanager.example.test',
    alerts: Array.from({ length: options.times ?? 1 }, () => alert),
  })
}

/** Fires an alert about a broken demo service and waits until its run is parked. */
export async function parkRun(service: TestService, demo: Pick<DemoService, 'url'>, name?: string): Promise<string> {
  const { body } = await postAlert(service, demo, name === undefined ? {} : { name })
  const id = body.results[0]?.run_id
  if (id === undefined) throw new Error(`no run started: ${JSON.stringify(body)}`)
  await awaiting(service, id)
  return id
}

export const awaiting = (service: TestService, id: string) =>
  service.until<RunBody>(`/runs/${id}`, (run) => run.status === 'awaiting_approval')

const TERMINAL: readonly string[] = TERMINAL_STATUSES
export const ended = (service: TestService, id: string, within_ms?: number, headers?: Record<string, string>) =>
  service.until<RunBody>(`/runs/${id}`, (run) => TERMINAL.includes(run.status), within_ms, headers)

export interface EventBody {
  seq: number
  type: string
  step?: string
  data: Record<string, unknown>
}

export async function eventsOf(service: TestService, id: string): Promise<EventBody[]> {
  const { body } = await service.call<{ events: EventBody[] }>('GET', `/runs/${id}/events?limit=1000`)
  return body.events
}
