import { didYouMean } from '#core/did-you-mean.ts'
import type { ApiClient } from './api-client.ts'

const LOOKED_AT = 200

/** What was most likely meant where a filter of the list of runs names something that nobody knows, for the end of a message; empty where nothing is near. */
export async function nearFilter(
  api: Pick<ApiClient, 'runs' | 'packs'>,
  { environment, pack, template }: { environment?: string; pack?: string; template?: string },
): Promise<string> {
  const near = (option: string, meant: string | undefined, names: string[]) => {
    if (meant === undefined || names.includes(meant)) return ''
    return didYouMean(meant, names, (nearest) => `${option} ${nearest}`)
  }
  if (environment !== undefined) {
    const { items } = await api.runs({}, LOOKED_AT)
    return near('--environment', environment, [...new Set(items.map((run) => run.environment))])
  }
  if (pack === undefined && template === undefined) return ''
  const templates = await api.packs()
  const names = templates.map((each) => (template?.includes('/') ? `${each.pack}/${each.template}` : each.template))
  return near('--template', template, names) || near('--pack', pack, [...new Set(templates.map((each) => each.pack))])
}
