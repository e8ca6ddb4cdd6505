import type { Actor } from '#core/actor.ts'
import { DomainError, type ErrorCode } from '#core/errors.ts'
import { LOCAL_ACTOR } from '../../auth/authenticator.ts'
import { mayEnter } from '../../auth/may.ts'
import type { DecisionContext } from '../../context.ts'
import { type RefusalReport, recordRefusals } from '../../refusals/record-refusals.ts'
import { decideGate } from '../decide-gate.ts'
import type { NoticeGates, NoticeView } from '../notice-gates.ts'
import type { ChatInteraction, NoteTarget } from './interaction.ts'

/** The chat of one channel, as people's answers use it. */
export interface Chat {
  /** mail address of a member; undefined when the chat does not tell */
  emailOf(userId: string): Promise<string | undefined>
  /** sends a text that only one person sees */
  whisper(conversation: string, userId: string, text: string): Promise<void>
  /** asks for a note; the answer is another interaction */
  askNote(triggerId: string, target: NoteTarget): Promise<void>
}

export type ChatContext = DecisionContext & {
  gates: NoticeGates
  chat: Chat
  /** name of the channel that the interaction came through */
  chat_channel: string
}

const REFUSALS: Partial<Record<ErrorCode, string>> = {
  gate_resolved: 'This has been decided already.',
  run_not_awaiting: 'This has been decided already.',
  plan_changed: 'The plan has changed since this message was sent; nothing was decided.',
}

/** Decides a gate by a button in a chat. The user who pressed it is told the result; the chat's own name proves nothing. */
export async function answerInChat(ctx: ChatContext, interaction: ChatInteraction): Promise<void> {
  const { user, conversation } = interaction
  try {
    const reply = await decide(ctx, interaction)
    if (reply !== undefined) await ctx.chat.whisper(conversation, user.id, reply)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    await ctx.chat.whisper(conversation, user.id, REFUSALS[error.code] ?? `Nothing was decided: ${error.message}`)
  }
}

async function decide(ctx: ChatContext, interaction: ChatInteraction): Promise<string | undefined> {
  const { target, decision, note, trigger_id, conversation } = interaction
  const gate = await ctx.gates.find(target.gate_id)
  if (gate === undefined || gate.run_id !== target.run_id || target.channel !== ctx.chat_channel)
    throw new DomainError('not_found', 'there is no such gate')
  const actor = await actorOf(ctx, gate, interaction)
  const { require_note } = gate.required
  const asksNote = require_note === 'always' || (require_note === 'reject' && decision === 'reject')
  if (asksNote && note === undefined && gate.status === 'open' && trigger_id !== undefined) {
    await ctx.chat.askNote(trigger_id, { ...target, decision, conversation })
    return undefined
  }
  const outcome = await decideGate(
    { ...ctx, actor, workspace_id: gate.workspace_id, channel: 'slack' },
    {
      run_id: gate.run_id,
      kind: decision,
      gate_id: target.gate_id,
      plan_hash: target.plan_hash,
      ...(note === undefined || note === '' ? {} : { note }),
    },
  )
  if (outcome.resolved) return undefined
  return `Your vote counts: ${outcome.approvals.have} of ${outcome.approvals.need} approvals are there.`
}

/** The member of the chat as one of us. While authentication is off, the name that the chat gives is an assertion. */
async function actorOf(ctx: ChatContext, gate: NoticeView, { user }: ChatInteraction): Promise<Actor> {
  if (ctx.open) return { ...LOCAL_ACTOR, id: `slack:${user.name}`, display: user.name }
  const email = await ctx.chat.emailOf(user.id)
  const person = email === undefined ? undefined : await ctx.people.find(email)
  if (person?.active && mayEnter(person, gate.workspace_id)) {
    const { id, email: address, display, roles, workspaces } = person
    return {
      type: 'user',
      id,
      display,
      email: address,
      account_id: '',
      roles,
      approval_roles: [],
      scopes: [],
      workspaces,
      auth: 'signature',
    }
  }
  await recordUnknownMember(ctx, gate, user)
  throw new DomainError('approver_not_allowed', 'your address in this chat belongs to no user who may decide here.')
}

async function recordUnknownMember(ctx: ChatContext, gate: NoticeView, user: ChatInteraction['user']): Promise<void> {
  const draft: RefusalReport['draft'] = {
    category: 'approval',
    action: 'gate.refused',
    workspace_id: gate.workspace_id,
    actor: { type: 'user', id: `slack:${user.id}`, auth: 'signature' },
    channel: 'slack',
    run_id: gate.run_id,
    subject: { type: 'gate', id: gate.gate_id },
    data: { code: 'approver_not_allowed', why: 'no user has the address of this member of the chat' },
  }
  await recordRefusals(ctx, [{ kind: 'approver_not_allowed', draft }])
}
