import { isoTime } from '../time/time.ts'
import type { NormalizedAlert } from './alert.ts'

type Labels = Record<string, string>
type Link = NormalizedAlert['links'][number]

/** Returns the first text that is not blank, trimmed. */
export function firstText(...texts: (string | undefined)[]): string | undefined {
  for (const text of texts) {
    const trimmed = text?.trim()
    if (trimmed !== undefined && trimmed !== '') return trimmed
  }
  return undefined
}

/** Returns the service of labels: `service`, `job` or `namespace`, else the host of `instance`, else `unknown`. */
export function serviceOf(labels: Labels): string {
  return (
    firstText(label(labels, 'service'), label(labels, 'job'), label(labels, 'namespace')) ??
    firstText(hostOf(label(labels, 'instance'))) ??
    'unknown'
  )
}

/** A label by name; names that every object has are no labels. */
export function label(labels: Labels, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined
}

/** The host in `host`, `host:port`, `[v6]:port` or a URL. */
function hostOf(instance: string | undefined): string | undefined {
  const authority = firstText(instance)
    ?.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .split(/[/?#]/, 1)[0]
  const host = authority?.slice(authority.lastIndexOf('@') + 1)
  if (host === undefined) return undefined
  const bracketed = /^\[([^\]]*)\]/.exec(host)?.[1]
  if (bracketed !== undefined) return bracketed
  // an address of version 6 without brackets has no port
  return host.split(':').length > 2 ? host : host.split(':', 1)[0]
}

/** Parses an RFC 3339 time as UTC with milliseconds; undefined for an invalid one, and for the year 1, which means "not yet" in Go. */
export function timeOf(text: string | undefined): string | undefined {
  // without an offset the time would depend on where this runs
  const ms = text !== undefined && ZONED.test(text) ? Date.parse(text.replace(AWS_OFFSET, '$1:$2')) : Number.NaN
  return Number.isNaN(ms) || ms < YEAR_2 ? undefined : isoTime(ms)
}

/** anchored at the start: otherwise a text of many T takes quadratic time */
const ZONED = /^[^T]{0,40}T.{0,40}(Z|[+-]\d\d:?\d\d)$/i
/** the format of CloudWatch */
const AWS_OFFSET = /([+-]\d\d)(\d\d)$/

const YEAR_2 = Date.parse('0002-01-01T00:00:00Z')

/** Only addresses that a browser may follow without harm. */
export function webLinks(links: { title: string; url: string | undefined }[]): Link[] {
  return links.flatMap(({ title, url }) => (url !== undefined && /^https?:\/\//i.test(url) ? [{ title, url }] : []))
}
