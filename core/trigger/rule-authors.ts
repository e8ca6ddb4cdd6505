import type { Contributor } from '../gate/contributors.ts'
import type { TriggerRule } from './rule.ts'

/** Who wrote a rule in the console. Rules of files and packs are the deployment's. */
export function ruleAuthors({ name, authors }: Pick<TriggerRule, 'name' | 'authors'>): { shaped_by?: Contributor[] } {
  if (authors === undefined) return {}
  return { shaped_by: authors.map((id) => ({ id, did: 'wrote_rule', what: name })) }
}
