import { DomainError } from '#core/errors.ts'

const ID = /^pl_[0-9a-z]{26}$/
const PREFIX = /^(?:pl_)?([0-9a-z]{4,26})$/
const LOOKED_AT = 1_000
const SHOWN = 5

interface ListsPipelines {
  /** the newest first */
  pipelines(filter: Record<string, never>, limit: number): Promise<{ items: { id: string }[] }>
}

/** The id of the pipeline that somebody named whole, or by the first characters that no other of the newest has. */
export async function pipelineIdOf(api: ListsPipelines, named: string): Promise<string> {
  if (ID.test(named)) return named
  const [, start] = PREFIX.exec(named.toLowerCase()) ?? []
  if (start === undefined)
    throw new DomainError(
      'validation_failed',
      `${JSON.stringify(named)} is not the id of a pipeline: it begins with pl_, and 4 or more characters after that are enough where they are unique`,
    )
  const { items } = await api.pipelines({}, LOOKED_AT)
  const found = items.map(({ id }) => id).filter((id) => id.startsWith(`pl_${start}`))
  // of those that are older nobody knows whether they begin so, too
  if (items.length >= LOOKED_AT && items.at(-1)?.id === found.at(-1))
    throw new DomainError(
      'conflict',
      `more pipelines than can be looked at may begin with pl_${start}: name more of it`,
    )
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
