import type { GateCommand } from '#core/contract.ts'
import { removedEnvironment } from '#core/environment/defaults.ts'
import { DomainError, type ErrorCode } from '#core/errors.ts'
import { frozenForApproval } from '#core/freeze/active-freeze.ts'
import { commandText } from '#core/gate/attribute.ts'
import { contributionText } from '#core/gate/contribution-text.ts'
import { barredFrom, contributorsOf } from '#core/gate/contributors.ts'
import { rolesText } from '#core/gate/requirement.ts'
import { missingPart, refusal, unmetClauses, type Vote } from '#core/gate/tally.ts'
import { isTerminal } from '#core/run/status.ts'
import { isoTime } from '#core/time/time.ts'
import type { AnsweredGate } from '#store/gates/gate-decisions.ts'
import type { Decidable } from '#store/runs/run-answers.ts'
import type { DecisionContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { onRecord, type RefusalReport, recordRefusals } from '../refusals/record-refusals.ts'
import { asVote, type JudgedVoter } from './as-vote.ts'
import { askRecord } from './ask-record.ts'
import { votesOn } from './current-votes.ts'
import { type DecidedGate, decidedBefore, decisionIdFor, type GateDecision } from './gate-decision.ts'
import { whoDecides } from './who-decides.ts'

/** Answers a gate; the only way to do so. Exactly one decision wins; later ones get 409. */
export async function decideGate(ctx: DecisionContext, decision: GateDecision): Promise<DecidedGate> {
  const found = await ctx.runs.findDecidable(ctx.workspace_id, decision.run_id)
  if (found === undefined) throw new DomainError('not_found', 'there is no such run')
  const before = await decidedBefore(ctx, { run_id: found.run_id }, decision.kind)
  if (before !== undefined) return before
  const gate = await openGateOf(ctx, found)
  const answer = await commandOf(ctx, gate, decision)
  const refused = refuse(ctx, gate, decision, answer)
  if (refused !== undefined) await refuseOnRecord(ctx, gate, answer.command, refused)
  const outcome = await askRecord(ctx, gate, answer.command).catch((error: unknown) =>
    refuseLate(ctx, decision, { ...answer, error }),
  )
  const verdict = decision.kind === 'approve' || decision.kind === 'reject' ? decision.kind : null
  return { ...outcome, run_id: found.run_id, decision: verdict }
}

/** Answers a gate as a signed-in user. A link or a chat identifies its user in another way. */
export const resumeRun = defineVerb({ role: 'approver', access: 'write', scope: 'workspace' }, decideGate)

/** With the votes that count now. */
type OpenGate = Decidable & AnsweredGate & { votes: Vote[] }

async function openGateOf(ctx: DecisionContext, found: Decidable): Promise<OpenGate> {
  const { gate_id, plan_hash, required } = found
  if (found.status === 'awaiting_approval' && found.gate_status === 'open' && gate_id && plan_hash && required) {
    const gate = { ...found, gate_id, plan_hash, required }
    return { ...gate, votes: await votesOn(ctx, ctx.workspace_id, gate) }
  }
  const resolved = found.gate_id !== null && found.gate_status !== 'open'
  throw new DomainError(
    resolved && !isTerminal(found.status) ? 'gate_resolved' : 'run_not_awaiting',
    `the run is ${found.status}`,
    {
      run_id: found.run_id,
      run_status: found.status,
      ...(found.gate_id === null ? {} : { gate_id: found.gate_id, gate_status: found.gate_status }),
    },
  )
}

/** Builds the signed command of a decision for the user it counts for; the signature distinguishes it from one made without the API. */
async function commandOf(
  ctx: DecisionContext,
  gate: OpenGate,
  decision: GateDecision,
): Promise<{ command: GateCommand; judged: JudgedVoter }> {
  const base = {
    gate_id: gate.gate_id,
    decision_id: decisionIdFor(ctx),
    kind: decision.kind,
    plan_hash: gate.plan_hash,
    at: isoTime(ctx.clock()),
    ...(decision.note !== undefined && { note: decision.note }),
  }
  const voter = await whoDecides(ctx, decision.approver, {
    votes: decision.kind === 'approve' || decision.kind === 'reject',
  }).catch(async (error: unknown) => {
    if (!(error instanceof DomainError) || error.code !== 'approver_not_allowed') throw error
    const { id: by, display, type, roles } = ctx.actor
    const attempt = { ...base, by, display, type, roles, channel: ctx.channel, asserted: ctx.actor.auth === 'none' }
    return await refuseOnRecord(ctx, gate, attempt, { code: error.code, why: error.message })
  })
  const judged = asVote(gate, voter)
  const command: GateCommand = { ...base, ...judged.voter }
  const signature = ctx.sign?.(commandText(gate.run_id, command))
  return { command: { ...command, ...(signature !== undefined && { signature }) }, judged }
}

/** Another answer was recorded while this one was on its way: the refusal reads as if that had been there before. */
async function refuseLate(
  ctx: DecisionContext,
  decision: GateDecision,
  { command, judged, error }: { command: GateCommand; judged: JudgedVoter; error: unknown },
): Promise<never> {
  const found =
    error instanceof DomainError && error.code === 'conflict'
      ? await ctx.runs.findDecidable(ctx.workspace_id, decision.run_id)
      : undefined
  if (found === undefined) throw error
  const gate = await openGateOf(ctx, found)
  const refused = refuse(ctx, gate, decision, { command, judged })
  if (refused !== undefined) await refuseOnRecord(ctx, gate, command, refused)
  throw error
}

interface Refused {
  code: ErrorCode
  why: string
  details?: { freeze: string; until: string } | { required_roles: string[][] }
}

const REFUSED = {
  gate_resolved: 'another gate of this run is open now',
  plan_changed: 'the plan has changed since it was shown',
  approver_not_allowed: 'this gate needs an approver who says who they are',
  self_approval: 'the requester of the run may not approve it',
  conflict: 'this approver has answered already',
  note_required: 'this decision needs a note',
  plan_hash_required: 'this decision must name the plan_hash that it is about',
} satisfies Partial<Record<ErrorCode, string>>

/** Every check there is on an answer to a gate, from any channel. */
function refuse(
  ctx: DecisionContext,
  gate: OpenGate,
  decision: GateDecision,
  { command, judged }: { command: GateCommand; judged: JudgedVoter },
): Refused | undefined {
  const code = refusedCode(gate, decision, { command, judged })
  if (code === 'conflict') return { code, why: whyAnswered(gate, command) }
  if (code === 'self_approval') return { code, why: whyOwn(gate, command) }
  if (code === 'approver_not_allowed' && command.by !== '') return roleMissing(gate, command)
  if (code !== undefined) return { code, why: REFUSED[code] }
  if (command.kind === 'approve' && judged.enabled !== undefined) {
    return { code: 'approver_not_allowed', why: whyEnabled(judged.enabled, command) }
  }
  if (command.kind !== 'approve') return undefined
  const environment = ctx.environments.get(gate.environment) ?? removedEnvironment(gate.environment)
  const freeze = frozenForApproval(environment, ctx.clock(), gate.action_type ?? undefined)
  if (freeze === undefined) return undefined
  const { name, until } = freeze
  return {
    code: 'frozen',
    why: `${environment.name} is frozen (${name}) until ${until}`,
    details: { freeze: name, until },
  }
}

/** Returns the roles that would have sufficed, among those still missing. */
function roleMissing({ required, votes, provenance }: OpenGate, { roles }: GateCommand): Refused {
  const unmet = unmetClauses(required, votes, barredFrom(required, provenance))
  const required_roles = unmet.length > 0 ? unmet : required.approval_roles
  const held = roles.length === 0 ? 'no role' : roles.join(', ')
  const why = `this gate needs a user with the role ${rolesText(required_roles)}; the approver has ${held}`
  return { code: 'approver_not_allowed', why, details: { required_roles } }
}

function refusedCode(
  gate: OpenGate,
  decision: GateDecision,
  { command, judged }: { command: GateCommand; judged: JudgedVoter },
): keyof typeof REFUSED | undefined {
  const { required } = gate
  if (decision.gate_id !== undefined && decision.gate_id !== gate.gate_id) return 'gate_resolved'
  if (decision.plan_hash !== undefined && decision.plan_hash !== gate.plan_hash) return 'plan_changed'
  if (command.kind !== 'approve' && command.kind !== 'reject') return undefined
  const { kind, note } = command
  const { plan_hash } = decision
  const missing = missingPart(required, {
    kind,
    ...(note !== undefined && { note }),
    ...(plan_hash !== undefined && { plan_hash }),
  })
  if (missing !== undefined) return missing
  const requesters = barredFrom(required, gate.provenance)
  return refusal(required, gate.votes, { ...judged.vote, decision: kind }, requesters)
}

/** Returns why this person has answered before. */
function whyAnswered({ votes }: OpenGate, { by, via }: GateCommand): string {
  const earlier = votes.find((vote) => vote.by === by)
  if (earlier === undefined)
    return via === undefined
      ? 'a service account of yours has answered here in the name of another user: you and your accounts have one vote together'
      : 'the person behind this service account has answered here already: they and their accounts have one vote together'
  if (via !== undefined)
    return 'this approver has answered already: a person and the accounts that answer for them have one vote together'
  if (earlier.via === undefined) return REFUSED.conflict
  return `the service account ${earlier.via} has answered in your name already; to answer yourself, take its name back first, on the page "You" of the console or with svc answering-accounts remove ${earlier.via}`
}

/** Returns how the voter, or their account, shaped the run. */
function whyOwn({ provenance, required }: OpenGate, { by, via, behind = [] }: GateCommand): string {
  const of = (ids: readonly string[]) => contributorsOf(provenance).filter(({ id }) => ids.includes(id))
  const listed = (ids: readonly string[]) => [...new Set(of(ids).map(contributionText))].slice(0, 3).join(', and ')
  const own = required.prevent_self ? listed([by]) : ''
  if (via === undefined || own !== '')
    return via === undefined
      ? `you shaped this run, so your approval does not count: you ${own || 'asked for it'}`
      : `the approver shaped this run, so an approval in their name does not count: they ${own}`
  const account = listed([via, ...behind])
  return `a service account never answers a gate of a run that it or the people behind it shaped: they ${account || 'asked for it'}`
}

const ENABLED = { invited: 'invited', password: 'set the password of', rights: 'changed the rights of' } as const

function whyEnabled({ id, what }: NonNullable<JudgedVoter['enabled']>, { by, via }: GateCommand): string {
  const whom = id === via ? 'the service account that answers' : via === undefined && id === by ? 'you' : 'the approver'
  const done =
    whom === 'you' && what !== 'invited'
      ? ENABLED[what].replace(/ of$/, '').replace('the ', 'your ')
      : `${ENABLED[what]} ${whom}`
  return `a contributor of this run has ${done} since it was requested, so this approval does not count here; let another approver decide`
}

/** A refused attempt is part of the record too. */
async function refuseOnRecord(
  ctx: DecisionContext,
  gate: OpenGate,
  command: GateCommand,
  { code, why, details }: Refused,
): Promise<never> {
  const { kind: decision, via } = command
  const draft: RefusalReport['draft'] = {
    category: 'approval',
    action: 'gate.refused',
    workspace_id: ctx.workspace_id,
    actor: { type: command.type, id: command.by, auth: ctx.actor.auth },
    channel: ctx.channel,
    run_id: gate.run_id,
    subject: { type: 'gate', id: gate.gate_id },
    data: { decision, code, plan_hash: gate.plan_hash, ...(via !== undefined && { via }) },
  }
  await recordRefusals(ctx, [{ kind: code, apart: [decision, via], draft }])
  const about = { run_id: gate.run_id, gate_id: gate.gate_id, plan_hash: gate.plan_hash }
  throw onRecord(new DomainError(code, why, { ...about, ...details }))
}
