import type { IncomingMessage } from 'node:http'
import { DomainError } from '#core/errors.ts'
import type { ApiContext } from './context.ts'

/**
 * Reads a body up to `maxBytes`, whatever its headers claim. Over a socket the bytes come from the connection itself: the stream of a web
 * `Request` costs more than all other work on a small body. Throws `payload_too_large`, and `malformed_body` when the sender disconnected
 * in the middle.
 */
export function readBytes(c: ApiContext, maxBytes: number): Promise<Uint8Array> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes))
  const incoming = c.env?.incoming
  if (incoming !== undefined && 'socket' in incoming && !('stream' in incoming)) return fromSocket(incoming, maxBytes)
  return fromStream(c.req.raw.body, maxBytes)
}

function fromSocket(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (answer: () => void) => {
      incoming.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost)
      answer()
    }
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > maxBytes) {
        incoming.pause()
        settle(() => reject(tooLarge(maxBytes)))
      } else chunks.push(chunk)
    }
    const onEnd = () => settle(() => resolve(joined(chunks)))
    const onLost = (cause?: Error) => settle(() => reject(incomplete(cause)))
    incoming.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost)
    if (incoming.destroyed) onLost()
  })
}

async function fromStream(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return joined(chunks)
      size += value.byteLength
      if (size > maxBytes) {
        await reader.cancel()
        throw tooLarge(maxBytes)
      }
      chunks.push(value)
    }
  } catch (error) {
    throw error instanceof DomainError ? error : incomplete(error)
  }
}

function joined(chunks: Uint8Array[]): Uint8Array {
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('payload_too_large', `The body is larger than ${maxBytes} bytes.`, { max_bytes: maxBytes })
}

function incomplete(cause: unknown): DomainError {
  return new DomainError('malformed_body', 'The body did not arrive whole.', {}, { cause })
}
