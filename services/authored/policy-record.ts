import { isGranted } from '#core/environment/environment.ts'
import type { FileFault } from '#core/file-fault.ts'
import type { ConsolePolicy } from '#core/policy/console-schema.ts'
import { joinLayers, type LayerPolicies, type Policy, type PolicyLayers } from '#core/policy/layer.ts'
import { loosenedBy } from '#core/policy/loosened.ts'
import { mergePolicies } from '#core/policy/merge.ts'
import type { AuthoredDraft, AuthoredRow, AuthoredStore } from '#store/authored/authored.ts'
import { authorOf, digestOf, mustBeNamed, problemsOf, refuseFaults } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'

/** The author of a console document. */
interface PolicyAuthor {
  /** the stored name; a document with another name is broken */
  name?: string
  author: string
}

/** The dependencies of authoring policies. */
export interface PolicyPorts {
  store: AuthoredStore
  /** policies of packs and files in force */
  layers(): Promise<Pick<PolicyLayers, 'pack' | 'overlay'>>
  /** the policy, and every report that `svc check` would make */
  lint(text: string, origin: PolicyAuthor): Promise<{ layer: LayerPolicies; faults: FileFault[] }>
  /** called after a write, so that this process applies it */
  changed(workspaceId: string): void
}

export type PolicyPortsContext = ServiceContext & { policy_ports: PolicyPorts }

export type Below = Pick<PolicyLayers, 'pack' | 'overlay'>

/** A policy of the console as people see it. */
export async function toPolicyRecord(ctx: PolicyPortsContext, row: AuthoredRow, below: Below): Promise<ConsolePolicy> {
  const { name, document, author, updated_at } = row
  const { layer, faults } = await ctx.policy_ports.lint(document, { name, author })
  const [policy] = layer.policies
  const merged = mergePolicies({ ...below, console: layer }, [name])
  const facts = merged.overrides.flatMap(({ fact }) => (fact.layer === 'console' ? [fact] : []))
  const digest = digestOf(ctx, document)
  return {
    name,
    workspace_id: ctx.workspace_id,
    ...(policy !== undefined && { applies_to: policy.scope, rules: policy.rules }),
    attached_in: attachedIn(ctx, name),
    replaces: facts.flatMap(({ replaces }) => replaces),
    loosens: facts.some(({ loosens }) => loosens),
    document,
    author,
    updated_at,
    digest,
    problems: problemsOf(faults),
    etag: `"${digest}"`,
  }
}

/** Environments that attach it, as far as the caller may know of them. */
export function attachedIn(
  { actor, environments, workspace_slug }: Pick<PolicyPortsContext, 'actor' | 'environments' | 'workspace_slug'>,
  name: string,
): string[] {
  return environments
    .list()
    .filter((each) => each.policies.some((attached) => attached.normalize('NFC') === name))
    .filter((each) => actor.workspaces === '*' || isGranted(each, workspace_slug))
    .map((each) => each.name)
    .sort()
}

/** Tells whether `after` may be laxer than the stored policy of that name, or than none. */
export async function loosensBy(
  ctx: PolicyPortsContext,
  change: { name: string; rows: readonly AuthoredRow[]; after: AuthoredDraft | undefined; below: Below },
): Promise<boolean> {
  const { name, rows, after, below } = change
  const others = rows.filter((row) => row.name !== name)
  const layerOf = async (drafts: readonly AuthoredDraft[]) =>
    joinLayers(
      await Promise.all(
        drafts.map(
          async (each) => (await ctx.policy_ports.lint(each.document, { name: each.name, author: each.author })).layer,
        ),
      ),
    )
  const [before, next] = await Promise.all([layerOf(rows), layerOf(after === undefined ? others : [...others, after])])
  return loosenedBy({ ...below, console: before }, { ...below, console: next }).size > 0
}

/** The one sound policy of a text. Throws `validation_failed` for everything that `svc check` would call an error. */
export async function checkPolicy(
  ctx: PolicyPortsContext,
  { document, name }: { document: string; name?: string },
): Promise<Policy> {
  const { layer, faults } = await ctx.policy_ports.lint(document, {
    author: authorOf(ctx),
    ...(name !== undefined && { name }),
  })
  refuseFaults(faults)
  const [policy] = layer.policies
  if (policy === undefined || layer.policies.length > 1 || layer.broken.length > 0) {
    refuseFaults([{ file: 'policy', message: `it holds ${layer.policies.length} policies, and takes one` }])
    throw new Error('a policy that is not sound has no fault')
  }
  mustBeNamed('policy', policy.name, undefined)
  return policy
}
