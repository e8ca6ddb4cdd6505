import { answeredBy } from './gate-text.ts'

type Data = Readonly<Record<string, unknown>>

/** An event of a run or a pipeline. */
interface LoggedEvent {
  type: string
  actor?: unknown
  data: Data
}

const CHANNELS: Readonly<Record<string, string>> = {
  api: 'the API',
  cli: 'the command line',
  console: 'the console',
  email: 'mail',
  magic_link: 'a link',
  slack: 'Slack',
  system: 'the service',
  temporal: 'Temporal',
}

const RUN_IS: Readonly<Record<string, string>> = {
  queued: 'waits for a slot',
  running: 'is under way',
  awaiting_approval: 'waits for an approval',
  cancelling: 'is being cancelled',
  succeeded: 'succeeded',
  failed: 'failed',
  rejected: 'was rejected',
  cancelled: 'was cancelled',
  expired: 'expired: nobody answered in time',
}

/** A sentence for a type of event; `by` names who did it, where somebody did. */
const SENTENCES: Readonly<Record<string, (data: Data, by: string) => string>> = {
  'run.queued': ({ lane, dry_run }) =>
    `${dry_run === true ? 'The dry run waits' : 'Waits'} for a slot in the lane ${lane}`,
  // of a pipeline: one of its runs
  'run.started': ({ run_id, role }) =>
    run_id === undefined
      ? 'The run began'
      : `Started the run ${run_id}${role === 'compensation' ? ', which takes back what the step did' : ''}`,
  'run.moved': ({ run_id, role, index, status }) =>
    `${role === 'compensation' ? 'The compensation' : 'The run'} ${run_id}${entryText(index)} ${RUN_IS[String(status)] ?? `is ${status}`}`,
  'run.refused': ({ role, index }) =>
    `${role === 'compensation' ? 'A compensation' : 'A run'}${entryText(index)} did not begin`,
  'run.progress': ({ until, halt_id, cause }) => {
    if (until !== undefined) return `Waits until ${until}`
    if (halt_id !== undefined) return `Held by the halt ${halt_id}`
    return cause === 'workspace_archived' ? 'Held: the workspace is archived' : 'Goes on'
  },
  'run.cancelling': ({ reason }, by) => withWhy(`Being cancelled${by}`, reason),
  'run.succeeded': ({ dry_run }) => `The ${dry_run === true ? 'dry run' : 'run'} succeeded`,
  'run.failed': () => 'The run failed',
  'run.rejected': ({ reason }, by) => withWhy(`The run was rejected${by}`, reason),
  'run.cancelled': ({ reason, why }, by) => withWhy(`The run was cancelled${by}`, reason ?? why),
  'run.expired': ({ reason }) => withWhy('The run expired', reason),

  'step.started': ({ attempt, operator }) => `Attempt ${attempt} with ${operator}`,
  'step.completed': ({ attempt, cost_usd, skipped, when, would, summary }) => {
    if (skipped === true) return `Skipped: ${when ?? 'its condition'} does not hold`
    if (would !== undefined)
      return withWhy(`A run ${would === 'unknown' ? 'may act or not' : `would ${words(would)}`}`, summary)
    return `Attempt ${attempt} succeeded${Number(cost_usd) > 0 ? ` for ${cost_usd} US dollars` : ''}`
  },
  'step.published': ({ event }) => `Published ${event}`,
  'step.advanced': ({ note }, by) => withWhy(`Advanced${by}`, note),
  'step.running': ({ reason }) => withWhy('The step is under way', reason),
  'step.ready': () => 'Waits until somebody advances it',
  'step.waiting_timer': ({ fire_at }) => `Waits until ${fire_at ?? 'its timer fires'}`,
  'step.waiting_event': () => 'Waits for an event',
  'step.awaiting_approval': () => 'A run of the step waits for an approval',
  'step.succeeded': ({ outputs }) =>
    `The step succeeded${outputs === undefined ? '' : ` with ${listText(outputs, ', ')}`}`,
  'step.failed': () => 'The step failed',
  'step.skipped': ({ reason }) => withWhy('The step was skipped', reason),
  'step.rejected': () => 'Somebody rejected what the step asked for',
  'step.cancelled': ({ reason }) => withWhy('The step was cancelled', reason),
  'step.expired': () => 'Nobody answered the step in time',

  'policy.decided': ({ gate, because, effect, led_to }) => {
    if (gate === true)
      return `${led_to === 'effect' ? 'Was approved, as is required' : 'Needs approval'}: ${listText(because, '; ')}`
    return effect === 'deny' ? 'A policy denies it' : 'Needs no approval'
  },
  'gate.opened': ({ because }) => `Asks for approval: ${listText(because, '; ')}`,
  'gate.decision': ({ decision, channel, note, approvals }, by) =>
    [
      `${decision === 'approve' ? 'Approved' : 'Rejected'}${by} through ${CHANNELS[String(channel)] ?? channel}`,
      countText(approvals),
      typeof note === 'string' && note !== '' ? `“${note}”` : '',
    ]
      .filter(Boolean)
      .join(', '),
  'gate.acknowledged': (_, by) => (by === '' ? 'Somebody looks at it' : `Looked at${by}`),
  'gate.commented': ({ text }, by) => `Comment${by}: “${text}”`,
  'gate.resolved': ({ status, cause }, by) => withWhy(`The gate was ${status}${by}`, cause),
  'gate.expired': () => 'The gate expired: nobody answered in time',

  'budget.reserved': ({ usd, model }) => `Reserved ${usd} US dollars${model === undefined ? '' : ` for ${model}`}`,
  'budget.settled': ({ usd, reserved_usd }) => `Cost ${usd} US dollars of ${reserved_usd} reserved`,
  'budget.exceeded': () => 'The budget does not suffice',
  'model.called': ({ model, usd }) => `Asked ${model} for ${usd} US dollars`,
  'alert.attached': ({ count, attached_count }) =>
    `${Number(count) === 1 ? '1 alert was' : `${count} alerts were`} attached, ${attached_count} in all`,
  'alert.resolved': ({ remaining }) =>
    `An alert is resolved; ${Number(remaining) === 1 ? '1 still fires' : `${Number(remaining) === 0 ? 'none' : remaining} still fire`}`,
  'artifact.created': ({ name, size_bytes }) => `Kept ${name}, ${size_bytes} bytes`,

  'pipeline.queued': ({ name }, by) => `The pipeline ${name} was started${by}`,
  'pipeline.started': () => 'The pipeline began',
  'pipeline.cancelling': ({ reason }, by) => withWhy(`Being cancelled${by}`, reason),
  'pipeline.closing': ({ as, compensate }) =>
    `No further step begins${compensate === true ? ', what was done is taken back' : ''}; the pipeline ends as ${as}`,
  'pipeline.succeeded': () => 'The pipeline succeeded',
  'pipeline.failed': () => 'The pipeline failed',
  'pipeline.rejected': () => 'The pipeline was rejected',
  'pipeline.cancelled': () => 'The pipeline was cancelled',
}

