import { isObject, type Json } from '../json/json.ts'

/** Members in which APIs say what is wrong; the first two are those of RFC 9457. */
export const REASON_MEMBERS = ['detail', 'title', 'message', 'error_description', 'error', 'reason']

/**
 * Returns what a step found, in the order in which people need it. Of an HTTP answer: its status, then its body once, with its own words about
 * a failure in front, and neither headers nor timing. Other outputs stay as they are.
 */
export function findingOf(outputs: Json): Json {
  if (!isObject(outputs)) return outputs
  const { status, headers, json, text, problem, redirects } = outputs
  if (typeof status !== 'number' || !isObject(headers)) return outputs
  return {
    status,
    ...(problem !== undefined && { problem }),
    ...(json === undefined ? { ...(text !== undefined && { text }) } : { json: reasonFirst(json) }),
    ...(redirects !== undefined && { redirects }),
  }
}

function reasonFirst(json: Json): Json {
  if (!isObject(json)) return json
  const members = Object.entries(json)
  const isReason = ([name]: [string, Json]) => REASON_MEMBERS.includes(name)
  return Object.fromEntries([...members.filter(isReason), ...members.filter((member) => !isReason(member))])
}
