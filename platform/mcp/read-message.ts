import { isObject, type JsonObject } from '#core/json/json.ts'
import { parseForeignJson } from '#core/json/parse-json.ts'
import { storableJson } from '#core/json/storable-json.ts'
import type { EgressResponse } from '../egress/egress-client.ts'

/** The answer to a request in a response, which is one JSON or a stream of events; undefined where it is not there. */
export function messageIn({ body, headers }: Pick<EgressResponse, 'body' | 'headers'>, id: number) {
  const text = body.toString('utf8')
  const type = headers['content-type'] ?? ''
  const parts = /^text\/event-stream\b/i.test(type) ? eventsIn(text) : [text]
  return parts.map(messageOf).find((message) => message?.['id'] === id && ('result' in message || 'error' in message))
}

/** The data of the events of a stream (WHATWG, server-sent events). */
function eventsIn(stream: string): string[] {
  return stream
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n\n')
    .map((event) =>
      event
        .split('\n')
        .flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? [])
        .join('\n'),
    )
    .filter((data) => data !== '')
}

function messageOf(text: string): JsonObject | undefined {
  try {
    const read = storableJson(parseForeignJson(text))
    return isObject(read) ? read : undefined
  } catch {
    return undefined
  }
}
