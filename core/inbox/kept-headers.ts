/** Headers that say what was sent; none of them proves who sent it. */
const KEPT = new Set([
  'content-type',
  'user-agent',
  'x-request-id',
  'traceparent',
  'x-amz-sns-message-type',
  'x-amz-sns-message-id',
  'x-amz-sns-topic-arn',
  'x-github-event',
  'x-github-delivery',
  'x-gitlab-event',
  'x-webhook-id',
  'webhook-id',
  'webhook-timestamp',
  'svix-id',
  'svix-timestamp',
  'ce-id',
  'ce-source',
  'ce-type',
  'ce-time',
])
const MAX_CHARS = 500

/** The headers that the inbox keeps, by lower-case name; never a token, a cookie or a signature. */
export function keptHeaders(headers: Iterable<[name: string, value: string]>): Record<string, string> {
  const named = Array.from(headers, ([name, value]): [string, string] => [name.toLowerCase(), value])
  return Object.fromEntries(
    named.filter(([name]) => KEPT.has(name)).map(([name, value]) => [name, value.slice(0, MAX_CHARS)]),
  )
}
