import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { folderOf, indexOf, MAIN, nameOf } from './bundle-files.mjs'

/** bundles of a program that are kept however old they are */
const KEPT = 3
/** a process may still import from a bundle that was found this long ago */
const UNUSED_MS = 7 * 24 * 3_600_000
const DIGEST_CHARS = 20

/**
 * Puts what was built in the place where every start looks for it.
 * @param {import('./bundle-files.mjs').Program} wanted
 * @param {string} draft folder of what was built
 * @param {{ readonly digest: string, readonly inputs: readonly string[] }} from
 * @returns {Promise<string>} path of the bundle
 */
export async function keepBundle(wanted, draft, { digest, inputs }) {
  const folder = folderOf(wanted, digest)
  const files = await readdir(draft)
  const sizes = await Promise.all(files.map(async (file) => [file, await flush(join(draft, file))]))
  await rename(draft, folder).catch(() => moveInto(folder, draft, files))
  const index = `${draft}.json`
  try {
    await writeFile(index, JSON.stringify({ digest, inputs, sizes: Object.fromEntries(sizes) }))
    await flush(index)
    await rename(index, indexOf(wanted))
  } finally {
    await rm(index, { force: true })
  }
  await removeUnused(wanted, basename(folder)).catch(() => undefined)
  return join(folder, MAIN)
}

/**
 * Without it, a power cut after the rename leaves an empty file under the final name.
 * @param {string} path
 * @returns {Promise<number>} its size
 */
async function flush(path) {
  const file = await open(path, 'r+')
  try {
    await file.sync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

/**
 * Someone was faster, or what is there is damaged. File by file, because a process may be running from it; the one that
 * imports the others comes last.
 * @param {string} folder
 * @param {string} draft
 * @param {readonly string[]} files
 */
async function moveInto(folder, draft, files) {
  for (const file of [...files.filter((name) => name !== MAIN), MAIN])
    await rename(join(draft, file), join(folder, file))
}

/**
 * @param {import('./bundle-files.mjs').Program} wanted
 * @param {string} current
 */
async function removeUnused(wanted, current) {
  const prefix = `${nameOf(wanted)}-`
  const folders = (await readdir(wanted.cache)).filter(
    (name) => name.startsWith(prefix) && name.length === prefix.length + DIGEST_CHARS && name !== current,
  )
  const dated = await Promise.all(
    folders.map(async (name) => {
      const folder = join(wanted.cache, name)
      return { folder, at: (await stat(folder)).mtimeMs }
    }),
  )
  const others = dated.sort((a, b) => b.at - a.at).slice(KEPT - 1)
  for (const { folder, at } of others)
    if (at < Date.now() - UNUSED_MS) await rm(folder, { recursive: true, force: true })
}
