import { DomainError } from '#core/errors.ts'
import type { ApiClient } from '../api-client.ts'

const ID = /^pl_[0-9a-z]{26}$/
const PREFIX = /^(?:pl_)?([0-9a-z]{4,26})$/
const LOOKED_AT = 200
const SHOWN = 5

/** The id of the pipeline that somebody named whole, or by the first characters that no other has. */
export async function pipelineIdOf(api: Pick<ApiClient, 'pipelines'>, named: string): Promise<string> {
  if (ID.test(named)) return named
  const [, start] = PREFIX.exec(named.toLowerCase()) ?? []
  if (start === undefined)
    throw new DomainError(
      'validation_failed',
      `${JSON.stringify(named)} is not the id of a pipeline: it begins with pl_, which may be left out, and 4 or more characters after that are enough where they are unique`,
    )
  const { items } = await api.pipelines({ id: `pl_${start}` }, LOOKED_AT)
  const found = items.map(({ id }) => id)
  if (found.length === 1 && found[0] !== undefined) return found[0]
  if (found.length === 0)
    throw new DomainError(
      'not_found',
      `no pipeline begins with pl_${start}; see which there are with: svc pipeline list`,
    )
  const more = found.length > SHOWN ? `, and ${found.length - SHOWN} more` : ''
  throw new DomainError(
    'conflict',
    `${found.length} pipelines begin with pl_${start}: ${found.slice(0, SHOWN).join(', ')}${more}`,
  )
}
