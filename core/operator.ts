import type { Environment } from './environment/environment.ts'
import type { Json, JsonObject } from './json/json.ts'
import type { ChatAnswer, ChatPrompt } from './models/chat.ts'
import type { Cost, MicroUsd } from './money.ts'
import type { Risk } from './policy/types.ts'
import type { FailureCode } from './run/failure-codes.ts'

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

/** A connection of an environment with its secret url. */
export interface Connection {
  kind: string
  url: string
}

/** Where a connection leads and as whom, for everyone to read; never its secret. */
export type ConnectionTarget = {
  kind: string
  host: string
  database?: string
  base_url?: string
  user?: string
  /** what else its url says, for example `sslmode` */
  parameters?: Record<string, string>
}

/** What a step asks a model: a role or the id of a model, and the messages. */
export interface ModelAsk {
  model: string
  prompt: ChatPrompt
}

/** A call as far as it is known before anything is sent. */
export interface ForeseenCall {
  /** id of the model that would be asked */
  model: string
  worst_case_micro_usd: MicroUsd
  prompt_digest: string
}

/** The models that `asks` names, as they were shown: the step was judged for them, and what each call may cost is reserved under the caps of its run. */
export interface OperatorModels {
  /** Throws OperatorError `not_configured` where none is bound. */
  foresee(prompt: ChatPrompt): Promise<ForeseenCall>
  /**
   * Throws OperatorError: `BudgetExceeded`, `not_configured`, `validation_failed` (the provider turns it down), `rate_limited` or
   * `dependency_unavailable`. Whatever else keeps a call from beginning ends the attempt.
   */
  ask(prompt: ChatPrompt): Promise<{ model: string; answer: ChatAnswer }>
  /** what the calls of this attempt have cost so far */
  spent(): MicroUsd
}

/** The world as an operator sees it. Nothing here can start, approve or widen anything. */
export interface OperatorContext {
  run_id: string
  step_id: string
  workspace_id: string
  /** as far as an operator is told of it: all of this is shown to approvers */
  environment: Pick<Environment, 'name' | 'egress'>
  /** the same for every attempt of a step, so that a target can recognise a repetition */
  idempotency_key: string
  attempt: number
  signal: AbortSignal
  log: StepLog
  /** milliseconds by a clock that nobody sets: says how long something takes, not when it is */
  now(): number
  /** the connection that the step's input names, as it was shown to the one who approved it; any other: DomainError */
  connection(id: string): Promise<Connection>
  /** absent where the operator's capabilities do not name `model.chat` */
  models?: OperatorModels
  /**
   * Awaited once, when everything that takes its time before the effect is done: rejects where nothing may begin any more. Nothing
   * has acted then, and the operator lets the rejection through.
   */
  beforeSending(): Promise<void>
}

/** An event of the run's pack: `pack.<pack>.<event>` on the bus. */
export interface PackEvent {
  event: string
  data: Json
  subject?: string
}

export interface OperatorResult {
  outputs: JsonObject
  /** what was really spent; absent: all that was estimated. Never above the estimate: the excess is recorded as an overrun. */
  cost?: Partial<Cost>
  artifacts?: ArtifactDraft[]
  /** published with the step's settlement, in one transaction; never by a dry run */
  events?: PackEvent[]
}

/** Text in which a secret stands by its name. */
export type ShownText = string | (string | { secret: string })[]

/** How an operation reaches its target, beside what its input says. */
export interface OperationWay {
  idempotency_key: string
  /** absent where the input names no connection */
  connection?: Connection & { id: string; target: ConnectionTarget }
}

/** What an approver is shown before anything happens: exactly what will be sent. Making it harmless to read is not its task. */
export interface OperationPlan {
  summary: string
  targets: { kind: string; ids: string[] }
  command?: ShownText
  diff?: { format: 'unified' | 'json-patch' | 'text'; body: string }
}

