import type { LogEvent } from './follow-events.ts'

type Data = Readonly<Record<string, unknown>>

const LONGEST = 240

const SENTENCES: Readonly<Record<string, (data: Data) => string | undefined>> = {
  'run.queued': ({ lane }) => `Waits for a slot in the lane ${lane}`,
  'run.started': () => 'The run began',
  'policy.decided': ({ gate, because }) =>
    gate === true ? `Needs approval: ${listText(because)}` : 'Needs no approval',
  'gate.opened': ({ because }) => `Asks for approval: ${listText(because)}`,
  'gate.decision': ({ decision, channel, note, approvals }) =>
    [
      `${decision === 'approve' ? 'Approved' : 'Rejected'} through ${channel}`,
      countText(approvals),
      typeof note === 'string' && note !== '' ? `“${note}”` : '',
    ]
      .filter(Boolean)
      .join(', '),
  'gate.acknowledged': () => 'Somebody looks at it',
  'gate.resolved': ({ status }) => `The gate closed: ${status}`,
  'step.started': ({ attempt, operator }) => `Attempt ${attempt} with ${operator}`,
  'step.completed': ({ attempt, cost_usd }) =>
    `Attempt ${attempt} succeeded${Number(cost_usd) > 0 ? ` for ${cost_usd} US dollars` : ''}`,
}

/** Formats an event in a line: its message, a sentence for its type, or its values by name. */
export function eventText({ type, data }: Pick<LogEvent, 'type' | 'data'>): string {
  const { message, error } = data
  const own = typeof message === 'string' ? message : SENTENCES[type]?.(data)
  const text = own ?? [pairsText(data), errorText(error)].filter(Boolean).join(' ')
  return text.slice(0, LONGEST)
}

const listText = (list: unknown): string => (Array.isArray(list) ? list.join('; ') : '')

function countText(approvals: unknown): string {
  const { have, need } = fieldsOf(approvals)
  return need === undefined ? '' : `${have} of ${need} approvals`
}

const errorText = (error: unknown): string => {
  const { message } = fieldsOf(error)
  return typeof message === 'string' ? message : ''
}

const fieldsOf = (value: unknown): Data => (typeof value === 'object' && value !== null ? (value as Data) : {})

/** Leaves out hashes, snapshots and objects. */
function pairsText(data: Data): string {
  return Object.entries(data)
    .filter(([name, value]) => !/_hash$|_snapshot$/.test(name) && (typeof value !== 'object' || Array.isArray(value)))
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ')
}
