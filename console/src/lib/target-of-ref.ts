/** A page of the console as a link target. */
export type LinkTarget =
  | { to: '/runs/$id' | '/pipelines/$id'; params: { id: string } }
  | { to: '/start/$pack/$template'; params: { pack: string; template: string } }
  | { to: '/knowledge/$id'; params: { id: string }; search: Record<string, string> }
  | { to: '/runs' | '/audit' | '/pipelines'; search: Record<string, string> }
  | { to: '/triggers' | '/admin'; search: { part: string } }
  | { to: '/start'; search: Record<string, never> }
  | { to: '/knowledge' }

/** The page that shows what a path of the API answers; undefined where there is none. */
export function targetOfRef(ref: string): LinkTarget | undefined {
  const [path = '', query = ''] = ref.split('?', 2)
  const [first = '', second, ...rest] = path.split('/').slice(1).map(decoded)
  const search = Object.fromEntries([...new URLSearchParams(query)].filter(([name]) => name !== 'limit'))
  if (first === 'runs' || first === 'pipelines')
    return second === undefined ? { to: `/${first}`, search } : { to: `/${first}/$id`, params: { id: second } }
  if (first === 'packs')
    return second === undefined || rest[0] === undefined
      ? { to: '/start', search: {} }
      : { to: '/start/$pack/$template', params: { pack: second, template: rest[0] } }
  if (path.startsWith('/triggers/scheduled')) return { to: '/triggers', search: { part: 'schedules' } }
  if (path === '/console/api/audit') return { to: '/audit', search }
  if (path === '/console/api/halts') return { to: '/admin', search: { part: 'halts' } }
  if (isChunk(path)) return { to: '/knowledge/$id', params: { id: rest[1] ?? '' }, search }
  if (path.startsWith('/ui/api/knowledge')) return { to: '/knowledge' }
  return undefined
}

/** The short name of a path of the API: for a chunk of a document, its file and line. */
export function nameOfRef(ref: string): string {
  const [path = '', query = ''] = ref.split('?', 2)
  const search = new URLSearchParams(query)
  const [document, line] = [search.get('path'), search.get('line')]
  return isChunk(path) && document !== null && line !== null ? `${document}:${line}` : ref
}

const isChunk = (path: string) => /^\/ui\/api\/knowledge\/[^/]+\/passage$/.test(path)

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
