import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

const MAX_ENCODINGS = 4
const UTF16 = [
  { mark: [0xff, 0xfe], charset: 'utf-16le' },
  { mark: [0xfe, 0xff], charset: 'utf-16be' },
]

/** From 0x80 on, as the Encoding standard has them. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

type Unpack = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array

const UNPACK: ReadonlyMap<string, Unpack> = new Map<string, Unpack>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', inflated],
])

/** The text of an answer, or why there is none. */
export type AnswerText = { text: string; problem?: undefined } | { text?: undefined; problem: string }

/**
 * Reads an answer by its `Content-Encoding` and the charset of its `Content-Type`; without a charset it is UTF-8. It unpacks to no more than
 * `most_bytes`, whatever it claims.
 */
export function answerText(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  most_bytes: number,
): AnswerText {
  if (body.byteLength === 0) return { text: '' }
  const bytes = unpacked(body, headers['content-encoding'] ?? '', most_bytes)
  return typeof bytes === 'string' ? { problem: bytes } : decoded(bytes, headers['content-type'] ?? '')
}

function unpacked(body: Uint8Array, header: string, most_bytes: number): Uint8Array | string {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length > MAX_ENCODINGS) return 'The answer is compressed too many times.'
  let bytes = body
  for (const name of names.reverse()) {
    const unpack = UNPACK.get(name)
    if (unpack === undefined) return `The answer has a Content-Encoding that is not known: ${name.slice(0, 40)}.`
    try {
      bytes = unpack(bytes, { maxOutputLength: most_bytes })
    } catch (error) {
      const large = error instanceof RangeError
      return large
        ? `The answer unpacks to more than ${most_bytes} bytes, the limit of the step (max_bytes).`
        : `The answer is not ${name}, as it says.`
    }
  }
  return bytes
}

/** Some servers send what zlib writes, others what stands inside of it. */
function inflated(bytes: Uint8Array, options: { maxOutputLength: number }): Uint8Array {
  try {
    return inflateSync(bytes, options)
  } catch (error) {
    if (error instanceof RangeError) throw error
    return inflateRawSync(bytes, options)
  }
}

/** Node 20 reads these bytes as those of ISO 8859-1, which no page and no server means by either name. */
function windows1252(control: string): string {
  return WINDOWS_1252.charAt(control.charCodeAt(0) - 0x80)
}

function decoded(bytes: Uint8Array, type: string): AnswerText {
  const named = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1]
  const marked = UTF16.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte))?.charset
  const charset = marked ?? named ?? 'utf-8'
  let decoder: InstanceType<typeof TextDecoder>
  try {
    decoder = new TextDecoder(charset, { fatal: true })
  } catch {
    return { problem: `The answer has a charset that is not known: ${charset.slice(0, 40)}.` }
  }
  try {
    const text = decoder.decode(bytes)
    return { text: decoder.encoding === 'windows-1252' ? text.replace(/[\x80-\x9f]/g, windows1252) : text }
  } catch {
    const media = type.split(';', 1)[0]?.trim().slice(0, 100) || 'unnamed'
    return { problem: `The answer is ${bytes.byteLength} bytes (${media}) that are no text in ${charset}.` }
  }
}
