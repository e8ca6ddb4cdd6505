import type { Schema } from '#client/create-client.ts'
import { didYouMean } from '#core/did-you-mean.ts'
import { DomainError } from '#core/errors.ts'
import type { Listed } from './api-lists.ts'

const ID = /^ws_[0-9a-z]{26}$/

/** The id of the workspace that somebody named by its id or its short name. Throws `not_found`, with the nearest name. */
export async function workspaceIdOf(
  named: string,
  list: () => Promise<Listed<Pick<Schema<'Workspace'>, 'id' | 'slug'>>>,
): Promise<string> {
  if (ID.test(named)) return named
  const { items } = await list()
  const found = items.find(({ slug }) => slug === named)
  if (found !== undefined) return found.id
  const slugs = items.map(({ slug }) => slug)
  const hint = didYouMean(named, slugs) || `; there are: ${slugs.join(', ') || 'none'}`
  throw new DomainError('not_found', `you have no workspace ${JSON.stringify(named)}${hint}`)
}
