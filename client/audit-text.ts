import { AUDIT_ACTIONS, GATE_ANSWERS } from './audit-actions.ts'
import { answeredBy, linkHolder } from './gate-text.ts'

type Data = Readonly<Record<string, unknown>>

/** A record of the audit log, as the API lists it. */
interface ListedRecord {
  event: {
    action: string
    workspace_id: string
    actor: { type: string; id: string; auth: string }
    run_id?: string
    subject: { type: string; id: string }
    data: Data
  }
  /** what its run is about */
  about?: string
}

/** Members of `data` that say what became of it, in this order. */
const OUTCOME = [
  'decision',
  'status',
  'outcome',
  'code',
  'effect',
  'by',
  'summary',
  'reason',
  'note',
  'text',
  'why',
  'detail',
]

const POLICIES: Readonly<Record<string, string>> = {
  allow_auto: 'the policies allow it',
  require_hitl: 'a policy requires approval',
  require_dry_run: 'a policy requires a dry run',
  deny: 'a policy denies it',
}

/** Actors that are no person and have no name elsewhere. */
const ACTORS: Readonly<Record<string, string>> = { svc: 'the service', temporal: 'somebody through the engine' }

/** Members of `data` that name the subject better than its id, in this order. */
const SUBJECT_NAMES = ['name', 'prefix', 'model', 'route']

/** What happened. */
export function auditAction({ event: { action, data } }: ListedRecord): string {
  const answer = action === 'gate.decided' ? GATE_ANSWERS[String(data['decision'])] : undefined
  return answer ?? AUDIT_ACTIONS[action] ?? action
}

/** Who did it. A link can be passed on: who answers by it alone is known only by where it was sent. */
export function auditActor({ event: { actor } }: ListedRecord): string {
  if (actor.type === 'system') return ACTORS[actor.id] ?? actor.id
  return actor.auth === 'magic_link' ? linkHolder(actor.id) : answeredBy({ by: actor.id })
}

/** What became of it, in words. */
export function auditOutcome({ event: { action, data } }: ListedRecord): string {
  if (action === 'policy.decided') return policyText(data)
  return OUTCOME.map((key) => data[key])
    .filter((value) => typeof value === 'string' && value !== '')
    .join(': ')
}

/** `effect` is what the policies ask for alone: an operator, a profile, a pack or a freeze can require approval as well. */
function policyText({ effect, gate, because, approved_by }: Data): string {
  const policies = POLICIES[String(effect)] ?? String(effect)
  if (gate !== true) return effect === 'allow_auto' ? `${policies}; no approval is required` : policies
  const reasons = Array.isArray(because) ? because.join('; ') : ''
  const given = typeof approved_by === 'string' ? `; approved in ${approved_by}` : ''
  return `${policies}; approval is required: ${reasons}${given}`
}

/** What it is about: its step and what its run is about; without a run, or once that is forgotten, its name, else the id. */
export function auditAbout({ event, about }: ListedRecord): string {
  const { run_id, subject, data } = event
  if (about === undefined) return subjectText(event)
  const { step = subject.type === 'step' ? subject.id.slice(`${run_id}:`.length) : undefined } = data
  if (typeof step === 'string') return `${step} of ${about}`
  return subject.type === 'run' || subject.type === 'gate' ? about : `${subject.id} of ${about}`
}

function subjectText({ workspace_id, subject: { type, id }, data }: ListedRecord['event']): string {
  const { scope } = data
  if (type === 'halt' && isData(scope)) return haltText(scope)
  if (type === 'operation') return id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const name = SUBJECT_NAMES.map((key) => data[key]).find((value) => typeof value === 'string' && value !== '')
  if (type !== 'run' && type !== 'gate' && typeof name === 'string') return name
  return type === 'workspace' && id === workspace_id ? 'this workspace' : id
}

/** A halt is in the log of the workspace that it names. */
function haltText({ workspace, template, environment, requester }: Data): string {
  const named = [
    template && `template ${template}`,
    environment && `environment ${environment}`,
    requester && `runs of ${requester}`,
  ].filter(Boolean)
  return `${named.join(', ') || 'everything'} in ${workspace === undefined ? 'every workspace' : 'this workspace'}`
}

const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null
