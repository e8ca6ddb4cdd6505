import { type Contributor, contributors } from '#core/gate/contributors.ts'
import { requesterIds } from '#core/gate/requester.ts'
import type { JsonObject } from '#core/json.ts'
import type { StartContext } from '../context.ts'
import type { Admission } from './admission.ts'

/** Everyone who shapes the run, as is known now. */
export async function contributorsOfStart(
  { accounts, replayed_from = [] }: Pick<StartContext, 'accounts' | 'replayed_from'>,
  { shaped_by = [] }: Pick<Admission, 'shaped_by'>,
  asked_by: JsonObject,
  authors: Contributor[] = [],
): Promise<Contributor[]> {
  const written = [...authors, ...shaped_by, ...replayed_from]
  const ids = [...requesterIds(asked_by), ...written.map(({ id }) => id)].filter((id) => /^(usr|key)_/.test(id))
  const makers = ids.length === 0 ? [] : await accounts.makers([...new Set(ids)])
  return contributors(asked_by, written, makers)
}
