import { z } from 'zod'
import { foreignJsonIn } from '#core/json/parse-json.ts'

/** The value of a button in a gate's message. */
const Target = z.object({
  run_id: z.string().max(64),
  gate_id: z.string().max(64),
  plan_hash: z.string().max(100),
  channel: z.string().max(64),
})

const NoteTarget = Target.extend({
  decision: z.enum(['approve', 'reject']),
  conversation: z.string().max(64),
})

const User = z.object({
  id: z.string().max(64),
  username: z.string().max(200).optional(),
  name: z.string().max(200).optional(),
})

const BlockActions = z.object({
  type: z.literal('block_actions'),
  user: User,
  trigger_id: z.string().max(400),
  channel: z.object({ id: z.string().max(64) }),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().max(3_000).optional() })).min(1),
})

const ViewSubmission = z.object({
  type: z.literal('view_submission'),
  user: User,
  view: z.object({
    callback_id: z.string(),
    private_metadata: z.string().max(3_000),
    state: z.object({ values: z.object({ note: z.object({ note: z.object({ value: z.string().nullable() }) }) }) }),
  }),
})

const Payload = z.discriminatedUnion('type', [BlockActions, ViewSubmission])

export type GateTarget = z.infer<typeof Target>
export type NoteTarget = z.infer<typeof NoteTarget>

/** A user's action on a message about a gate. */
export interface ChatInteraction {
  user: { id: string; name: string }
  /** address of the answer */
  conversation: string
  target: GateTarget
  decision: 'approve' | 'reject'
  /** undefined when none was requested yet */
  note: string | undefined
  /** opens a dialogue within three seconds; absent in the answer of one */
  trigger_id?: string
}

export const NOTE_DIALOG = 'gate.note'

const DECISIONS: Record<string, 'approve' | 'reject'> = { 'gate.approve': 'approve', 'gate.reject': 'reject' }

/** Reads the `payload` of a Slack interaction; undefined for one that is not about a gate, such as an opened link. */
export function readInteraction(form: string): ChatInteraction | undefined {
  const parsed = Payload.safeParse(foreignJsonIn(new URLSearchParams(form).get('payload') ?? ''))
  if (!parsed.success) return undefined
  const { user } = parsed.data
  const who = { id: user.id, name: user.username ?? user.name ?? user.id }
  if (parsed.data.type === 'view_submission') {
    const { callback_id, private_metadata, state } = parsed.data.view
    const target = NoteTarget.safeParse(foreignJsonIn(private_metadata))
    if (callback_id !== NOTE_DIALOG || !target.success) return undefined
    const { decision, conversation, ...rest } = target.data
    return { user: who, conversation, target: rest, decision, note: state.values.note.note.value ?? '' }
  }
  const { actions, channel, trigger_id } = parsed.data
  const action = actions.find(({ action_id }) => DECISIONS[action_id] !== undefined)
  const decision = DECISIONS[action?.action_id ?? '']
  const target = Target.safeParse(foreignJsonIn(action?.value ?? ''))
  if (decision === undefined || !target.success) return undefined
  return { user: who, conversation: channel.id, target: target.data, decision, note: undefined, trigger_id }
}
