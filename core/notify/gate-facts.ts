import { barredFrom } from '../gate/contributors.ts'
import { missing } from '../gate/requirement.ts'
import { countApprovals, countedVotes, unmetClauses, type Vote } from '../gate/tally.ts'
import type { Required } from '../gate/types.ts'
import { type Json, type JsonObject, objectOf, textOf, textOrNull, textsOf } from '../json/json.ts'
import { viewedModels } from '../run/model-text.ts'
import { retryText } from '../run/repeat.ts'
import { viewedConnection } from '../run/shown-data.ts'
import { heldRoles, isRoleName, ROLE_RANKS } from '../user/schema.ts'
import { alertFacts } from './alert-facts.ts'
import type { GateNotice, NoticeAsk, NoticeResolution, RunOnRecord } from './types.ts'

export interface GateOnRecord extends RunOnRecord {
  gate_id: string
  step: string
  plan_hash: string
  required: Required
  /** the view that was written when the gate opened */
  view: JsonObject
  expires_at: string
  votes: Vote[]
  /** the action type of the step */
  action_type: string | null
  /** active people of the workspace who could be asked */
  people: Person[]
}

interface Person {
  id: string
  name: string
  roles: string[]
  approval_roles: string[]
}

/** Facts about a gate for messages and the approval page. */
export type GateFacts = Omit<
  GateNotice,
  'id' | 'kind' | 'time' | 'sent_at' | 'resolution' | 'ended' | 'code' | 'links' | 'ask'
> & { ask: NoticeAsk }

/** Builds the facts of a gate from its record: requester and possible voters by name, and the findings. */
export function gateFacts(gate: GateOnRecord): GateFacts {
  const { view } = gate
  const plan = objectOf(view['plan'])
  const connection = viewedConnection(view)
  const models = viewedModels(view)
  const action = formatAction(gate.action_type)
  const reason = textOrNull(view['reason'])
  const retry = retryText(gate.provenance)
  return {
    workspace_id: gate.workspace_id,
    run_id: gate.run_id,
    gate_id: gate.gate_id,
    step: gate.step,
    template: `${gate.pack}/${gate.template}`,
    title: gate.title,
    environment: gate.environment,
    environment_class: gate.environment_class,
    risk: gate.risk,
    ...(gate.alert === null ? {} : { alert: alertFacts(gate.alert) }),
    ...(action !== undefined && { action }),
    summary: textOf(plan['summary']),
    plan_hash: gate.plan_hash,
    ...(connection === null ? {} : { connection }),
    ...(models === null ? {} : { models }),
    ...(typeof plan['command'] === 'string' ? { command: plan['command'] } : {}),
    because: textsOf(view['because']),
    requested_by: requesterName(gate.provenance, gate.people),
    ...(reason === null ? {} : { reason }),
    ...(retry === undefined ? {} : { retry }),
    ask: askOf(gate),
    evidence: evidenceOf(gate),
    ...(gate.dry_run ? { dry_run: true } : {}),
    expires_at: gate.expires_at,
  }
}

interface ResolvedGate extends Pick<GateOnRecord, 'people' | 'required' | 'votes' | 'provenance'> {
  status: string
  resolution: { by?: Json; note?: Json } | null
  resolved_at: string | null
}

/** Returns how a gate ended, with names: an approval has the names of all its voters. */
export function resolutionOf(gate: ResolvedGate): NoticeResolution {
  const { status, resolution, resolved_at, people } = gate
  const last = textOrNull(resolution?.by)
  const counted = status === 'approved' ? countedOf(gate) : []
  const names = counted.length > 0 ? votersOf(counted, people) : last === null ? [] : [nameIn(people, last)]
  return {
    status,
    by: names.length === 0 ? null : formatList(names),
    at: resolved_at,
    note: textOrNull(resolution?.note),
  }
}

/** Returns the names of those whose approvals count so far. */
export function approvedBy(gate: Pick<GateOnRecord, 'people' | 'required' | 'votes' | 'provenance'>): string[] {
  return votersOf(
    countedOf(gate).filter(({ decision }) => decision === 'approve'),
    gate.people,
  )
}

function countedOf({ required, votes, provenance }: Pick<GateOnRecord, 'required' | 'votes' | 'provenance'>): Vote[] {
  return countedVotes(required, votes, barredFrom(required, provenance))
}

/** A person in whose name an account answered is listed here. */
function votersOf(votes: readonly Vote[], people: readonly Person[]): string[] {
  return votes.map(
    ({ by, via }) => `${nameIn(people, by)}${via === undefined ? '' : ` (through the account ${nameIn(people, via)})`}`,
  )
}

function nameIn(people: readonly Person[], id: string): string {
  return people.find((person) => person.id === id)?.name ?? id
}

/** `service.restart` → `restart`, `db.create_index` → `create index`. */
export function formatAction(action_type: string | null): string | undefined {
  const word = action_type?.split('.').at(-1)?.replaceAll('_', ' ').trim()
  return word === undefined || word === '' ? undefined : word
}

/** Returns the requester's name, with the person behind it where that is another one. */
export function requesterName(
  provenance: Readonly<Record<string, unknown>>,
  people: readonly { id: string; name: string }[] = [],
): string | null {
  const actor = objectOf(provenance['actor'])
  const root = textOrNull(objectOf(provenance['human_root'])['user_id'])
  const nameOf = (id: string | null) => people.find((person) => person.id === id)?.name
  const asker = nameOf(textOrNull(actor['id'])) ?? textOrNull(actor['display']) ?? textOrNull(actor['id'])
  const person = root === null || root === actor['id'] ? undefined : (nameOf(root) ?? root)
  return asker === null ? (person ?? null) : `${asker}${person === undefined ? '' : ` for ${person}`}`
}

function askOf({ required, votes, people, provenance }: GateOnRecord): NoticeAsk {
  const requesters = barredFrom(required, provenance)
  const unmet = unmetClauses(required, votes, requesters)
  const lacks = missing(required, votes, requesters)
  const deciders = people.filter(
    ({ id, roles }) =>
      roles.some(mayApprove) && !roles.includes('service') && !(required.prevent_self && requesters.includes(id)),
  )
  return {
    ...countApprovals(required, votes, requesters),
    clauses: required.approval_roles.map((any_of) => ({
      any_of,
      people: deciders
        .filter((person) => heldRoles(person).some((role) => any_of.includes(role)))
        .map(({ name }) => name),
      met: !unmet.includes(any_of),
    })),
    people: deciders.map(({ name }) => name),
    prevent_self: required.prevent_self,
    missing: votes.length === 0 || lacks.approvals === 0 ? null : lacks.text,
  }
}

/** `ann, bob and carol` */
function formatList(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

function mayApprove(role: string): boolean {
  return isRoleName(role) && role !== 'service' && ROLE_RANKS[role] >= ROLE_RANKS.approver
}

/** Returns the findings of earlier steps, as the gate showed them. */
function evidenceOf({ view }: GateOnRecord): { title: string; excerpt: string }[] {
  const shown = Array.isArray(view['evidence']) ? view['evidence'].map(objectOf) : []
  return shown.flatMap(({ title, excerpt }) =>
    typeof excerpt === 'string' && excerpt !== '' ? [{ title: textOf(title), excerpt }] : [],
  )
}
