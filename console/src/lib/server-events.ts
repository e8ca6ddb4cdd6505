import { EventSourceParserStream } from 'eventsource-parser/stream'

export interface ServerEvent {
  event: string | undefined
  data: string
}

/** The Server-Sent Events of an answer, as they come. */
export async function* serverEvents({ body }: Response): AsyncGenerator<ServerEvent> {
  if (body === null) return
  const reader = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      yield { event: next.value.event, data: next.value.data }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
