import { isObject, type Json } from '../json/json.ts'

/** Members in which APIs say what is wrong; the first two are those of RFC 9457. */
export const REASON_MEMBERS = ['detail', 'title', 'message', 'error_description', 'error', 'reason']

/**
 * Returns what a step found, in the order in which people need it. Of an HTTP answer: its status, then its body once, with its own words about
 * a failure in front, and neither headers nor timing; the text too where its JSON does not say all of it. Other outputs stay as they are.
 */
export function findingOf(outputs: Json): Json {
  if (!isObject(outputs)) return outputs
  const { status, headers, json, text, problem, redirects, ms: _, ...others } = outputs
  if (typeof status !== 'number' || !isObject(headers)) return outputs
  return {
    status,
    ...(problem !== undefined && { problem }),
    ...(json !== undefined && { json: reasonFirst(json) }),
    ...(text !== undefined && !(json !== undefined && typeof text === 'string' && saysAll(json, text)) && { text }),
    ...(redirects !== undefined && { redirects }),
    ...others,
  }
}

/** False where a member stands twice in the text: a reader of JSON takes the last one, and a person might act by the first. */
function saysAll(json: Json, text: string): boolean {
  return punctuationOf(text) === punctuationOf(JSON.stringify(json))
}

/** How many members and items a JSON text has, as far as its commas and colons tell. */
function punctuationOf(text: string): number {
  let [count, inText] = [0, false]
  for (let at = 0; at < text.length; at++) {
    const each = text[at]
    if (each === '"') inText = !inText
    else if (inText) at += each === '\\' ? 1 : 0
    else if (each === ',' || each === ':') count++
  }
  return count
}

function reasonFirst(json: Json): Json {
  if (!isObject(json)) return json
  const members = Object.entries(json)
  const isReason = ([name]: [string, Json]) => REASON_MEMBERS.includes(name)
  return Object.fromEntries([...members.filter(isReason), ...members.filter((member) => !isReason(member))])
}
