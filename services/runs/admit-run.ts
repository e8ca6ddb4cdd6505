import { runCapUsd } from '#core/budget/run-cap.ts'
import { canonicalText } from '#core/canonical-text.ts'
import { DomainError } from '#core/errors.ts'
import { askedBy } from '#core/gate/requester.ts'
import type { JsonObject } from '#core/json.ts'
import { microFromUsd, usdText } from '#core/money.ts'
import { staysNear } from '#core/plan/stays-near.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import { laneOf } from '#core/run/lane.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { isoTime } from '#core/time.ts'
import type { Admitted, Throttled } from '#store/run-answers.ts'
import type { StartLimits } from '#store/run-drafts.ts'
import type { Later, StartContext } from '../context.ts'
import { admitDrafts, type DraftWithPlan as Draft } from './admit-drafts.ts'
import { attachRefused } from './attach-refused.ts'
import { choosePlace } from './choose-place.ts'
import { type Refused, refuseDenied } from './refuse-denied.ts'
import { refuseFrozen } from './refuse-frozen.ts'
import { refuseHalted } from './refuse-halted.ts'
import { sealInputs } from './seal-inputs.ts'

/** One wish to start a run, whatever it came from. */
export interface Admission {
  pack: string
  template: string
  inputs: JsonObject
  environment?: string
  profile?: string
  config_preset?: string
  sandbox?: boolean
  dry_run?: boolean
  /** all that a caller may ask for: the lane follows from where the wish comes from */
  lane?: 'background'
  /** the caller stays on the line for the result */
  wait?: boolean
  reason?: string
  labels?: JsonObject
  trigger: JsonObject & { type: string }
  /** the person at the beginning of the chain, where the caller is only its last link (a schedule, an ask action) */
  human_root?: { user_id?: string; via: string[] }
  /** of a run that must not start twice, whoever repeats the admission; without one it is fresh */
  run_id?: string
  fingerprint?: string
  alerts?: { delivery_id: string; member: string }[]
  /** how often its fingerprint may start a run */
  limits?: StartLimits
  /** when given, the run starts only if the template is the one that was shown */
  template_digest?: string
}

export type AdmissionOutcome = { kind: 'admitted'; admitted: Admitted } | { kind: 'refused'; error: DomainError }

/** The one way a run starts. Refused admissions throw (`rate_limited` by their limits); a duplicate of an active fingerprint folds onto its run. */
export async function admitRun(ctx: StartContext, admission: Admission): Promise<Admitted> {
  const before = admission.run_id && (await ctx.runs.findDecidable(ctx.workspace_id, admission.run_id))
  if (before) return { run_id: before.run_id, started: true, status: before.status, attached_count: 0 }
  const [outcome] = await admitRuns(ctx, [admission])
  if (outcome === undefined) throw new DomainError('internal', 'the admission had no outcome')
  if (outcome.kind === 'refused') throw outcome.error
  return outcome.admitted
}

/**
 * Admits many at once, in one transaction; the outcomes stand in the order of the admissions. What a policy, a freeze or a halt
 * refuses still attaches to the active run of its fingerprint. `later` tells the engine of the runs, by and by where many start at once.
 */
export async function admitRuns(
  ctx: StartContext,
  admissions: Admission[],
  later: Later = ctx.later,
): Promise<AdmissionOutcome[]> {
  const drafted = await Promise.all(admissions.map((admission) => draftOrRefuse(ctx, admission)))
  const attached = await attachRefused(
    ctx,
    drafted.map((each, index) => ({ refused: isRefused(each) ? each : undefined, admission: admissions[index] })),
  )
  const drafts = drafted.filter((each): each is Draft => !isRefused(each)).sort(byFingerprint)
  const admitted = await admitDrafts(ctx, drafts)
  const byDraft = new Map(drafts.map((draft, index) => [draft, admitted[index]]))
  startAll(ctx, drafts, admitted, later)
  const outcomes = drafted.map((each, index): AdmissionOutcome => {
    const answer = isRefused(each) ? (attached[index] ?? each) : byDraft.get(each)
    return outcomeOf(ctx, answer)
  })
  outcomes.forEach((outcome, index) => {
    ctx.onAdmission?.(nameOf(outcome), admissions[index]?.trigger.type ?? 'unknown')
  })
  return outcomes
}

