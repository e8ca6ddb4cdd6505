import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import { type FollowOptions, followDirectories } from '#platform/packs/follow-directories.ts'
import { nowOf, STILL_MS, stampAt } from '../still-file.ts'
import { type CheckOptions, checkDeployment } from './check-deployment.ts'

/** The faults of a deployment's files, kept current while the process runs. */
export interface FollowedDeployment {
  /** also checks names in the database; checked again when those have changed */
  findings(online?: CheckOptions['online']): readonly FileFault[]
  close(): void
}

interface FollowDeps extends CheckOptions {
  /** faults that another reader of these files has logged already */
  logged?: () => readonly FileFault[]
  log: Pick<Log, 'info' | 'warn'>
  follow?: FollowOptions
}

const FOLDERS = ['environments', 'profiles', 'rules', 'schedules', 'skills']

/** Checks all files at once and again whenever one of them changes. Each fault is logged once, when it appears. */
export function followDeployment({ log, follow, logged, ...options }: FollowDeps): FollowedDeployment {
  const own = options.pipelinesDir === undefined ? [] : [options.pipelinesDir]
  const watched = [
    ...FOLDERS.map((folder) => join(options.home, folder)),
    options.policiesDir,
    ...options.packDirs,
    ...own,
  ]
  const files = [join(options.home, 'channels.yaml'), options.modelsFile]
  let online = options.online
  let stamp = stampNow()
  let seen = { stamp, at: 0 }
  let findings: readonly FileFault[] = []

  function stampNow(): string {
    return [...watched.map(stampOf), ...files.map(stampAt)].join('\n')
  }

  /** A file is empty for a moment while a shell writes it. */
  function reload(): 'moving' | 'still' {
    const found = stampNow()
    if (found === stamp) return 'still'
    const now = nowOf(follow ?? {})
    if (found !== seen.stamp) seen = { stamp: found, at: now }
    if (now - seen.at < STILL_MS) return 'moving'
    stamp = found
    check()
    return 'still'
  }

  function check(): void {
    const before = new Set([...findings, ...(logged?.() ?? [])].map(faultText))
    const wasWrong = findings.length > 0
    findings = checkDeployment({ ...options, ...(online !== undefined && { online }) }).findings
    const fresh = findings.filter((each) => !each.warning && !before.has(faultText(each)))
    if (fresh.length > 0)
      log.warn({ problems: fresh.map(faultText) }, 'files of this deployment are not as they are meant')
    else if (wasWrong && findings.length === 0) log.info({}, 'the files of this deployment have no fault now')
  }

  check()
  const following = followDirectories(watched, reload, follow)
  return {
    findings(known) {
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(online)) {
        online = known
        check()
      }
      return findings
    },
    close: following.close,
  }
}

/** Changes whenever a file of a directory does. */
function stampOf(directory: string): string {
  try {
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    return names
      .map((name) => `${name}:${stampAt(join(directory, name))}`)
      .sort()
      .join('\n')
  } catch {
    return ''
  }
}
