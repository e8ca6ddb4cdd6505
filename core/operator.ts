import type { Environment } from './environment.ts'
import type { Json, JsonObject } from './json.ts'
import type { Cost } from './money.ts'
import type { Risk } from './policy/types.ts'

/** Logger as operators see it: object first, then the message. */
export interface StepLog {
  info(fields: JsonObject, message: string): void
  warn(fields: JsonObject, message: string): void
}

/** A file that a step leaves behind. `body` is stored by digest. */
export interface ArtifactDraft {
  name: string
  media_type: string
  body: string | Uint8Array
}

/** The world as an operator sees it. Nothing here can start, approve or widen anything. */
export interface OperatorContext {
  run_id: string
  step_id: string
  workspace_id: string
  environment: Environment
  /** the same for every attempt of a step, so that a target can recognise a repetition */
  idempotency_key: string
  attempt: number
  signal: AbortSignal
  log: StepLog
  now(): number
  /** resolves a connection of this environment (or of the pack's bindings) to its url; unknown: DomainError */
  connection(id: string): Promise<{ kind: string; url: string }>
}

export interface OperatorResult {
  outputs: JsonObject
  /** what was really spent; absent means nothing. Never above the estimate: the excess is recorded as an overrun. */
  cost?: Partial<Cost>
  artifacts?: ArtifactDraft[]
}

/** What an approver is shown before anything happens, and what the plan hash covers together with the rendered input. */
export interface OperationPlan {
  summary: string
  targets: { kind: string; ids: string[] }
  command?: string
  diff?: { format: 'unified' | 'json-patch' | 'text'; body: string }
}

export interface Simulation {
  ok: boolean
  summary: string
  details?: Json
}

/** How an operation that was begun and never settled may be taken up again. */
export type Replay = 'safe' | 'ask'

/** One kind of work. Governance facts are data; the world arrives through `ctx`. */
export interface Operator<Input extends JsonObject = JsonObject> {
  id: string
  version: number
  title: string
  risk: Risk
  /** `read` acts on nothing; every other type is an effect */
  action_type: string
  capabilities: string[]
  requires_approval: boolean
  /** the run's expression scope (`inputs`, `steps`, `run`, `trigger`) arrives as the reserved input `scope` */
  wants_scope?: boolean
  /** Throws DomainError `validation_failed` with field errors. Accepts what templates render. */
  parse(input: JsonObject): Input
  /** JSON Schema (2020-12) of the input, for packs' linting and the contract. */
  input_schema: JsonObject
  /** Action type of this very input (a GET through `http.request` is a `read`); default: `action_type`. */
  actionType?(input: Input): string
  replay(input: Input): Replay
  /** Worst-case cost of one execution, reserved before it begins. */
  estimate?(input: Input): Partial<Cost>
  /** Milliseconds to wait durably before the step settles; the wait itself holds no worker. */
  delay_ms?(input: Input): number
  /** Pure and side-effect free: what will be done, in words and targets. */
  describe(input: Input): OperationPlan
  /** Tries without effect. Absent: `require_dry_run` turns the gate on. */
  simulate?(ctx: OperatorContext, input: Input): Promise<Simulation>
  execute(ctx: OperatorContext, input: Input): Promise<OperatorResult>
}

/** Keeps an operator's input type between its own functions and forgets it towards the registry. */
export function defineOperator<Input extends JsonObject>(operator: Operator<Input>): Operator {
  return operator as Operator
}

/** Failure of an operator. `retryable` follows the step's retry policy; `unknown_outcome` says the effect may have happened. */
export class OperatorError extends Error {
  readonly code: string
  readonly retryable: boolean
  readonly unknown_outcome: boolean
  readonly details: JsonObject | undefined

  constructor(
    code: string,
    message: string,
    options: { retryable?: boolean; unknown_outcome?: boolean; details?: JsonObject; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'OperatorError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.unknown_outcome = options.unknown_outcome ?? false
    this.details = options.details
  }
}
