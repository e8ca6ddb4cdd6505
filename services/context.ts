import type { Actor } from '#core/actor.ts'
import type { Attempt } from '#core/attempt.ts'
import type { CancelCommand, GateCommand, GateOutcome, LedgerActivities, RunStart } from '#core/contract.ts'
import type { Environment, Profile } from '#core/environment/environment.ts'
import type { Contributor } from '#core/gate/contributors.ts'
import type { Channel } from '#core/gate/types.ts'
import type { Ids } from '#core/id.ts'
import type { Json } from '#core/json/json.ts'
import type { PolicySource } from '#core/policy/types.ts'
import type { CommitmentOf } from '#core/secret/redact-input.ts'
import type { Clock } from '#core/time/time.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { PresetStore } from '#store/authored/presets.ts'
import type { GateDecisions } from '#store/gates/gate-decisions.ts'
import type { HaltRefusals } from '#store/halt-refusals.ts'
import type { HaltStore } from '#store/halts.ts'
import type { RunStore } from '#store/runs/runs.ts'
import type { UserStore } from '#store/users.ts'
import type { VotePorts } from './approvals/current-votes.ts'
import type { People } from './auth/known-people.ts'

/** The engine for services: it starts runs and sends decisions to them. */
export interface Engine {
  start(run: RunStart): Promise<void>
  /**
   * `gate_resolved` when another decision won, `dependency_unavailable` when no worker answers. `onSent` is called when the command is
   * sent: commands about one gate, or cancellations of one run, wait for each other.
   */
  decide(runId: string, command: GateCommand, onSent?: () => void): Promise<GateOutcome>
  cancel(runId: string, command: CancelCommand, onSent?: () => void): Promise<void>
  /** whether the workflow of the run is open, and on a queue of this installation */
  alive(runId: string): Promise<boolean>
}

/** Ports that nearly every verb uses. */
export interface CommonPorts {
  runs: RunStore
  packs: PackRegistry
  environments: {
    get(name: string): Environment | undefined
    list(): readonly Environment[]
    profile(name: string): Profile
    /** rules of the overlay layer */
    rules(): readonly TriggerRule[]
  }
  console_rules: {
    /** rules that were authored in the console of a workspace, in the order in which they are tried */
    current(workspaceId: string): Promise<readonly TriggerRule[]>
    /** they have changed */
    invalidate(workspaceId: string): void
  }
  /** makers of accounts and keys */
  accounts: Pick<UserStore, 'makers'>
  /** presets and workspace values of templates */
  presets: Pick<PresetStore, 'ofStart'>
  clock: Clock
  ids: Ids
  sha256: (text: string) => string
  notifyRun(runId: string): void
}

/** The origin of a request: caller, workspace, channel. */
export interface Caller {
  actor: Actor
  workspace_id: string
  /** its short name, which environments are granted to; without it only those that every workspace may use are there */
  workspace_slug?: string
  /** environment of runs that name none */
  default_environment?: string
  channel: Channel
  request_id: string
  /** the delivery that a user asked to process again */
  replay_of?: string
  /** true: a remembered end of an alert does not hold it back */
  forced?: boolean
  /** the request has an `Idempotency-Key` */
  attempt?: Attempt
  /** contributors of that delivery */
  replayed_from?: Contributor[]
}

/** The context of every verb. A verb that needs further ports names them. */
export interface ServiceContext extends CommonPorts, Caller {}

/** Runs work after the answer, and reports its failure; `starts` is the run that it starts, if any. */
export type Later = (work: () => Promise<void>, starts?: string) => void

export interface HaltPorts {
  halts: Pick<
    HaltStore,
    | 'inForce'
    | 'list'
    | 'lifted'
    | 'find'
    | 'covering'
    | 'set'
    | 'lift'
    | 'ofActiveRuns'
    | 'isActiveRequester'
    | 'reasonsOverGates'
  >
  /** starts that halts have refused */
  halt_refusals: HaltRefusals
}

/** The dependencies of admitting and starting runs. */
export interface StartPorts extends HaltPorts {
  policies: PolicySource
  engine: Pick<Engine, 'start'>
  /** keeps secret inputs; absent without a master key */
  secrets?: {
    seal(runId: string, secrets: Record<string, Json>): Promise<string>
    commitmentsIn(workspaceId: string): CommitmentOf
  }
  later: Later
  /** called with every requested start and its outcome */
  onAdmission?(outcome: string, source: string): void
}

export type StartContext = ServiceContext & StartPorts

/** The dependencies of sending decisions and cancellations to a run. */
export interface DecisionPorts extends VotePorts {
  decisions: Pick<GateDecisions, 'read' | 'decidedAs' | 'voters' | 'remark'>
  engine: Pick<Engine, 'decide' | 'cancel' | 'alive'>
  /** the writers of decisions, for commands that no worker takes in time */
  record: {
    decision: LedgerActivities['recordDecision']
    cancel: LedgerActivities['recordCancel']
  }
  people: People
  /** signs commands to the engine, so that only the API can approve; undefined without a master key */
  sign?: (text: string) => string
  /** calls `onChange` whenever a run may have changed, until the returned function is called; absent without a listener */
  subscribe?: (runId: string, onChange: () => void) => () => void
}

export type DecisionContext = ServiceContext & DecisionPorts

/** Returns the person behind a run, also behind a service account. */
export function humanRoot({ actor, channel }: Pick<Caller, 'actor' | 'channel'>): { user_id?: string; via: string[] } {
  const user_id = actor.type === 'user' ? actor.id : actor.human_root
  const key = actor.key === undefined ? [] : [actor.key.id]
  const via = actor.type === 'user' ? [channel] : [...key, actor.id, channel]
  return { ...(user_id !== undefined && { user_id }), via }
}
