import { readdirSync, readFileSync } from 'node:fs'

/** How often strays are looked for: one may start another while it is being ended. */
const MAX_ROUNDS = 20

/**
 * @param {number | undefined} leader
 * @param {NodeJS.Signals} signal
 */
export function killGroup(leader, signal) {
  try {
    if (leader !== undefined) process.kill(-leader, signal)
  } catch {
    // nothing of it is left
  }
}

/**
 * What left the group has the mark in its environment still, unless it took it out.
 * @param {string} mark
 */
export function killStrays(mark) {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const strays = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && hasMark(name, mark))
    if (strays.length === 0) return
    for (const pid of strays) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // it has ended by itself
      }
    }
  }
}

/**
 * @param {string} pid
 * @param {string} mark
 */
function hasMark(pid, mark) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${mark}=1`)
  } catch {
    return false
  }
}
