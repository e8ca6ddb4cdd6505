import { runCapUsd } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { type Contributor, contributors, contributorsAsJson } from '#core/gate/contributors.ts'
import { askedBy, requestersAndCancellers } from '#core/gate/requester.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import { capFromUsd, usdText } from '#core/money.ts'
import { requireApproval } from '#core/plan/estimate-plan.ts'
import { planRisk } from '#core/policy/plan-subjects.ts'
import { laneOf } from '#core/run/lane.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { isoTime } from '#core/time/time.ts'
import type { RunDraft, StartLimits } from '#store/runs/run-drafts.ts'
import { marked } from '../audit/read-audit.ts'
import { humanRoot, type StartContext } from '../context.ts'
import { findTemplate } from '../packs/contracts.ts'
import type { Admission } from './admission.ts'
import { chooseEnvironment } from './choose-environment.ts'
import { type ConfiguredInputs, configureInputs, mustFit } from './configure-inputs.ts'
import { type Refused, refuseChanged, refuseDenied, refuseFrozen, refuseHalted } from './refuse-start.ts'
import { placeInPipeline, startAudit } from './run-record.ts'
import { sealInputs } from './seal-inputs.ts'

/** Channels where a user may have loaded an input preset. */
const BY_HAND = ['manual', 'direct', 'ask']

/** Prepares a run before anything is written; or returns why there is none. */
export async function draftRun(ctx: StartContext, admission: Admission): Promise<RunDraft | Refused> {
  const template = findTemplate(ctx, admission.pack, admission.template)
  const { digest: template_digest } = template.plan
  if (admission.template_digest !== undefined && admission.template_digest !== template_digest)
    throw new DomainError('plan_changed', 'the template has changed since it was shown', { template_digest })
  const plan = admission.gate === 'approval' ? requireApproval(template.plan, ctx.sha256) : template.plan
  const by_hand = BY_HAND.includes(admission.trigger.type)
  const { inputs: as_recorded, repeat } = admission
  const configured: ConfiguredInputs = repeat
    ? { inputs: as_recorded, provenance: { ...repeat }, authors: [] }
    : await configureInputs(ctx, { ...admission, by_hand })
  const normalized = mustFit(template.inputs_schema, configured.inputs)
  const place = chooseEnvironment(ctx, admission)
  const { environment, profile } = place
  await refuseChanged(ctx, admission, { template, inputs: normalized, configured, place })
  const asked_by: JsonObject = {
    actor: { type: ctx.actor.type, id: ctx.actor.id, display: ctx.actor.display },
    human_root: admission.human_root ?? humanRoot(ctx),
  }
  const refused =
    (await refuseDenied(ctx, template, environment)) ??
    refuseFrozen(ctx, plan, environment, placeInPipeline({ ...pipelineOf(admission), trigger: admission.trigger }))
  if (refused !== undefined) {
    const subject = { ...plan, environment: environment.name, provenance: { ...asked_by, ...pipelineOf(admission) } }
    return refuseHalted(ctx, subject, await ctx.halts.inForce()) ?? refused
  }
  const id = admission.run_id ?? ctx.ids.next('run')
  const received_at = isoTime(ctx.clock())
  const snapshot = await ctx.policies.effective(ctx.workspace_id, environment).then(
    (set) => set.snapshot_hash,
    () => 'unavailable',
  )
  const provenance: JsonObject = {
    trigger: { ...triggerOf(ctx, admission), received_at },
    ...asked_by,
    ...pipelineOf(admission),
    ...(admission.ask !== undefined && { ask: { ...admission.ask } }),
    pack: { name: plan.pack, version: plan.pack_version, digest: plan.pack_digest, signature: 'unsigned' },
    policy_snapshot_hash: snapshot,
    profile_snapshot_hash: `sha256:${ctx.sha256(canonicalText({ ...profile }))}`,
    ...configured.provenance,
    contributors: contributorsAsJson(await contributorsOfStart(ctx, admission, asked_by, configured.authors)),
    engine: { workflow_id: id },
  }
  const { inputs, inputs_hash, sealed, secrets } = await sealInputs(ctx, id, template.inputs_schema, normalized)
  const redactor = createRedactor(secrets)
  const cap_micro_usd = capFromUsd(runCapUsd(environment, profile))
  return {
    id,
    workspace_id: ctx.workspace_id,
    pack: plan.pack,
    template: plan.template,
    template_version: plan.pack_version,
    template_digest,
    plan_digest: plan.digest,
    plan,
    lane: laneFor(ctx, admission),
    environment: environment.name,
    environment_class: environment.class,
    profile: profile.name,
    config_preset: configured.config_preset ?? null,
    sandbox: admission.sandbox ?? false,
    dry_run: admission.dry_run ?? false,
    risk: planRisk(plan),
    action_types: plan.action_types,
    capabilities: plan.capabilities,
    inputs,
    inputs_hash,
    ...(sealed !== undefined && { sealed }),
    reason: admission.reason === undefined ? null : redactor.text(admission.reason),
    labels: redactor.data(admission.labels ?? {}),
    provenance,
    fingerprint: admission.fingerprint ?? null,
    ...(admission.alert !== undefined && { alert: admission.alert }),
    alerts: admission.alerts ?? [],
    ...(isLimited(admission.limits) && { limits: admission.limits }),
    cap_micro_usd,
    actor: { type: ctx.actor.type, id: ctx.actor.id, display: ctx.actor.display },
    audit: {
      id: ctx.ids.next('audit'),
      ts: received_at,
      ...startAudit(ctx, {
        action: 'run.admitted',
        subject: { type: 'run', id },
        data: {
          trigger: triggerOf(ctx, admission),
          template: `${plan.pack}/${plan.template}`,
          plan_digest: plan.digest,
          inputs_hash,
          environment: environment.name,
          profile: profile.name,
          ...configured.provenance,
          dry_run: admission.dry_run ?? false,
          cap_usd: usdText(cap_micro_usd),
          ...askedBy(provenance),
        },
      }),
      run_id: id,
      ...marked(ctx),
    },
  }
}

function pipelineOf({ pipeline }: Admission): JsonObject {
  if (pipeline === undefined) return {}
  const { id, step, index } = pipeline
  return { pipeline_id: id, pipeline_step: step, ...(index !== undefined && { pipeline_index: index }) }
}

/** A replay names its delivery. */
function triggerOf({ replay_of }: StartContext, { trigger }: Admission): Admission['trigger'] {
  return replay_of === undefined ? trigger : { ...trigger, type: 'replay', delivery_id: replay_of }
}

/** `console` gives the realtime lane to people only, whatever a program calls itself. */
function laneFor(ctx: StartContext, admission: Admission): RunDraft['lane'] {
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

/** Everyone who shapes the run, as is known now. */
export async function contributorsOfStart(
  { accounts, replayed_from = [] }: Pick<StartContext, 'accounts' | 'replayed_from'>,
  { shaped_by = [] }: Pick<Admission, 'shaped_by'>,
  asked_by: JsonObject,
  authors: Contributor[] = [],
): Promise<Contributor[]> {
  const written = [...authors, ...shaped_by, ...replayed_from]
  const ids = [...requestersAndCancellers(asked_by), ...written.map(({ id }) => id)].filter((id) =>
    /^(usr|key)_/.test(id),
  )
  const makers = ids.length === 0 ? [] : await accounts.makers([...new Set(ids)])
  return contributors(asked_by, written, makers)
}
