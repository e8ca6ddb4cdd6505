import type { z } from 'zod'
import type { RunEvent as RunEventSchema } from '#core/run/event-schema.ts'
import type { Run as RunSchema } from '#core/run/schema.ts'
import type { CreatedSchedule, Schedule } from '#core/schedule/schema.ts'

export type { CreatedSchedule, Schedule }
export type Run = z.infer<typeof RunSchema>
export type RunEvent = z.infer<typeof RunEventSchema>

/** Body of a start, as far as commands use it. */
export interface RunRequest {
  inputs: Record<string, unknown>
  environment?: string
  profile?: string
  dry_run?: boolean
  reason?: string
}

/** Body of an answer to a gate. */
export interface Decision {
  decision: 'approve' | 'reject'
  note?: string
  approver?: string
  gate_id?: string
  plan_hash?: string
}

export interface AlertResult {
  outcome: string
  run_id?: string
  attached_count?: number
}

/** What `POST /token` answers (RFC 6749 section 5.1); `expires_in` in seconds. */
export interface Token {
  access_token: string
  expires_in: number
}

/** What `GET /auth/me` answers, as far as it is printed. */
export interface Account {
  id: string
  account_id: string
  email?: string | null
  display_name?: string | null
  roles: string[]
  approval_roles?: string[]
  workspaces?: string[]
}
