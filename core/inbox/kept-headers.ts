import { cutText } from '../text/text.ts'

/** Headers that describe the content; none of them proves the sender. */
const KEPT = [
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
]
const MAX_CHARS = 500

/** The headers that the inbox keeps, by lower-case name; never a token, a cookie or a signature. */
export function keptHeaders(header: (name: string) => string | undefined): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of KEPT) {
    const value = header(name)
    if (value !== undefined) kept[name] = cutText(value, MAX_CHARS)
  }
  return kept
}
