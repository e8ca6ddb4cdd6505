import type { Actor } from '#core/actor.ts'
import { contributionText } from '#core/gate/contribution-text.ts'
import { barredFrom, contributorsOf } from '#core/gate/contributors.ts'
import { missing } from '#core/gate/requirement.ts'
import { countApprovals } from '#core/gate/tally.ts'
import { setterFor } from '#core/halt/halt.ts'
import { objectOf, textOf, textsOf } from '#core/json/json.ts'
import { approvedBy, gateFacts, resolutionOf } from '#core/notify/gate-facts.ts'
import { noticeMessage } from '#core/notify/message.ts'
import type { NoticeMessage } from '#core/notify/types.ts'
import { visible } from '#core/text/visible-text.ts'
import { formatTime } from '#core/time/format-time.ts'
import { isoTime } from '#core/time/time.ts'
import { mayEnter } from '../../auth/may.ts'
import { toRemarks } from '../remark-on-gate.ts'
import {
  CODE_TRIES,
  demandsLogin,
  type LinkContext,
  type LinkState,
  linkState,
  mustConfirm,
  type OpenedLink,
} from './link-context.ts'
import { type LinkAnswers, whoMayAnswer } from './who-may-answer.ts'

/** The exact subject of the decision. */
export interface LinkDetails {
  run_id: string
  gate_id: string
  step: string
  operator: string
  environment: string
  environment_class: string
  risk: string
  /** of the alert; null where none started the run */
  severity: string | null
  summary: string
  command: string | null
  targets: string[]
  /** target and user of its connection */
  connection: string | null
  /** the models that may answer it */
  models: string | null
  because: string[]
  requested_by: string | null
  /** everyone who shaped the run, by name, and how */
  shaped_by: string[]
  reason: string | null
  plan_hash: string
  /** those given and needed, by whom they were given, and how many are missing, from which roles */
  approvals: { have: number; need: number; by: string[]; missing: number; missing_text: string }
  expires_at: string
  /** decisions that need a note */
  note_needed: 'reject' | 'always' | null
  /** its approval is confirmed a second time */
  needs_confirmation: boolean
  /** the words of the message that brought the link, as of now */
  message: NoticeMessage
}

/** The page of a magic link. */
export interface LinkView {
  state: LinkState
  workspace: string
  template: string
  /** the gate requires an identity: the link alone does not suffice */
  login_required: boolean
  /** absent before a required sign-in */
  details?: LinkDetails
  /** halts that will delay the approved step; absent before a required sign-in */
  halts?: string[]
  /** who looks at the open gate, and the comments on it; absent before a required sign-in */
  remarks?: LinkRemarks
  decided?: { status: string; by: string | null; at: string; at_words: string }
  /** wrong codes that are left; absent where a code does not suffice */
  tries_left?: number
  /** name of the user who signed in on the page */
  signed_in_as?: string
  /** their id, sent back with the decision */
  user_id?: string
  /** the answers that the user may give, and other possible voters; absent before signing in, and once it is decided */
  answers?: LinkAnswers
  /** sent back with the decision */
  nonce: string
}

interface LinkRemarks {
  /** names */
  acknowledged: string[]
  comments: { name: string; text: string; at: string; at_words: string }[]
}

