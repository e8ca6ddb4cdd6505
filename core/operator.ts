import type { Environment } from './environment/environment.ts'
import type { Json, JsonObject } from './json/json.ts'
import type { AcceptedTool, ToolDefinition } from './mcp/tool-schema.ts'
import type { ChatAnswer, ChatPrompt } from './models/chat.ts'
import type { Cost, MicroUsd } from './money.ts'
import type { Risk } from './policy/types.ts'
import type { FailureCode } from './run/failure-codes.ts'

/** Logger as operators see it: object first, then the message. */
export interface StepLog {
  info(fields: JsonObject, message: string): void
  warn(fields: JsonObject, message: string): void
  /** how far it is; of many in a short time only the last one is asked for its text */
  progress(message: () => string): void
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
  /** where its host was found, when that was checked: a session goes there */
  address?: string
  /** the tool of an MCP server that the step names, as it was accepted */
  tool?: AcceptedTool
  /** Puts on record how the server describes the tool now; undefined where it has no such tool. */
  toolFound?(described: ToolDefinition | undefined): Promise<void>
}

/** The target and the user of a connection, for everyone to read; never its secret. */
export type ConnectionTarget = {
  kind: string
  host: string
  database?: string
  base_url?: string
  user?: string
  /** other parameters of its url, for example `sslmode` */
  parameters?: Record<string, string>
}

/** A step's call of a model: a role or the id of a model, and the messages. */
export interface ModelAsk {
  model: string
  prompt: ChatPrompt
}

/** A call, as far as it is known before anything is sent. */
export interface PredictedCall {
  /** id of the resolved model */
  model: string
  worst_case_micro_usd: MicroUsd
  prompt_digest: string
}

/**
 * The models that `asks` names, as they were shown: the step was judged for them, and the cost of each call is reserved under the caps of
 * its run.
 */
export interface OperatorModels {
  /** Throws OperatorError `not_configured` where none is bound. */
  predict(prompt: ChatPrompt): Promise<PredictedCall>
  /**
   * Throws OperatorError: `BudgetExceeded`, `not_configured`, `validation_failed` (the provider refuses it), `rate_limited` or
   * `dependency_unavailable`. Any other error that prevents the call ends the attempt.
   */
  ask(prompt: ChatPrompt): Promise<{ model: string; answer: ChatAnswer }>
  /** cost of this attempt's calls so far */
  spent(): MicroUsd
}

/** The world as an operator sees it. Nothing here can start, approve or widen anything. */
export interface OperatorContext {
  run_id: string
  step_id: string
  workspace_id: string
  /** the part of the environment that an operator sees: all of it is shown to approvers */
  environment: Pick<Environment, 'name' | 'egress'>
  /** the same for every attempt of a step, so that a target can recognise a repetition */
  idempotency_key: string
  attempt: number
  signal: AbortSignal
  log: StepLog
  /** milliseconds of a monotonic clock: measures durations, not times */
  now(): number
  /** what `deployment` answered when the step was judged */
  deployment?: JsonObject
  /** a connection of the step's input, as it was shown to the approver; any other: DomainError */
  connection(id: string): Promise<Connection>
  /** absent where the operator's capabilities do not name `model.chat` */
  models?: OperatorModels
  /**
   * An effect awaits it once, after the slow preparations and before the effect. It rejects when nothing may act now: the run belongs to
   * another attempt, it is halted or cancelled, its requester may no longer start it, it is too late, or the database does not answer. The
   * operator lets the rejection through.
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
  /** the real cost; absent: the estimate. Never above the estimate: an excess is recorded as an overrun. */
  cost?: Partial<Cost>
  artifacts?: ArtifactDraft[]
  /** published with the step's settlement, in one transaction; never by a dry run */
  events?: PackEvent[]
}

/** Text with secrets by name. */
export type ShownText = string | (string | { secret: string })[]

type ShownConnection = Connection & { id: string; target: ConnectionTarget }

/** What `describe` knows besides the input: the connections with their targets, the deployment, and the idempotency key. */
export interface OperationTransport {
  idempotency_key: string
  /** absent where the input names no connection */
  connection?: ShownConnection
  /** absent where the input names no second one */
  second_connection?: ShownConnection
  /** what `deployment` answered */
  deployment?: JsonObject
}

/** The preview for approvers: exactly what will be sent. The renderer makes it harmless to read, not the operator. */
export interface OperationPlan {
  summary: string
  targets: { kind: string; ids: string[] }
  command?: ShownText
  diff?: { format: 'unified' | 'json-patch' | 'text'; body: string }
}

/** The result of a simulation. An untested operation is never `ok`: nothing proves that it may proceed. */
export type Simulation =
  | { ok: true; summary: string; details?: Json }
  | { ok: false; not_tried?: true; summary: string; details?: Json }

/** Whether an operation that was started and never settled may be repeated. */
export type Replay = 'safe' | 'ask'

