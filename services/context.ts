import type { AuditActor } from '#core/audit/types.ts'
import type { CancelCommand, GateCommand, GateOutcome, RunStart } from '#core/contract.ts'
import type { Environment, Profile } from '#core/environment.ts'
import type { Channel } from '#core/gate/types.ts'
import type { Ids } from '#core/id.ts'
import type { Json } from '#core/json.ts'
import type { PolicySource } from '#core/policy/types.ts'
import type { Commit } from '#core/secret/veil-input.ts'
import type { Clock } from '#core/time.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { GateDecisions } from '#store/gate-decisions.ts'
import type { HaltStore } from '#store/halts.ts'
import type { RunStore } from '#store/runs.ts'
import type { AlertFold } from './alerts/alert-fold.ts'
import type { People } from './auth/people.ts'
import type { Bus } from './bus/bus.ts'

/** Whoever asks. With authentication off everyone is the local owner, and nobody's identity is checked. */
export interface Actor {
  type: 'user' | 'service' | 'schedule' | 'system'
  id: string
  display: string
  email?: string
  /** the person who answers for a service account */
  human_root?: string
  account_id: string
  roles: string[]
  /** free names that policies ask for by `approval_role` */
  approval_roles: string[]
  /** what a service account may do beyond its role, for example `approvals:on_behalf` */
  scopes: string[]
  /** the workspaces this actor may enter, the first being home */
  workspaces: '*' | string[]
  auth: AuditActor['auth']
  /** the client that the credential was issued to */
  client_id?: string
}

/** The engine as services see it: it starts runs and carries decisions to them. */
export interface Engine {
  start(run: RunStart): Promise<void>
  /** `gate_resolved` when somebody else was first, `dependency_unavailable` when nobody answers */
  decide(runId: string, command: GateCommand): Promise<GateOutcome>
  cancel(runId: string, command: CancelCommand): Promise<void>
}

/** What every verb may use, whoever calls it. */
export interface ServiceDeps {
  runs: RunStore
  decisions: Pick<GateDecisions, 'read'>
  halts: Pick<HaltStore, 'inForce' | 'list' | 'find' | 'over' | 'set' | 'lift' | 'ofActiveRuns' | 'isActiveRequester'>
  engine: Engine
  packs: PackRegistry
  policies: PolicySource
  environments: {
    get(name: string): Environment | undefined
    list(): readonly Environment[]
    profile(name: string): Profile
    /** rules of the overlay layer */
    rules(): readonly TriggerRule[]
  }
  clock: Clock
  ids: Ids
  sha256: (text: string) => string
  /** keeps secret inputs; absent without a master key */
  secrets?: {
    seal(runId: string, secrets: Record<string, Json>): Promise<string>
    commitIn(workspaceId: string): Commit
  }
  /** runs work after the answer, and reports its failure; `starts` is the run that it starts, if it starts one */
  later(work: () => Promise<void>, starts?: string): void
  ring(runId: string): void
  /** calls whenever a run may have news, until the returned function is called; absent where nobody listens */
  hear?: (runId: string, news: () => void) => () => void
  /** reaches the subscribers of every process, with either bus */
  bus: Pick<Bus, 'publish'>
  alertFold: AlertFold
  people: People
  /** signs what goes to the engine, so that only the API can approve; undefined without a master key */
  sign?: (text: string) => string
  /** true while nobody's identity is checked */
  open: boolean
  /** told of every start that was asked for, and what became of it */
  onAdmission?(outcome: string, source: string): void
}

/** One request: who, where, through which door. */
export interface ServiceContext extends ServiceDeps {
  actor: Actor
  workspace_id: string
  /** environment of runs that name none */
  default_environment?: string
  channel: Channel
  request_id: string
  /** the delivery that somebody asked to be processed once more */
  replay_of?: string
}
