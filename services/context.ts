import type { Actor } from '#core/actor.ts'
import type { Attempt } from '#core/attempt.ts'
import type { CancelCommand, GateCommand, GateOutcome, LedgerActivities, RunStart } from '#core/contract.ts'
import type { Environment, Profile } from '#core/environment/environment.ts'
import type { Contributor } from '#core/gate/contributors.ts'
import type { Channel } from '#core/gate/types.ts'
import type { Ids } from '#core/id.ts'
import type { Json } from '#core/json/json.ts'
import type { PolicySource } from '#core/policy/types.ts'
import type { Commit } from '#core/secret/redact-input.ts'
import type { Clock } from '#core/time/time.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { PresetStore } from '#store/authored/presets.ts'
import type { GateDecisions } from '#store/gates/gate-decisions.ts'
import type { HaltStore } from '#store/halts.ts'
import type { RunStore } from '#store/runs/runs.ts'
import type { UserStore } from '#store/users.ts'
import type { VotePorts } from './approvals/current-votes.ts'
import type { People } from './auth/known-people.ts'

/** The engine as services see it: it starts runs and carries decisions to them. */
export interface Engine {
  start(run: RunStart): Promise<void>
  /**
   * `gate_resolved` when somebody else was first, `dependency_unavailable` when nobody answers. `onSent` is called when the command is sent:
   * commands about one gate, or cancellations of one run, wait for each other.
   */
  decide(runId: string, command: GateCommand, onSent?: () => void): Promise<GateOutcome>
  cancel(runId: string, command: CancelCommand, onSent?: () => void): Promise<void>
  /** whether the workflow of the run is open, and on a queue of ours */
  alive(runId: string): Promise<boolean>
}

/** What nearly every verb uses. */
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
  /** who made accounts and keys */
  accounts: Pick<UserStore, 'makers'>
  /** what starts of a template begin with */
  presets: Pick<PresetStore, 'ofStart'>
  clock: Clock
  ids: Ids
  sha256: (text: string) => string
  notifyRun(runId: string): void
}

/** One request: who, where, through which channel. */
export interface Caller {
  actor: Actor
  workspace_id: string
  /** its short name, which environments are granted to; without it only those that every workspace may use are there */
  workspace_slug?: string
  /** environment of runs that name none */
  default_environment?: string
  channel: Channel
  request_id: string
  /** the delivery that somebody asked to be processed once more */
  replay_of?: string
  /** that was asked for in any case: an end that is remembered keeps nothing back */
  forced?: boolean
  /** the request has an `Idempotency-Key` */
  attempt?: Attempt
  /** who had sent that delivery */
  replayed_from?: Contributor[]
}

/** What every verb is called with. A verb that needs more says which ports. */
export interface ServiceContext extends CommonPorts, Caller {}

/** Work after the answer, whose failure is reported; `starts` is the run that it starts, if it starts one. */
export type Later = (work: () => Promise<void>, starts?: string) => void

export interface HaltPorts {
  halts: Pick<
    HaltStore,
    'inForce' | 'list' | 'find' | 'over' | 'set' | 'lift' | 'ofActiveRuns' | 'isActiveRequester' | 'reasonsOverGates'
  >
}

/** What admits runs and starts them. */
export interface StartPorts extends HaltPorts {
  policies: PolicySource
  engine: Pick<Engine, 'start'>
  /** keeps secret inputs; absent without a master key */
  secrets?: {
    seal(runId: string, secrets: Record<string, Json>): Promise<string>
    commitIn(workspaceId: string): Commit
  }
  later: Later
  /** told of every start that was asked for, and what became of it */
  onAdmission?(outcome: string, source: string): void
}

export type StartContext = ServiceContext & StartPorts

/** What carries decisions and cancellations to a run, in whose name and with whose right. */
export interface DecisionPorts extends VotePorts {
  decisions: Pick<GateDecisions, 'read' | 'decidedAs' | 'voters'>
  engine: Pick<Engine, 'decide' | 'cancel' | 'alive'>
  /** the writers of what was decided, for commands that no worker takes in time */
  record: {
    decision: LedgerActivities['recordDecision']
    cancel: LedgerActivities['recordCancel']
  }
  people: People
  /** signs what goes to the engine, so that only the API can approve; undefined without a master key */
  sign?: (text: string) => string
  /** calls whenever a run may have changed, until the returned function is called; absent where nobody listens */
  subscribe?: (runId: string, onChange: () => void) => () => void
}

export type DecisionContext = ServiceContext & DecisionPorts

/** Who a run goes back to: a person, also behind a service account. */
export function humanRoot({ actor, channel }: Pick<Caller, 'actor' | 'channel'>): { user_id?: string; via: string[] } {
  const user_id = actor.type === 'user' ? actor.id : actor.human_root
  const key = actor.key === undefined ? [] : [actor.key.id]
  const via = actor.type === 'user' ? [channel] : [...key, actor.id, channel]
  return { ...(user_id !== undefined && { user_id }), via }
}
