import { execa } from 'execa'
import { DomainError } from '#core/errors.ts'

const LEAST_MINOR = 29

/** Reads the server's version out of `temporal --version`, such as "1.29"; refuses a server older than 1.29. */
export async function readServerVersion(binary: string): Promise<string> {
  const { stdout } = await execa(binary, ['--version'], { timeout: 20_000 })
  const version = parseServerVersion(stdout)
  if (!version)
    throw new DomainError(
      'dependency_unavailable',
      `${binary} does not say which Temporal server it carries: ${stdout.trim()}`,
    )
  if (version.major === 1 && version.minor < LEAST_MINOR) {
    throw new DomainError(
      'dependency_unavailable',
      `${binary} carries Temporal server ${version.major}.${version.minor}; at least 1.${LEAST_MINOR} is needed`,
    )
  }
  return `${version.major}.${version.minor}`
}

/** The label `Server x.y.z` counts: a CLI built from source calls itself 0.0.0-DEV. */
export function parseServerVersion(text: string): { major: number; minor: number } | undefined {
  const [, major, minor] = /Server (\d+)\.(\d+)/.exec(text) ?? []
  return major && minor ? { major: Number(major), minor: Number(minor) } : undefined
}
