import { createHash, hash } from 'node:crypto'

const LINE_END = 0x0a
const LANES = 8
const LANE = 2 ** 32

export interface RowsDigest {
  rows: number
  bytes: number
  /** `sha256:` and lower-case hex; the same for the same rows, whatever their order */
  digest(): string
  add(chunk: Uint8Array): void
}

/** Counts what COPY sends and takes a digest of it: of each row its SHA-256, added up as numbers of 256 bits. */
export function rowsDigest(columns: readonly string[]): RowsDigest {
  const sum = new Uint32Array(LANES)
  const rest: Uint8Array[] = []
  const take = (line: Uint8Array) => {
    addTo(sum, hash('sha256', line, 'buffer'))
    digest.rows += 1
  }
  const digest: RowsDigest = {
    rows: 0,
    bytes: 0,
    digest() {
      const whole = createHash('sha256')
        .update(JSON.stringify([columns, digest.rows]))
        .update(sum)
      return `sha256:${whole.digest('hex')}`
    },
    add(chunk) {
      digest.bytes += chunk.byteLength
      let from = 0
      // in the text format of COPY a row is a line: what breaks lines inside of values is escaped
      for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
        const line = chunk.subarray(from, end)
        take(rest.length === 0 ? line : Buffer.concat([...rest.splice(0), line]))
        from = end + 1
      }
      // what is kept may not change under us: the driver uses its buffers again
      if (from < chunk.byteLength) rest.push(Uint8Array.from(chunk.subarray(from)))
    },
  }
  return digest
}

function addTo(sum: Uint32Array, digest: Buffer): void {
  let carry = 0
  for (let lane = 0; lane < LANES; lane += 1) {
    const total = (sum[lane] ?? 0) + digest.readUInt32LE(lane * 4) + carry
    sum[lane] = total % LANE
    carry = total >= LANE ? 1 : 0
  }
}
