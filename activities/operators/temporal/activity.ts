import { z } from 'zod'
import { costOf } from '#core/budget/charge.ts'
import { totalCost, usdText } from '#core/money.ts'
import { Name } from '#core/names/name-schema.ts'
import { defineOperator, OperatorError } from '#core/operator.ts'
import { MAX_INPUT_BYTES } from '#core/remote-job/contract.ts'
import { DeclaredCost, declaredCost } from '../declared-cost.ts'
import { durationMs } from '../duration-ms.ts'
import { Duration, inOneOrder, JsonRecord, JsonValue } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'

const DEFAULT_WAIT = '1m'

const TemporalActivityInput = z.strictObject({
  queue: Name.describe('Name of a queue of the environment, which binds it to a task queue'),
  activity: z.string().min(1).max(200).describe('Type of the activity, as its worker registers it'),
  input: JsonValue.refine(
    (input) => Buffer.byteLength(JSON.stringify(input ?? null)) <= MAX_INPUT_BYTES,
    `larger than ${MAX_INPUT_BYTES} bytes`,
  )
    .exactOptional()
    .describe('Its argument; no secret inputs'),
  result_schema: JsonRecord.describe('JSON Schema that its result has to fit'),
  idempotent: z
    .boolean()
    .exactOptional()
    .describe('It may be repeated: after a timeout, or when its worker is lost. Default: false'),
  schedule_to_start: Duration.exactOptional().describe(`How long it may wait for a worker; default ${DEFAULT_WAIT}`),
  heartbeat: Duration.exactOptional().describe(
    'After so long without a heartbeat its worker counts as lost; without it, only the timeout of the step ends it, and no cancellation reaches it',
  ),
  context: z
    .boolean()
    .exactOptional()
    .describe(
      'It takes a second argument: the run, the step, the attempt, the plan hash, the digest of the input and an idempotency key',
    ),
  cost: DeclaredCost.exactOptional().describe(
    'Price of one attempt: reserved before it starts, and charged if it started',
  ),
})
type TemporalActivityInput = z.infer<typeof TemporalActivityInput>

/** Dispatches a step to an external Temporal worker. Nothing of it is executed here. */
export const temporalActivity = defineOperator<TemporalActivityInput>({
  id: 'temporal.activity',
  version: 1,
  title: 'Run an activity of an external worker',
  risk: 'medium',
  action_type: 'temporal.activity',
  capabilities: ['temporal.activity'],
  requires_approval: false,
  ...operatorInput(TemporalActivityInput),
  as_written: { queue: 'value', activity: 'value', result_schema: 'json_schema', idempotent: 'value' },
  queue: ({ queue }) => (typeof queue === 'string' ? queue : undefined),
  replay: ({ idempotent }) => (idempotent === true ? 'safe' : 'ask'),
  estimate: declaredCost,
  remoteActivity: ({ activity, input = null, result_schema, idempotent, schedule_to_start, heartbeat, context }) => ({
    activity,
    input: inOneOrder(input),
    result_schema,
    idempotent: idempotent === true,
    schedule_to_start_ms: durationMs(schedule_to_start ?? DEFAULT_WAIT),
    ...(heartbeat !== undefined && { heartbeat_ms: durationMs(heartbeat) }),
    context: context === true,
  }),
  describe: ({ queue, activity, input = null, idempotent, cost }) => ({
    summary: `run the activity ${activity} on the queue ${queue}${idempotent === true ? ', which may be repeated' : ''}${
      cost === undefined ? '' : `, for ${usdText(totalCost(costOf(declaredCost({ cost }))))} USD an attempt`
    }`,
    targets: { kind: 'activity', ids: [`${queue}/${activity}`] },
    command: JSON.stringify(inOneOrder(input), null, 2),
  }),
  simulate: async (_ctx, { queue, activity }) => ({
    ok: false,
    not_tried: true,
    summary: `the activity ${activity} on the queue ${queue} cannot be tried without doing it`,
  }),
  async execute() {
    throw new OperatorError('operator_bug', 'an external worker does this')
  },
})
