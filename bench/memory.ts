import { readdirSync, readFileSync } from 'node:fs'

export interface Memory {
  process: string
  /** resident; what several share is counted in each */
  rss_mb: number
  /** the same with what is shared divided among those who share it */
  pss_mb: number
}

/** Returns the memory of a process and its descendants, from /proc; PostgreSQL's processes are one line. */
export function memoryOf(root: number): Memory[] {
  const lines = new Map<string, Memory>()
  for (const pid of familyOf(root)) {
    const process = nameOf(pid)
    const before = lines.get(process) ?? { process, rss_mb: 0, pss_mb: 0 }
    const { rss, pss } = rollup(pid)
    lines.set(process, { process, rss_mb: before.rss_mb + rss, pss_mb: before.pss_mb + pss })
  }
  return [...lines.values()].map(({ process, rss_mb, pss_mb }) => ({
    process,
    rss_mb: Math.round(rss_mb),
    pss_mb: Math.round(pss_mb),
  }))
}

function familyOf(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1]) }))
  const family = [root]
  for (const pid of family) family.push(...parents.filter(({ parent }) => parent === pid).map((each) => each.pid))
  return family
}

function nameOf(pid: number): string {
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
  if (command.includes('postgres')) return 'postgres'
  const found = ['temporal server', 'workers/main.ts', 'api/main.ts', 'cli/main.ts'].find((part) =>
    command.includes(part),
  )
  return found ?? command.slice(0, 40)
}

function rollup(pid: number): { rss: number; pss: number } {
  const text = read(`/proc/${pid}/smaps_rollup`)
  const mb = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1_024
  return { rss: mb('Rss'), pss: mb('Pss') }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
