import type { ServiceContext, ServiceDeps } from '#services/context.ts'
import type { HealthDeps } from '#services/health/check-health.ts'
import type { IdempotencyKeys, ReadPorts } from '#services/read-ports.ts'
import type { EventHub } from '#services/runs/watch-events.ts'

/** Logger of the API: object first, then the message. */
interface ApiLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Everything the API stands on, built once in its main. */
export interface ApiDeps {
  version: string
  log: ApiLog
  services: ServiceDeps
  reads: ReadPorts
  hub: EventHub
  idempotency: IdempotencyKeys
  health: HealthDeps
  /** true while authentication is off and the server listens on loopback only */
  loopback_only: boolean
}

/** One request as verbs and reads take it. */
export type RequestContext = ServiceContext & ReadPorts
