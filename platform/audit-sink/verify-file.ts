import { open } from 'node:fs/promises'
import { GENESIS } from '#core/audit/chain.ts'
import { readFrom } from './sink-fs.ts'
import { type Verification, type VerifyRangeOptions, verifyRange } from './verify-range.ts'

/** Verifies a whole audit log from its first record. Reads beside a live writer; the log is taken as long as it is now. */
export const verifyFile = async (
  path: string,
  options: Pick<VerifyRangeOptions, 'onRecord' | 'links_only'> = {},
): Promise<Verification> => {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    return await verifyRange(readFrom(handle), { from: 0, to: size, prev: GENESIS, ...options })
  } finally {
    await handle.close()
  }
}
