import { type BigIntStats, lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '#core/time/time.ts'

/** A file that was being written is read once it has been unchanged for this long. */
export const STILL_MS = 25

/** A modification time this far ahead is from another clock. */
const FOREIGN_CLOCK_MS = 10_000

/** Immediate retries for a file that changes while it is read, where the caller cannot wait. */
const ATTEMPTS = 20

export interface StillOptions {
  clock?: Clock | undefined
  /** takes a file however young it is, as a process must when it starts */
  as_it_is?: boolean
}

/**
 * `same`: nothing changed since `before`. `moving`: the file is being written, so the last value stays until a later read. Bytes come only
 * from a file that was the same before and after it was read. Throws errors of the file system.
 */
export type StillFile = 'missing' | 'same' | 'moving' | { stamp: string; bytes: Uint8Array }

export function readStill(path: string, before: string | undefined, options: StillOptions = {}): StillFile {
  for (let attempt = 1; ; attempt += 1) {
    const now = nowOf(options)
    const stat = statOf(path)
    if (stat === undefined) return 'missing'
    const stamp = stampOf(stat)
    if (stamp === before) return 'same'
    if (options.as_it_is !== true && !isStill(stat, now)) return 'moving'
    const bytes = readFileSync(path)
    const after = statOf(path)
    if (after !== undefined && stampOf(after) === stamp) return { stamp, bytes }
    if (options.as_it_is !== true || attempt === ATTEMPTS) return 'moving'
  }
}

/** Changes whenever the file does. */
export function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(':')
}

/**
 * `now` is from before the read, so that a delayed process does not mistake a changing file for a still one. A time far ahead tells
 * nothing.
 */
export function isStill({ mtimeMs }: Pick<BigIntStats, 'mtimeMs'>, now: number): boolean {
  const age = now - Number(mtimeMs)
  return age >= STILL_MS || age <= -FOREIGN_CLOCK_MS
}

export function nowOf({ clock = Date.now }: StillOptions): number {
  return clock()
}

/** The same for a path; empty where there is no file. */
export function stampAt(path: string): string {
  const stat = statOf(path)
  return stat === undefined ? '' : stampOf(stat)
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

/** Tells whether a known file that is missing was removed: saving may also remove it and rewrite it. */
export function isRemoved(path: string, options: StillOptions = {}): boolean {
  if (options.as_it_is === true) return true
  try {
    const now = nowOf(options)
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false
    const folder = statOf(dirname(path))
    return folder === undefined || isStill(folder, now)
  } catch {
    return true
  }
}