/** What a simulation told. What was not tried is never `ok`: it has shown nothing that would let anything through. */
export type Simulation =
  | { ok: true; summary: string; details?: Json }
  | { ok: false; not_tried?: true; summary: string; details?: Json }

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
  /** Which variables of that scope an input reads, as paths (`['steps', 'look']`), from the input as the template writes it. */
  reads_of_scope?(input: JsonObject): string[][]
  /** Loads what `parse` and `describe` need; awaited before them. */
  ready?(): Promise<void>
  /** Throws DomainError `validation_failed` with field errors. Accepts what templates render, answers what will be sent. */
  parse(input: JsonObject): Input
  /** JSON Schema (2020-12) of the input, for packs' linting and the contract. */
  input_schema: JsonObject
  /** Why an input can never run, as far as it is written out: said when a template is loaded, by preflight, and before anybody is asked. */
  findInvalid?(input: JsonObject): { field: string; message: string } | undefined
  /** Fields that a template writes out, and no expression fills in: what they hold is never from outside. */
  as_written?: Readonly<Record<string, 'value' | 'json_schema'>>
  /** The connection that this input names, the only one that the operator gets. */
  connection?(input: Input): string | undefined
  /** What of the deployment it works through beside its context, such as a directory, without secrets: approvers are shown it. */
  deployment?(): JsonObject
  /** The input as it is done through that connection. Throws OperatorError when they do not fit. */
  through?(input: Input, connection: Connection): Input
  /**
   * Action type of this very input (a GET through `http.request` is a `read`); default: `action_type`. A plan asks it of the
   * input as it is written, where values may still be expressions: `read` only when nothing of them can make it an effect.
   */
  actionType?(input: Input): string
  replay(input: Input): Replay
  /** What it asks a model first, and which: it reaches no other. Its calls reserve what they may cost, each when it is made, so that it needs no `estimate`. */
  asks?(input: Input): ModelAsk
  /** Worst-case cost of one execution, reserved before it begins. */
  estimate?(input: Input): Partial<Cost>
  /** Milliseconds to wait durably before the step settles; the wait itself holds no worker. */
  delay_ms?(input: Input): number
  /** it waits until the world is as asked: a dry run, in which nothing happened, does not */
  waits?: true
  /** Pure and side-effect free: what will be done, in words and targets. */
  describe(input: Input, way: OperationWay): OperationPlan
  /** Predicts without effect. Absent: `require_dry_run` turns the gate on. */
  simulate?(ctx: OperatorContext, input: Input): Promise<Simulation>
  execute(ctx: OperatorContext, input: Input): Promise<OperatorResult>
}

/** Keeps an operator's input type between its own functions and forgets it towards the registry. */
export function defineOperator<Input extends JsonObject>(operator: Operator<Input>): Operator {
  return operator as Operator
}

/**
 * Failure of an operator. `retryable` follows the step's retry policy; `unknown_outcome` says the effect may have happened.
 * `cost` is what was spent all the same, `{}` where that is surely nothing; absent: all that was estimated.
 * `retry_after_ms` is how long the target asks to wait before it is asked again.
 */
export class OperatorError extends Error {
  readonly code: FailureCode
  readonly retryable: boolean
  readonly unknown_outcome: boolean
  readonly cost: Partial<Cost> | undefined
  readonly details: JsonObject | undefined
  readonly retry_after_ms: number | undefined

  constructor(
    code: FailureCode,
    message: string,
    options: {
      retryable?: boolean
      unknown_outcome?: boolean
      cost?: Partial<Cost> | undefined
      details?: JsonObject
      retry_after_ms?: number | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'OperatorError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.unknown_outcome = options.unknown_outcome ?? false
    this.cost = options.cost
    this.details = options.details
    this.retry_after_ms = options.retry_after_ms
  }
}

/** The operators that a deployment knows, by id. */
export interface OperatorCatalog {
  get(id: string): Operator | undefined
  list(): Operator[]
}

/** The same catalog with further operators, which must not replace known ones. */
export function extendCatalog(catalog: OperatorCatalog, further: Operator[]): OperatorCatalog {
  const added = new Map(further.map((operator) => [operator.id, operator]))
  return {
    get: (id) => catalog.get(id) ?? added.get(id),
    list: () => [...catalog.list(), ...further.filter(({ id }) => catalog.get(id) === undefined)],
  }
}
