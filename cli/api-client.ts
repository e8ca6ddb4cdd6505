import { createParser } from 'eventsource-parser'
import type { Run, RunEvent } from '#cli/api-types.ts'
import type { PendingApproval } from '#core/run/approval-schema.ts'

/** The API said no: its problem document, in words. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, problem: { code?: string; title?: string; detail?: string }) {
    super(problem.detail ?? problem.title ?? `the API answered ${status}`)
    this.name = 'ApiProblem'
    this.status = status
    this.code = problem.code ?? 'unknown'
  }
}

export interface AlertResult {
  outcome: string
  run_id?: string
  attached_count?: number
}

/** The API as the command line uses it. */
export function createApiClient(baseUrl: string) {
  async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new ApiProblem(response.status, answer as { code?: string })
    return answer as Body
  }

  return {
    url: baseUrl,
    health: () => call<{ status: string }>('GET', '/healthz'),
    run: (id: string) => call<Run>('GET', `/runs/${id}`),
    pendingApproval: (id: string) => call<PendingApproval>('GET', `/runs/${id}/pending-approval`),
    resume: (id: string, body: { decision: 'approve' | 'reject'; note?: string; plan_hash?: string }) =>
      call<{ status: string; resolved: boolean }>('POST', `/runs/${id}/resume`, body),
    alert: (payload: object) => call<{ results: AlertResult[] }>('POST', '/triggers/alert', payload),

    /** Follows a run's events from the first on; ends when the run has ended or `until` says so. */
    async follow(id: string, afterSeq: number, onEvent: (event: RunEvent) => 'go on' | 'enough'): Promise<number> {
      const response = await fetch(new URL(`/runs/${id}/stream?after_seq=${afterSeq}`, baseUrl), {
        headers: { accept: 'text/event-stream' },
      })
      if (!response.ok || response.body === null)
        throw new ApiProblem(response.status, (await response.json()) as { code?: string })
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      let last = afterSeq
      let ended = false
      const parser = createParser({
        onEvent({ event, data }) {
          if (ended) return
          if (event === 'end') {
            ended = true
            return
          }
          const parsed = JSON.parse(data) as RunEvent
          last = parsed.seq
          ended = onEvent(parsed) === 'enough'
        },
      })
      while (!ended) {
        const { done, value } = await reader.read()
        if (done) break
        parser.feed(value)
      }
      await reader.cancel()
      return last
    },
  }
}

export type ApiClient = ReturnType<typeof createApiClient>
