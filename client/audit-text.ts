type Data = Readonly<Record<string, unknown>>

/** A record of the audit log, as the API lists it. */
interface ListedRecord {
  event: {
    action: string
    actor: { id: string; auth: string }
    run_id?: string
    subject: { type: string; id: string }
    data: Data
  }
  /** what its run is about */
  about?: string
}

/** Members of `data` that say what became of it, in this order. */
const OUTCOME = ['decision', 'status', 'outcome', 'code', 'effect', 'by', 'summary', 'reason', 'note', 'text']

const POLICIES: Readonly<Record<string, string>> = {
  allow_auto: 'the policies allow it',
  require_hitl: 'a policy requires approval',
  require_dry_run: 'a policy requires a dry run',
  deny: 'a policy denies it',
}

/** Who did it. A link can be passed on: who answers by it alone is known only by where it was sent. */
export function auditActor({ event: { actor } }: ListedRecord): string {
  return actor.auth === 'magic_link' ? `holder of the link sent to ${actor.id}` : actor.id
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

/** What it is about: its step and what its run is about; without a run, or once that is forgotten, the id. */
export function auditAbout({ event: { run_id, subject, data }, about }: ListedRecord): string {
  if (about === undefined) return subject.id
  const { step = subject.type === 'step' ? subject.id.slice(`${run_id}:`.length) : undefined } = data
  if (typeof step === 'string') return `${step} of ${about}`
  return subject.type === 'run' || subject.type === 'gate' ? about : `${subject.id} of ${about}`
}
