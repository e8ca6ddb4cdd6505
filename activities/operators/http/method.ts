/** Names by which servers take another method than the one of the request line; CGI reads `_` and `-` alike. */
const OVERRIDE_HEADER = /method|(^|[-_])verb([-_]|$)/i
// PHP reads `.method` and `[method` as `_method`
const OVERRIDE_PARAMETER = /^[^a-z0-9]+method$|method[-_]?override|http[-_]?method/i

/**
 * Whether a request acts on nothing: a GET or HEAD that asks for no other method, neither by a header such as
 * `X-HTTP-Method-Override` nor in its query (`_method`). Headers that are not known yet may hold anything.
 */
export function isHttpRead({ method, url, headers }: { method?: unknown; url?: unknown; headers?: unknown }): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (headers !== undefined && (typeof headers !== 'object' || headers === null)) return false
  if (Object.keys(headers ?? {}).some((name) => OVERRIDE_HEADER.test(name))) return false
  const text = typeof url === 'string' ? url : ''
  const query = text.slice(text.indexOf('?') + 1 || text.length).replace(/#.*$/s, '')
  return ![...new URLSearchParams(query).keys()].some((name) => OVERRIDE_PARAMETER.test(name))
}
