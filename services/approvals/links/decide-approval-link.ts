import type { Actor } from '#core/actor.ts'
import { DomainError, isFailure } from '#core/errors.ts'
import type { Decision } from '#core/gate/types.ts'
import { mayEnter } from '../../auth/may.ts'
import { isOnRecord, onRecord } from '../../refusals/record-refusals.ts'
import { decideGate } from '../decide-gate.ts'
import type { DecidedGate } from '../gate-decision.ts'
import {
  CODE_TRIES,
  demandsLogin,
  type LinkContext,
  type LinkState,
  linkState,
  mustConfirm,
  type OpenedLink,
  recipientActor,
} from './link-context.ts'
import { recordRefusal } from './refuse-link.ts'

export interface LinkDecision {
  /** undefined when nothing was chosen */
  decision: Decision | undefined
  note?: string
  /** the person has confirmed it, or a program decides */
  confirmed: boolean
  /** true when the request comes from the page; false for a program that has read it */
  from_page: boolean
  code?: string
  /** the user who signed in for this decision, or undefined. Throws what signing in throws. */
  signIn(): Promise<Actor | undefined>
}

/**
 * Decides through a magic link. Besides the link it requires something that a program which only follows links does not have: the code from
 * the message, or a signed-in user. Each refusal is recorded.
 */
export async function decideApprovalLink(
  ctx: LinkContext,
  opened: OpenedLink,
  input: LinkDecision,
): Promise<DecidedGate> {
  const answer = await withRefusalsOnRecord(ctx, opened, () => takeAnswer(ctx, opened, input))
  try {
    // the gate records its own refusals
    return await withRefusalsOnRecord(ctx, opened, () => decide(ctx, opened, answer), isOnRecord)
  } catch (error) {
    if (answer.claim !== undefined) await ctx.links.release(opened.link.jti, answer.claim)
    throw error
  }
}

interface Answer {
  actor: Actor
  decision: Decision
  note: string | undefined
  /** undefined where people sign in: the gate takes one vote of each */
  claim: string | undefined
}

async function withRefusalsOnRecord<Result>(
  ctx: LinkContext,
  { link, gate }: OpenedLink,
  work: () => Promise<Result>,
  isRecorded: (error: DomainError) => boolean = () => false,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DomainError) || isFailure(error.code) || isRecorded(error)) throw error
    const { jti, workspace_id, recipient, gate_id } = link
    const { run_id } = gate
    await recordRefusal(ctx, { code: error.code, why: error.message, workspace_id, gate_id, jti, recipient, run_id })
    throw onRecord(error)
  }
}

/** Claims the link for one answer, unless people sign in: no other answer can use it from then on. */
async function takeAnswer(ctx: LinkContext, opened: OpenedLink, input: LinkDecision): Promise<Answer> {
  const { note, decision } = input
  refuseState(linkState(opened, ctx.open), opened)
  if (!input.from_page) throw new DomainError('forbidden', 'The decision did not come from the page of this link.')
  if (decision === undefined) throw new DomainError('decision_required', 'Choose to approve or to reject.')
  if (decision === 'approve' && !input.confirmed && mustConfirm(opened))
    throw new DomainError('decision_required', 'Nothing was decided. Tick “Yes, do it” below to approve this.')
  const actor = await whoActs(ctx, opened, input)
  if (demandsLogin(opened.gate, ctx.open)) return { actor, decision, note, claim: undefined }
  const claim = await ctx.links.claim(opened.link.jti, decision)
  if (claim === undefined)
    throw new DomainError(
      'conflict',
      'A decision was made with this link before. Other approvers use the link of their own message, or `svc remote approve`.',
    )
  return { actor, decision, note, claim }
}

async function decide(ctx: LinkContext, opened: OpenedLink, { actor, decision, note }: Answer): Promise<DecidedGate> {
  const { claims, gate } = opened
  return await decideGate(
    { ...ctx, actor, workspace_id: gate.workspace_id, channel: 'magic_link' },
    {
      run_id: gate.run_id,
      kind: decision,
      gate_id: claims.gate_id,
      plan_hash: claims.plan_hash,
      ...(note === undefined || note === '' ? {} : { note }),
    },
  )
}

function refuseState(state: LinkState, { gate }: OpenedLink): void {
  const about = { run_id: gate.run_id, gate_id: gate.gate_id }
  switch (state) {
    case 'open':
      return
    case 'decided':
      throw new DomainError('gate_resolved', 'The gate has been decided already.', {
        ...about,
        gate_status: gate.status,
      })
    case 'changed':
      throw new DomainError('plan_changed', 'The plan has changed since this link was sent.', about)
    case 'used':
      throw new DomainError(
        'conflict',
        'A decision was made with this link before. Other approvers use the link of their own message, or `svc remote approve`.',
        about,
      )
    case 'blocked':
      throw new DomainError('forbidden', 'Too many wrong codes: this link can no longer decide anything.', about)
  }
}

async function whoActs(ctx: LinkContext, opened: OpenedLink, input: LinkDecision): Promise<Actor> {
  const person = await input.signIn()
  if (person !== undefined) {
    if (!mayEnter(person, opened.gate.workspace_id))
      throw new DomainError('approver_not_allowed', 'You do not belong to the workspace of this run.')
    return person
  }
  if (demandsLogin(opened.gate, ctx.open))
    throw new DomainError('unauthenticated', 'The rules of this gate ask who you are: sign in to decide.')
  await checkCode(ctx, opened.link.jti, input.code)
  return recipientActor(opened)
}

/** Text that cannot be a code is no try: a scanner that fills in forms does not use up a person's tries. */
async function checkCode(ctx: LinkContext, jti: string, given: string | undefined): Promise<void> {
  const code = (given ?? '').replace(/[\s-]/g, '').toUpperCase()
  if (!/^[0-9A-Z]{6}$/.test(code))
    throw new DomainError('forbidden', 'The code of six characters from the message is needed.')
  const left = await ctx.links.takeTry(jti, CODE_TRIES)
  if (left === undefined)
    throw new DomainError('forbidden', 'Too many wrong codes: this link can no longer decide anything.')
  if (!ctx.signer.isCode(jti, code)) {
    const tries = left === 1 ? '1 try is left' : left === 0 ? 'no try is left' : `${left} tries are left`
    throw new DomainError('forbidden', `The code is not the one from the message: ${tries}.`, { tries_left: left })
  }
  await ctx.links.returnTry(jti)
}
