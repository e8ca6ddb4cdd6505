import { statSync, utimesSync } from 'node:fs'
import { access, constants, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf, folderOf, indexOf, MAIN } from './bundle-files.mjs'

const HOUR_MS = 3_600_000

/**
 * The bundle of a program as its sources are now, built when there is none. Rejects when it cannot be kept.
 * @param {import('./bundle-files.mjs').Program} wanted
 * @returns {Promise<string>} its path
 */
export async function findBundle(wanted) {
  const { root, cache } = wanted
  const { digest, inputs, sizes } = await readIndex(wanted)
  if (digest !== undefined && digest === digestOf(root, inputs)) {
    const folder = folderOf(wanted, digest)
    noteUse(folder)
    if (isWhole(folder, sizes)) return join(folder, MAIN)
  }
  await mkdir(cache, { recursive: true })
  await access(cache, constants.W_OK)
  const { buildBundle } = await import('./build-bundle.mjs')
  return await buildBundle(wanted)
}

/** @param {import('./bundle-files.mjs').Program} wanted */
async function readIndex(wanted) {
  try {
    return JSON.parse(await readFile(indexOf(wanted), 'utf8')) ?? {}
  } catch {
    return {}
  }
}

/**
 * Sizes only, because this is part of every start.
 * @param {string} folder
 * @param {Record<string, number> | undefined} sizes
 */
function isWhole(folder, sizes) {
  if (sizes?.[MAIN] === undefined) return false
  return Object.entries(sizes).every(([file, size]) => sizeOf(join(folder, file)) === size)
}

/** @param {string} path */
const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size

/**
 * Where nothing can be written, nothing is removed either.
 * @param {string} folder
 */
function noteUse(folder) {
  try {
    const now = Date.now()
    if (statSync(folder).mtimeMs < now - HOUR_MS) utimesSync(folder, now / 1_000, now / 1_000)
  } catch {}
}
