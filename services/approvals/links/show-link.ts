import type { Actor } from '#core/actor.ts'
import type { Json, JsonObject } from '#core/json.ts'
import { viewedConnection } from '#core/run/connection-text.ts'
import { mayEnter } from '../../auth/may.ts'
import { demandsLogin, type LinkContext, type LinkState, linkState, type OpenedLink } from './link-context.ts'

/** Exactly what is to be decided. */
export interface LinkDetails {
  run_id: string
  gate_id: string
  step: string
  operator: string
  environment: string
  risk: string
  summary: string
  command: string | null
  targets: string[]
  /** where its connection leads and as whom */
  connection: string | null
  because: string[]
  requested_by: string | null
  reason: string | null
  plan_hash: string
  expires_at: string
  /** which decisions need a note */
  note_needed: 'reject' | 'always' | null
}

/** What somebody who follows a magic link gets to see. */
export interface LinkView {
  state: LinkState
  workspace: string
  template: string
  /** the gate's rule asks who decides: the link alone does not do */
  login_required: boolean
  /** absent for whoever must sign in and has not */
  details?: LinkDetails
  /** why what is approved will wait; absent for whoever must sign in and has not */
  halts?: string[]
  decided?: { status: string; by: string | null; at: string }
  /** goes back with the decision */
  nonce: string
}

/** Shows what a link leads to. Looking at it decides nothing and uses nothing up, however often it happens. */
export async function showLink(
  ctx: LinkContext,
  opened: OpenedLink,
  viewer: { actor: Actor | undefined; nonce: string },
): Promise<LinkView> {
  await ctx.links.countView(opened.link.jti)
  const { gate } = opened
  const login_required = demandsLogin(gate, ctx.open)
  const knows = viewer.actor !== undefined && mayEnter(viewer.actor, gate.workspace_id)
  const isShown = !login_required || knows
  return {
    state: linkState(opened),
    workspace: gate.workspace_name,
    template: `${gate.pack}/${gate.template}`,
    login_required,
    ...(isShown ? { details: detailsOf(opened), halts: await haltsOver(ctx, gate.run_id) } : {}),
    ...(gate.resolved_at === null
      ? {}
      : {
          decided: {
            status: gate.status,
            by: isShown ? textOf(gate.resolution?.['by']) : null,
            at: gate.resolved_at,
          },
        }),
    nonce: viewer.nonce,
  }
}

function detailsOf({ gate }: OpenedLink): LinkDetails {
  const { view } = gate
  const operation = objectOf(view['operation'])
  const plan = objectOf(view['plan'])
  return {
    run_id: gate.run_id,
    gate_id: gate.gate_id,
    step: gate.step,
    operator: textOf(operation['operator']) ?? '',
    environment: gate.environment,
    risk: gate.risk,
    summary: textOf(plan['summary']) ?? '',
    command: textOf(plan['command']),
    targets: textsOf(objectOf(operation['targets'])['ids']),
    connection: viewedConnection(view),
    because: textsOf(view['because']),
    requested_by: textOf(view['requested_by']),
    reason: textOf(view['reason']),
    plan_hash: gate.plan_hash,
    expires_at: gate.expires_at,
    note_needed: gate.required.require_note ?? null,
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

async function haltsOver(ctx: LinkContext, runId: string): Promise<string[]> {
  return (await ctx.halts.over(runId)).map(({ reason, by }) => `${reason} (${by.display})`)
}