function nameOf(outcome: AdmissionOutcome): string {
  if (outcome.kind === 'refused') return outcome.error.code
  return outcome.admitted.started ? 'started' : 'attached'
}

function outcomeOf(ctx: StartContext, result: Admitted | Throttled | Refused | undefined): AdmissionOutcome {
  if (result === undefined) return { kind: 'refused', error: new DomainError('internal', 'the run was not admitted') }
  if (isRefused(result)) return { kind: 'refused', error: result.error }
  if (!('throttled_until' in result)) return { kind: 'admitted', admitted: result }
  const until = result.throttled_until
  const retry_after_s = Math.max(1, Math.ceil((Date.parse(until) - ctx.clock()) / 1_000))
  const message = `the limits of its rule allow the next run at ${until}`
  return { kind: 'refused', error: new DomainError('rate_limited', message, { retry_after_s, until }) }
}

function isRefused(each: Draft | Admitted | Throttled | Refused): each is Refused {
  return 'error' in each
}

/** The engine is told after the commit; whatever is lost on the way is started by the sweep over the outbox. */
function startAll(
  ctx: StartContext,
  drafts: Draft[],
  admitted: (Admitted | Throttled | Refused | undefined)[],
  later: Later,
): void {
  drafts.forEach((draft, index) => {
    const result = admitted[index]
    if (result === undefined || 'throttled_until' in result || isRefused(result)) return
    ctx.ring(result.run_id)
    if (!result.started) return
    const { id: run_id, workspace_id, lane, plan, pack } = draft
    const near = !draft.dry_run && staysNear(plan.steps)
    const start = { run_id, workspace_id, lane, title: plan.title, template: `${pack}/${draft.template}`, near }
    later(() => ctx.engine.start(start), run_id)
  })
}

async function draftOrRefuse(ctx: StartContext, admission: Admission): Promise<Draft | Refused> {
  try {
    return await draftRun(ctx, admission)
  } catch (error) {
    if (error instanceof DomainError) return { error }
    throw error
  }
}

