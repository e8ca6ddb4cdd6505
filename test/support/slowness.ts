/** What the work below took on the machine on which the limits of the tests were set. */
const REFERENCE_MS = 24
const WORK = JSON.stringify(
  Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`key${n}`, { n, text: 'a b' }])),
)

/** How many times slower this machine is at this moment than the one on which the limits of the tests were set; at least 1. */
export function slowness(): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round += 1) {
    const began = performance.now()
    JSON.stringify(JSON.parse(WORK))
    least = Math.min(least, performance.now() - began)
  }
  return Math.max(1, least / REFERENCE_MS)
}