/** Formats an event in a line: its message, a sentence for its type, or its values by name; and why. */
export function eventText({ type, actor, data }: LoggedEvent): string {
  const { message, error, not_taken_back: left } = data
  const own = typeof message === 'string' ? message : undefined
  const known = Object.hasOwn(SENTENCES, type) ? SENTENCES[type] : undefined
  const said = own ?? known?.(data, byText(actor)) ?? pairsText(data)
  const text = [said, errorText(error)].filter(Boolean).join(': ')
  return known === undefined || !Array.isArray(left) ? text : `${text}; not taken back: ${left.join(', ')}`
}

/** Returns nothing for what the service does by itself. */
function byText(actor: unknown): string {
  const { type, display, id } = fieldsOf(actor)
  if (typeof id !== 'string' || type === 'system') return ''
  return ` by ${answeredBy({ by: id, name: typeof display === 'string' && display !== id ? display : undefined })}`
}

const words = (value: unknown): string => String(value).replaceAll('_', ' ')

/** A cause of the service is a name such as `standing_lost`; what people write stays as it is. */
function withWhy(text: string, why: unknown): string {
  if (typeof why !== 'string' || why === '') return text
  return `${text}: ${/^[a-z_]+$/.test(why) ? words(why) : why}`
}

const listText = (list: unknown, between: string): string => (Array.isArray(list) ? list.join(between) : '')

/** Only a list has a second entry; `PipelineRun` counts them from 0. */
const entryText = (index: unknown): string => (Number(index) > 0 ? ` of entry ${index}` : '')

function countText(approvals: unknown): string {
  const { have, need } = fieldsOf(approvals)
  return need === undefined ? '' : `${have} of ${need} ${need === 1 ? 'approval' : 'approvals'}`
}

const errorText = (error: unknown): string => {
  const { message } = fieldsOf(error)
  return typeof message === 'string' ? message : ''
}

const fieldsOf = (value: unknown): Data => (typeof value === 'object' && value !== null ? (value as Data) : {})

/** Leaves out hashes, snapshots and objects. */
function pairsText(data: Data): string {
  return Object.entries(data)
    .filter(
      ([name, value]) =>
        !/_hash$|_snapshot$/.test(name) && name !== 'error' && (typeof value !== 'object' || Array.isArray(value)),
    )
    .map(([name, value]) => `${words(name)} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ')
}