/** An activity of an external Temporal worker, in the place of `execute`. */
export interface RemoteActivity {
  activity: string
  input: Json
  /** JSON Schema that the result has to fit */
  result_schema: JsonObject
  schedule_to_start_ms: number
  /** after so long without a heartbeat its worker counts as lost */
  heartbeat_ms?: number
  /** it may be repeated */
  idempotent: boolean
  /** it takes what it is for as a second argument */
  context: boolean
}

/** One kind of work. Its governance facts are data; it reaches the world through `ctx`. */
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
  /** Returns the variables of that scope that an input reads, as paths (`['steps', 'look']`), from the input as the template writes it. */
  reads_of_scope?(input: JsonObject): string[][]
  /** Loads what `parse` and `describe` need; awaited before them. */
  ready?(): Promise<void>
  /** Throws DomainError `validation_failed` with field errors. Accepts what templates render, answers what will be sent. */
  parse(input: JsonObject): Input
  /** JSON Schema (2020-12) of the input, for packs' linting and the contract. */
  input_schema: JsonObject
  /**
   * Returns why an input can never run, as far as it is written out. Checked when a template is loaded, by preflight, and before an
   * approval is requested.
   */
  findInvalid?(input: JsonObject): { field: string; message: string } | undefined
  /** Fields that a template writes literally, without expressions: their values never come from outside. */
  as_written?: Readonly<Record<string, 'value' | 'json_schema'>>
  /** Returns the connection that this input names, the only one that the operator gets beside `secondConnection`. */
  connection?(input: Input): string | undefined
  /** Returns the tool of that connection that this input names; only an accepted one is handed on, and approvals cover it. */
  tool?(input: Input): string
  /** Returns a second one that it names, of another kind: the store of the secret that it makes. */
  secondConnection?(input: Input): string | undefined
  /**
   * Returns the settings of the deployment that it uses besides its context, such as a directory or a program of the environment, without
   * secrets: approvers see them, and another answer is another plan. Throws OperatorError where it may not use them.
   */
  deployment?(input: Input, environment: Environment): JsonObject | Promise<JsonObject>
  /** Returns why an environment never lets an input run, as far as it is written out; shown by preflight. */
  refusedIn?(environment: Environment, input: JsonObject): { message: string; fix: string } | undefined
  /** Applies a connection to the input. Throws OperatorError when they do not fit. */
  applyConnection?(input: Input, connection: Connection): Input
  /**
   * Returns the action type of this very input (a GET through `http.request` is a `read`); default: `action_type`. A plan calls it with the
   * input as written, where values may still be expressions: `read` only when none of them can make it an effect.
   */
  actionType?(input: Input): string
  /** Returns the risk of this very input; default: `risk`. */
  riskOf?(input: Input): Risk
  replay(input: Input): Replay
  /** Returns the queue that this input names: the environment says what it is, and the plan of its step has the capability for it. */
  queue?(input: JsonObject): string | undefined
  /** Pure: what an external worker does of the input. Nothing is executed here then. */
  remoteActivity?(input: Input): RemoteActivity
  /**
   * Returns the model call that it makes first; it reaches no other model. Each call reserves its cost when it is made, so it needs no
   * `estimate`.
   */
  asks?(input: Input): ModelAsk
  /** Worst-case cost of one execution, reserved before it begins. */
  estimate?(input: Input): Partial<Cost>
  /** Milliseconds to wait durably before the step settles; the wait itself holds no worker. */
  delay_ms?(input: Input): number
  /** true: it waits until a condition holds; a dry run, in which nothing happens, does not wait */
  waits?: true
  /** Pure and side-effect free: what will be done, in words and targets. */
  describe(input: Input, transport: OperationTransport): OperationPlan
  /** Signs in through a connection of its kind and changes nothing: how the connection is tested. Throws what a step would fail with. */
  testConnection?(ctx: OperatorContext, connection: string): Promise<void>
  /** Predicts without effect. Absent: `require_dry_run` turns the gate on. */
  simulate?(ctx: OperatorContext, input: Input): Promise<Simulation>
  execute(ctx: OperatorContext, input: Input): Promise<OperatorResult>
}

/** What a step with this input is able to do, also as the template writes it. */
export function capabilitiesOf({ capabilities, queue }: Operator, input: JsonObject): string[] {
  const name = queue?.(input)
  return name === undefined ? [...capabilities] : [...capabilities, `temporal.queue:${name}`]
}

/** Keeps an operator's input type between its own functions and forgets it towards the registry. */
export function defineOperator<Input extends JsonObject>(operator: Operator<Input>): Operator {
  return operator as Operator
}

/**
 * Failure of an operator. `retryable` follows the step's retry policy; `unknown_outcome` says the effect may have happened. `cost` is the
 * amount spent, `{}` for certainly nothing; absent: the estimate. `retry_after_ms` is the delay that the target asks for.
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
