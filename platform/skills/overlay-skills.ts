import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SkillFile } from './load-skill.ts'

/** Not read, so that a huge file costs nothing; it is refused for its size. */
const MAX_BYTES = 256 * 1024 + 1

/** The skills that a deployment adds: `skills/<name>/SKILL.md` in its data directory, in the order of their names. */
export function readOverlaySkills(home: string): SkillFile[] {
  return folderNames(join(home, 'skills')).map((folder) => ({
    file: `skills/${folder}/SKILL.md`,
    folder,
    bytes: readSkill(join(home, 'skills', folder, 'SKILL.md')),
  }))
}

/** Changes whenever one of those files does. */
export function overlayStamp(home: string): string {
  return folderNames(join(home, 'skills'))
    .map((folder) => {
      const stat = statOf(join(home, 'skills', folder, 'SKILL.md'))
      return `${folder}:${stat?.ino}:${stat?.size}:${stat?.mtimeNs}:${stat?.ctimeNs}`
    })
    .join('\n')
}

/** An unreadable file is empty, and refused for that. */
function readSkill(path: string): Uint8Array {
  const stat = statOf(path)
  if (stat === undefined || !stat.isFile()) return new Uint8Array()
  if (stat.size >= MAX_BYTES) return new Uint8Array(MAX_BYTES)
  try {
    return readFileSync(path)
  } catch {
    return new Uint8Array()
  }
}

function statOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function folderNames(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()))
      .map((entry) => entry.name)
      .sort()
  } catch {
    return []
  }
}
