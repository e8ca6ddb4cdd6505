import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { Program } from './program.ts'

const BUILD_MS = 30 * 60_000
/** Releases that build without their web assets; Go checks what it fetches against its checksum database. */
export const GO_PACKAGES = {
  prometheus: { module: 'github.com/prometheus/prometheus', version: 'v0.309.1' },
  alertmanager: { module: 'github.com/prometheus/alertmanager', version: 'v0.28.1' },
} as const

/** Builds a program into `dir`, from a module of its own: `go install` of a version refuses a go.mod that excludes versions. */
export async function buildWithGo(dir: string, name: keyof typeof GO_PACKAGES): Promise<void> {
  const { module, version } = GO_PACKAGES[name]
  const command = `${module}/cmd/${name}`
  const go = (...args: string[]) =>
    execa('go', args, { cwd: dir, env: { CGO_ENABLED: '0', GOBIN: dir }, timeout: BUILD_MS })
  await go('mod', 'init', 'build')
  await go('get', `${command}@${version}`)
  // the service discovery of clouds is most of Prometheus, and nothing that a test asks for
  await go('install', '-tags', 'remove_all_sd', command)
  for (const left of ['go.mod', 'go.sum']) await rm(join(dir, left))
}

export function builtProgram(dir: string, name: keyof typeof GO_PACKAGES): Program {
  return { command: join(dir, name), env: {} }
}
