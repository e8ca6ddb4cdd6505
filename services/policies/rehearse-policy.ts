import { DEFAULT_PROFILE, type Environment, isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { changedSteps } from '#core/policy/changed-steps.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { joinLayers, type LayerPolicies, type PolicyLayers } from '#core/policy/layer.ts'
import type { PolicyDraft, PolicyRehearsal, RehearsedChange } from '#core/policy/rehearsal-schema.ts'
import { isoTime } from '#core/time/time.ts'
import type { PlanUsage, PlanUse } from '#store/plans.ts'
import { attachedIn, checkPolicy, loosensBy, type PolicyPortsContext } from '../authored/policy-record.ts'
import { authorOf, problemsOf } from '../authored-document.ts'
import type { PolicyContext } from './list-policies.ts'

const BACK_MS = 30 * 24 * 60 * 60 * 1_000
const MAX = { runs: 20_000, plans: 200 }
const MAX_CHANGES = 500

export type RehearsalContext = PolicyContext & PolicyPortsContext & { plan_usage: PlanUsage }

/** Applies a policy to the runs of the last 30 days, with the code that decides. Saves nothing. */
export async function rehearsePolicy(
  ctx: RehearsalContext,
  { document, name, attach }: PolicyDraft,
): Promise<PolicyRehearsal> {
  const granted = ctx.environments.list().filter((each) => isGranted(each, ctx.workspace_slug))
  const known_places = ctx.actor.workspaces === '*' ? ctx.environments.list() : granted
  const unknown = attach?.find((each) => !known_places.some((environment) => environment.name === each))
  if (unknown !== undefined) throw new DomainError('validation_failed', `there is no environment ${unknown}`)
  const since = isoTime(ctx.clock() - BACK_MS)
  const checked = await check(ctx, { document, name })
  const answer = { sound: checked.policy !== undefined, problems: checked.problems, since }
  const none = { judged: 0, changed: 0, looser: 0, cut: false }
  if (checked.policy === undefined) return { ...answer, loosens: false, attach: [], runs: none, changes: [] }

  const known = name ?? checked.policy
  const taken = attach ?? attachedIn(ctx, known)
  const { store, layers: below } = ctx.policy_ports
  const [rows, lower, layers, uses] = await Promise.all([
    store.list(ctx.workspace_id),
    below(),
    ctx.policyLayers.layers(ctx.workspace_id),
    ctx.plan_usage.since(ctx.workspace_id, since, MAX),
  ])
  const draft = { name: known, document, author: authorOf(ctx) }
  const loosens = await mayLoosen(ctx, { name: known, rows, after: draft, below: lower }, taken)
  const next = { ...layers, console: replaced(layers.console, known, checked.layer) }
  const judged = uses.flatMap((use) => {
    const environment = granted.find((each) => each.name === use.environment)
    if (environment === undefined) return []
    return [{ use, changes: changesOf(ctx, use, { environment, before: layers, after: next, known, taken }) }]
  })
  const count = (which: typeof judged) => which.reduce((sum, { use }) => sum + use.runs, 0)
  return {
    ...answer,
    name: checked.policy,
    loosens,
    attach: [...taken].sort(),
    runs: {
      judged: count(judged),
      changed: count(judged.filter(({ changes }) => changes.length > 0)),
      looser: count(judged.filter(({ changes }) => changes.some(({ looser }) => looser))),
      cut: uses.length === MAX.plans || uses.reduce((sum, { runs }) => sum + runs, 0) === MAX.runs,
    },
    changes: judged
      .flatMap(({ changes }) => changes)
      .sort((a, b) => Number(b.looser) - Number(a.looser) || b.runs - a.runs)
      .slice(0, MAX_CHANGES),
  }
}

/** As saving checks it; what would be refused there is a finding here. */
async function check(
  ctx: RehearsalContext,
  { document, name }: { document: string; name: string | undefined },
): Promise<{ policy?: string; layer: LayerPolicies; problems: PolicyRehearsal['problems'] }> {
  const named = name === undefined ? {} : { name }
  const { layer, faults } = await ctx.policy_ports.lint(document, { author: authorOf(ctx), ...named })
  const problems = problemsOf(faults)
  try {
    return { policy: (await checkPolicy(ctx, { document, ...named })).name, layer, problems }
  } catch (refusal) {
    if (!(refusal instanceof DomainError) || refusal.code !== 'validation_failed') throw refusal
    const isSaid = problems.some(({ warning }) => warning !== true)
    return { layer, problems: isSaid ? problems : [...problems, { message: refusal.message }] }
  }
}

/** Tells whether its text or its attachment loosens: an environment may be laxer without it, or with it for the first time. */
async function mayLoosen(
  ctx: RehearsalContext,
  change: Parameters<typeof loosensBy>[1],
  taken: readonly string[],
): Promise<boolean> {
  const { name, rows } = change
  const attached = attachedIn(ctx, name)
  const others = rows.filter((row) => row.name !== name)
  const [text, without, attachedFirst] = await Promise.all([
    loosensBy(ctx, change),
    loosensBy(ctx, { ...change, after: undefined }),
    loosensBy(ctx, { ...change, rows: others }),
  ])
  const isDetached = attached.some((each) => !taken.includes(each))
  const isAttached = taken.some((each) => !attached.includes(each))
  return text || (isDetached && without) || (isAttached && attachedFirst)
}

function replaced(layer: LayerPolicies, name: string, by: LayerPolicies): LayerPolicies {
  const others = {
    policies: layer.policies.filter((each) => each.name !== name),
    broken: layer.broken.filter((each) => each.name !== name),
  }
  return joinLayers([others, by])
}

function changesOf(
  ctx: RehearsalContext,
  use: PlanUse,
  how: { environment: Environment; before: PolicyLayers; after: PolicyLayers; known: string; taken: string[] },
): RehearsedChange[] {
  const { environment, before, after, known, taken } = how
  const others = environment.policies.filter((each) => each.normalize('NFC') !== known)
  const attaching = taken.includes(environment.name) ? [...others, known] : others
  const hash = { hash: ctx.sha256 }
  const sets = {
    before: compilePolicies({ layers: before, environment }, hash),
    after: compilePolicies({ layers: after, environment: { ...environment, policies: attaching } }, hash),
  }
  const profile = ctx.environments.profile(use.profile || environment.profile || DEFAULT_PROFILE)
  const place = { environment, profile, operators: ctx.operators }
  const { runs, newest_run_id } = use
  return changedSteps(use.plan, sets, place).map((change) => ({
    template: `${use.pack}/${use.template}`,
    environment: environment.name,
    profile: profile.name,
    ...change,
    runs,
    newest_run_id,
  }))
}