async function draftRun(ctx: StartContext, admission: Admission): Promise<Draft | Refused> {
  const template = ctx.packs.findTemplate(admission.pack, admission.template)
  if (template === undefined)
    throw new DomainError('not_found', `there is no template ${admission.pack}/${admission.template}`)
  const { plan } = template
  if (admission.template_digest !== undefined && admission.template_digest !== plan.digest) {
    throw new DomainError('plan_changed', 'the template has changed since it was shown', {
      template_digest: plan.digest,
    })
  }
  const checked = validateInputs(template.inputs_schema, admission.inputs)
  if (!checked.valid) {
    const errors = checked.errors.map((each) => ({
      ...each,
      pointer: `/inputs${each.pointer}`,
      loc: ['inputs', ...each.loc],
    }))
    throw new DomainError('validation_failed', 'the inputs do not fit the template', { errors })
  }
  const { environment, profile } = choosePlace(ctx, admission)
  const asked_by: JsonObject = {
    actor: { type: ctx.actor.type, id: ctx.actor.id, display: ctx.actor.display },
    human_root: admission.human_root ?? humanRoot(ctx),
  }
  const refused = (await refuseDenied(ctx, template, environment)) ?? refuseFrozen(ctx, plan, environment)
  if (refused !== undefined)
    return (await refuseHalted(ctx, { ...plan, environment: environment.name, provenance: asked_by })) ?? refused
  const id = admission.run_id ?? ctx.ids.next('run')
  const received_at = isoTime(ctx.clock())
  const snapshot = await ctx.policies.effective(ctx.workspace_id, environment).then(
    (set) => set.snapshot_hash,
    () => 'unavailable',
  )
  const provenance: JsonObject = {
    trigger: { ...triggerOf(ctx, admission), received_at },
    ...asked_by,
    pack: { name: plan.pack, version: plan.pack_version, digest: plan.pack_digest, signature: 'unsigned' },
    policy_snapshot_hash: snapshot,
    profile_snapshot_hash: `sha256:${ctx.sha256(canonicalText({ ...profile }))}`,
    engine: { workflow_id: id },
  }
  const { inputs, inputs_hash, sealed, secrets } = await sealInputs(ctx, id, template.inputs_schema, checked.normalized)
  const redactor = createRedactor(secrets)
  const cap_micro_usd = microFromUsd(runCapUsd(environment, profile))
  return {
    id,
    workspace_id: ctx.workspace_id,
    pack: plan.pack,
    template: plan.template,
    template_version: plan.pack_version,
    template_digest: plan.digest,
    plan_digest: plan.digest,
    plan,
    lane: laneFor(ctx, admission),
    environment: environment.name,
    environment_class: environment.class,
    profile: profile.name,
    config_preset: admission.config_preset ?? null,
    sandbox: admission.sandbox ?? false,
    dry_run: admission.dry_run ?? false,
    risk: plan.risk,
    action_types: plan.action_types,
    capabilities: plan.capabilities,
    inputs,
    inputs_hash,
    ...(sealed === undefined ? {} : { sealed }),
    reason: admission.reason === undefined ? null : redactor.text(admission.reason),
    labels: redactor.data(admission.labels ?? {}),
    provenance,
    fingerprint: admission.fingerprint ?? null,
    alerts: admission.alerts ?? [],
    ...(isLimited(admission.limits) && { limits: admission.limits }),
    cap_micro_usd,
    actor: { type: ctx.actor.type, id: ctx.actor.id, display: ctx.actor.display },
    audit: {
      id: ctx.ids.next('audit'),
      ts: received_at,
      category: 'trigger',
      action: 'run.admitted',
      workspace_id: ctx.workspace_id,
      actor: { type: ctx.actor.type, id: ctx.actor.id, auth: ctx.actor.auth },
      channel: ctx.channel,
      run_id: id,
      subject: { type: 'run', id },
      data: {
        trigger: triggerOf(ctx, admission),
        template: `${plan.pack}/${plan.template}`,
        plan_digest: plan.digest,
        inputs_hash,
        environment: environment.name,
        profile: profile.name,
        dry_run: admission.dry_run ?? false,
        cap_usd: usdText(cap_micro_usd),
        ...askedBy(provenance),
      },
    },
  }
}

/** A replay says so, and which delivery it was of. */
function triggerOf({ replay_of }: StartContext, { trigger }: Admission): Admission['trigger'] {
  return replay_of === undefined ? trigger : { ...trigger, type: 'replay', delivery_id: replay_of }
}

/** Only people sit at a console, whatever a program says of itself. */
function laneFor(ctx: StartContext, admission: Admission): Draft['lane'] {
  const { actor, channel } = ctx
  const { wait, lane } = admission
  return laneOf({
    source: triggerOf(ctx, admission).type,
    wait,
    asked: lane,
    channel: actor.type === 'user' ? channel : undefined,
  })
}

function isLimited(limits: StartLimits | undefined): limits is StartLimits {
  return limits?.max_runs !== undefined || limits?.cooldown !== undefined
}

/** Who a run goes back to: a person, also behind a service account. */
function humanRoot({ actor, channel }: StartContext): { user_id?: string; via: string[] } {
  const user_id = actor.type === 'user' ? actor.id : actor.human_root
  const via = actor.type === 'user' ? [channel] : [actor.id, channel]
  return { ...(user_id === undefined ? {} : { user_id }), via }
}

/** Two batches never lock the same rows in opposite order. */
function byFingerprint(a: Draft, b: Draft): number {
  const left = a.fingerprint ?? a.id
  const right = b.fingerprint ?? b.id
  return left < right ? -1 : left > right ? 1 : 0
}
