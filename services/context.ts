import type { AuditActor } from '#core/audit/types.ts'
import type { CancelCommand, GateCommand, GateOutcome, RunInput } from '#core/contract.ts'
import type { Environment, Profile } from '#core/environment.ts'
import type { Channel } from '#core/gate/types.ts'
import type { Ids } from '#core/id.ts'
import type { PolicySource } from '#core/policy/types.ts'
import type { Clock } from '#core/time.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { RunStore } from '#store/runs.ts'
import type { AlertFold } from './alerts/alert-fold.ts'

/** Whoever asks. With authentication off everyone is the local owner, and nobody's identity is checked. */
export interface Actor {
  type: 'user' | 'service' | 'schedule' | 'system'
  id: string
  display: string
  roles: string[]
  auth: AuditActor['auth']
}

/** The engine as services see it: it starts runs and carries decisions to them. */
export interface Engine {
  start(input: RunInput): Promise<void>
  /** `gate_resolved` when somebody else was first, `dependency_unavailable` when nobody answers */
  decide(runId: string, command: GateCommand): Promise<GateOutcome>
  cancel(runId: string, command: CancelCommand): Promise<void>
}

/** What every verb may use, whoever calls it. */
export interface ServiceDeps {
  runs: RunStore
  engine: Engine
  packs: PackRegistry
  policies: PolicySource
  environments: {
    get(name: string): Environment | undefined
    profile(name: string): Profile
    /** rules of the overlay layer */
    rules(): readonly TriggerRule[]
  }
  clock: Clock
  ids: Ids
  sha256: (text: string) => string
  /** runs work after the answer, and reports its failure */
  later(work: () => Promise<void>): void
  ring(runId: string): void
  alertFold: AlertFold
}

/** One request: who, where, through which door. */
export interface ServiceContext extends ServiceDeps {
  actor: Actor
  workspace_id: string
  channel: Channel
  request_id: string
}
