import { open, readFile } from 'node:fs/promises'

/** Changes bytes of a file where they stand, in one write, as somebody with an editor for disks would. */
export async function changeBytes(path: string, from: string, to: string): Promise<void> {
  const at = (await readFile(path)).indexOf(from)
  if (at < 0 || from.length !== to.length) throw new Error(`${path} cannot be changed from ${from} to ${to}`)
  const handle = await open(path, 'r+')
  try {
    await handle.write(Buffer.from(to), 0, to.length, at)
  } finally {
    await handle.close()
  }
}
