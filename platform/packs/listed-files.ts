import type { Fault } from '#core/plan/fault.ts'
import { matchGlob } from '#core/trigger/glob.ts'

export interface ListedFiles {
  /** in the order of the pack's files */
  paths: string[]
  faults: Fault[]
}

/** The files of a pack that a list of `pack.yaml` names, by path or glob: `*` stands for anything within a folder. */
export function listedFiles(globs: readonly string[], paths: Iterable<string>, key: string): ListedFiles {
  const all = [...paths]
  const faults = globs.flatMap((glob, index): Fault[] => {
    if (all.some((path) => fits(glob, path))) return []
    return [{ path: [key, index], message: `there is no file ${glob} in this pack` }]
  })
  return { paths: all.filter((path) => globs.some((glob) => fits(glob, path))), faults }
}

function fits(glob: string, path: string): boolean {
  const [wanted, parts] = [glob.split('/'), path.split('/')]
  return wanted.length === parts.length && wanted.every((part, index) => matchGlob(part, parts[index] ?? ''))
}