/** Shows the page of a link. Viewing decides nothing and uses nothing up. */
export async function showApprovalLink(
  ctx: LinkContext,
  opened: OpenedLink,
  viewer: { actor: Actor | undefined; nonce: string },
): Promise<LinkView> {
  await ctx.links.countView(opened.link.jti)
  const { gate } = opened
  const login_required = demandsLogin(gate, ctx.open)
  const knows = viewer.actor !== undefined && mayEnter(viewer.actor, gate.workspace_id)
  const isShown = !login_required || knows
  const state = linkState(opened, ctx.open)
  return {
    state,
    workspace: gate.workspace_name,
    template: `${gate.pack}/${gate.template}`,
    login_required,
    ...(login_required ? {} : { tries_left: Math.max(0, CODE_TRIES - opened.link.wrong_codes) }),
    ...(viewer.actor !== undefined && login_required && knows
      ? { signed_in_as: viewer.actor.display, user_id: viewer.actor.id }
      : {}),
    ...(viewer.actor !== undefined && login_required && knows && state === 'open'
      ? { answers: await whoMayAnswer(ctx, gate, viewer.actor) }
      : {}),
    ...(isShown ? { details: detailsOf(opened, isoTime(ctx.clock())), halts: await haltsOver(ctx, gate.run_id) } : {}),
    ...(isShown && state === 'open' ? { remarks: await remarksOn(ctx, gate) } : {}),
    ...(gate.resolved_at === null
      ? {}
      : {
          decided: {
            status: gate.status,
            by: isShown ? resolutionOf(gate).by : null,
            at: gate.resolved_at,
            at_words: formatTime(gate.resolved_at, isoTime(ctx.clock())),
          },
        }),
    nonce: viewer.nonce,
  }
}

function detailsOf(opened: OpenedLink, now: string): LinkDetails {
  const { gate } = opened
  const { view } = gate
  const operation = objectOf(view['operation'])
  const facts = gateFacts(gate)
  const about = { ...facts, id: '', time: gate.opened_at, sent_at: now, links: { run: '' } }
  const message = noticeMessage(
    gate.status === 'open'
      ? { ...about, kind: 'svc.gate.opened' }
      : { ...about, kind: 'svc.gate.resolved', resolution: resolutionOf(gate) },
  )
  return {
    run_id: gate.run_id,
    gate_id: gate.gate_id,
    step: gate.step,
    operator: textOf(operation['operator']),
    environment: gate.environment,
    environment_class: gate.environment_class,
    risk: gate.risk,
    severity: facts.alert?.severity ?? null,
    summary: facts.summary,
    command: facts.command ?? null,
    targets: textsOf(objectOf(operation['targets'])['ids']),
    connection: facts.connection ?? null,
    models: facts.models ?? null,
    because: facts.because,
    requested_by: facts.requested_by,
    shaped_by: shapedBy(gate),
    reason: facts.reason ?? null,
    plan_hash: gate.plan_hash,
    approvals: approvalsOf(gate),
    expires_at: gate.expires_at,
    note_needed: gate.required.require_note ?? null,
    needs_confirmation: mustConfirm(opened),
    message,
  }
}

function approvalsOf(gate: OpenedLink['gate']): LinkDetails['approvals'] {
  const { required, votes, provenance } = gate
  const requesters = barredFrom(required, provenance)
  const lacks = missing(required, votes, requesters)
  return {
    ...countApprovals(required, votes, requesters),
    by: approvedBy(gate).map(visible),
    missing: lacks.approvals,
    missing_text: lacks.text,
  }
}

function shapedBy({ provenance, people }: OpenedLink['gate']): string[] {
  return contributorsOf(provenance).map((each) => {
    const name = people.find(({ id }) => id === each.id)?.name ?? each.id
    return visible(`${name} ${contributionText(each)}`)
  })
}

async function remarksOn(
  ctx: LinkContext,
  { workspace_id, gate_id }: Pick<OpenedLink['gate'], 'workspace_id' | 'gate_id'>,
): Promise<LinkRemarks> {
  const { acknowledged, comments } = toRemarks(await ctx.approvals.remarks(workspace_id, gate_id))
  const now = isoTime(ctx.clock())
  return {
    acknowledged: acknowledged.map(({ name }) => name),
    comments: comments.map(({ name, text, at }) => ({ name, text, at, at_words: formatTime(at, now) })),
  }
}

async function haltsOver(ctx: LinkContext, runId: string): Promise<string[]> {
  return (await ctx.halts.covering(runId)).map(
    (halt) => `${halt.reason} (${setterFor({ workspaces: [] }, halt).display})`,
  )
}
