import { readdirSync, readFileSync } from 'node:fs'

/** CPU milliseconds of a process and its living children, from /proc; zero where there is none. */
export function cpuMs(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + ownCpuMs(each), 0)
}

const TICK_MS = 10

function ownCpuMs(pid: number): number {
  const fields = statOf(pid)
  return fields === undefined ? 0 : (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((each) => Number(statOf(each)?.[1]) === pid)
  } catch {
    return []
  }
}

/** The fields behind the command's name, which may hold anything. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
