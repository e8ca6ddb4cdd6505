import { DomainError } from '#core/errors.ts'
import type { ApiClient } from '../api-client.ts'
import { idByPrefix } from '../id-by-prefix.ts'

const LOOKED_AT = 200

/** The id of the pipeline that somebody named in full, or by the first characters that no other has. */
export async function pipelineIdOf(api: Pick<ApiClient, 'pipelines'>, named: string): Promise<string> {
  return await idByPrefix(named, {
    what: 'pipeline',
    prefix: 'pl_',
    candidates: async (start) => (await api.pipelines({ id: `pl_${start}` }, LOOKED_AT)).items.map(({ id }) => id),
    none: (start) =>
      new DomainError('not_found', `no pipeline begins with pl_${start}; see which there are with: svc pipeline list`),
  })
}
