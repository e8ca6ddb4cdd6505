export const CONNECTION_STATUSES = ['untested', 'healthy', 'degraded', 'failed'] as const
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number]

/** The outcome of a test: never what the target says. */
export interface ConnectionTest {
  at: string
  ok: boolean
  latency_ms: number
  detail: string
}
